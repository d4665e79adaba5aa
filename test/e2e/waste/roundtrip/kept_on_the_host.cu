// A step allocates, uploads the particles, moves them, brings them back and frees: the host, which
// has them between two steps, changes nothing. Fixed, the memory is kept.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// OPTIONS: audit=sampled budget=100
// EXPECT: roundtrip likely function=step line=@up count>=6
// EXPECT-ALL
// EXPECT-NO[twin]: roundtrip
// EXPECT-NO[twin]: reupload
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void moveAt(unsigned i, float *particles, float dt) {
  particles[i] += dt * (1.0f + float(i % 7));
}
__global__ void move(float *particles, float dt) { moveAt(globalThread(), particles, dt); }
SIMULATED(move, moveAt)

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
  std::vector<float> particles = noise(N);
  double middle = 0;
#ifdef FIXED
  CHECK(cudaMalloc(&d_particles, 4 * N));
  CHECK(cudaMemcpy(d_particles, particles.data(), 4 * N, cudaMemcpyHostToDevice));
#endif
  for (int i = 0; i < 10; ++i) {
    step(particles, 0.25f);
    middle += particles[N / 2];
  }
  printf("%g %08x\n", middle, checksum(particles));
#ifdef FIXED
  CHECK(cudaFree(d_particles));
#endif
}
