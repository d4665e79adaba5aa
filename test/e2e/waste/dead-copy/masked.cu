// A field is cleared before a kernel that writes each of its cells, those of obstacles first; and
// one before a kernel that leaves the obstacles out.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT: dead-copy function=main line=@density variable=d_density count=1 bytes=256KiB
// EXPECT-NO: dead-copy line=@speed
// EXPECT-ALL
// EXPECT-NO[twin]: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 16;

__host__ __device__ inline void sumAt(unsigned i, const float *cells, const char *solid,
                                      float *density) {
  if (i >= N)
    return;
  if (solid && solid[i]) {
    density[i] = -1;
    return;
  }
  float sum = 1;
  for (int q = 0; q < 4; ++q)
    sum += cells[4 * i + q];
  density[i] = sum;
}
__global__ void sum(const float *cells, const char *solid, float *density) {
  sumAt(globalThread(), cells, solid, density);
}
SIMULATED(sum, sumAt)

__host__ __device__ inline void moveAt(unsigned i, const float *cells, const char *solid,
                                       float *speed) {
  if (!solid[i])
    speed[i] = 1 + cells[4 * i];
}
__global__ void move(const float *cells, const char *solid, float *speed) {
  moveAt(globalThread(), cells, solid, speed);
}
SIMULATED(move, moveAt)

int main() {
  std::vector<float> cells = noise(4 * N), out(N);
  std::vector<char> solid(N);
  for (int i = 0; i < N; ++i)
    solid[i] = i % 50 == 7;
  float *d_cells, *d_density, *d_speed;
  char *d_solid;
  CHECK(cudaMalloc(&d_cells, 16 * N));
  CHECK(cudaMalloc(&d_density, 4 * N));
  CHECK(cudaMalloc(&d_speed, 4 * N));
  CHECK(cudaMalloc(&d_solid, N));
  CHECK(cudaMemcpy(d_cells, cells.data(), 16 * N, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_solid, solid.data(), N, cudaMemcpyHostToDevice));
#ifndef FIXED
  CHECK(cudaMemset(d_density, 0, 4 * N)); // @density
#endif
  CHECK(cudaMemset(d_speed, 0, 4 * N)); // @speed
  sum<<<N / 256, 256>>>(d_cells, d_solid, d_density);
  move<<<N / 256, 256>>>(d_cells, d_solid, d_speed);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), d_density, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  CHECK(cudaMemcpy(out.data(), d_speed, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(out));
  for (float *memory : {d_cells, d_density, d_speed})
    CHECK(cudaFree(memory));
  CHECK(cudaFree(d_solid));
}
