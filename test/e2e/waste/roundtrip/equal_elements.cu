// As in kept_on_the_host.cu, and all particles are alike: the upload is a round trip, and not told
// as one of equal elements besides. Fixed, the memory is kept, and a kernel fills it.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=sampled budget=100
// EXPECT: roundtrip likely function=step line=@up count>=4
// EXPECT-NO: uniform-upload
// EXPECT-NO[twin]: roundtrip
// EXPECT-NO[twin]: uniform-upload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void moveAt(unsigned i, float *particles, float dt) {
  particles[i] += dt;
}
__global__ void move(float *particles, float dt) { moveAt(globalThread(), particles, dt); }
SIMULATED(move, moveAt)

__host__ __device__ inline void placeAt(unsigned i, float *particles, float at) {
  particles[i] = at;
}
__global__ void place(float *particles, float at) { placeAt(globalThread(), particles, at); }
SIMULATED(place, placeAt)

#ifdef FIXED
static float *d_particles;
#endif

static void step(std::vector<float> &particles, float dt) {
#ifndef FIXED
  float *d_particles;
  CHECK(cudaMalloc(&d_particles, 4 * N));
  CHECK(cudaMemcpy(d_particles, particles.data(), 4 * N, cudaMemcpyHostToDevice)); // @up
#endif
  move<<<N / 256, 256>>>(d_particles, dt);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(particles.data(), d_particles, 4 * N, cudaMemcpyDeviceToHost));
#ifndef FIXED
  CHECK(cudaFree(d_particles));
#endif
}

int main() {
  std::vector<float> particles(N, 1.0f);
  double middle = 0;
#ifdef FIXED
  CHECK(cudaMalloc(&d_particles, 4 * N));
  place<<<N / 256, 256>>>(d_particles, 1.0f);
  CHECK(cudaGetLastError());
#endif
  for (int i = 0; i < 6; ++i) {
    step(particles, 0.25f);
    middle += particles[N / 2];
  }
  printf("%g %08x\n", middle, checksum(particles));
#ifdef FIXED
  CHECK(cudaFree(d_particles));
#endif
}
