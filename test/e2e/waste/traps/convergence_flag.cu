// Jacobi: a flag of not-yet-converged cells is cleared, set by the kernel, and read in each step.
// It is read as 1 again and again, and the program needs every one of these reads.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// OPTIONS: audit=full
// EXPECT-NO: * proven
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

constexpr int N = 1 << 12;

__host__ __device__ inline void relaxAt(unsigned i, const float *from, float *to, int *moving) {
  float left = from[i ? i - 1 : 0], right = from[i + 1 < N ? i + 1 : N - 1];
  to[i] = 0.5f * (left + right);
  if (to[i] - from[i] > 1e-3f || from[i] - to[i] > 1e-3f)
    *moving = 1;
}
__global__ void relax(const float *from, float *to, int *moving) {
  relaxAt(globalThread(), from, to, moving);
}
SIMULATED(relax, relaxAt)

int main() {
  std::vector<float> field = noise(N);
  float *d_from, *d_to;
  int *d_moving, moving = 1, steps = 0;
  CHECK(cudaMalloc(&d_from, 4 * N));
  CHECK(cudaMalloc(&d_to, 4 * N));
  CHECK(cudaMalloc(&d_moving, 4));
  CHECK(cudaMemcpy(d_from, field.data(), 4 * N, cudaMemcpyHostToDevice));
  for (; moving && steps < 60; ++steps) {
    CHECK(cudaMemset(d_moving, 0, 4));
    relax<<<N / 256, 256>>>(d_from, d_to, d_moving);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&moving, d_moving, 4, cudaMemcpyDeviceToHost));
    std::swap(d_from, d_to);
  }
  CHECK(cudaMemcpy(field.data(), d_from, 4 * N, cudaMemcpyDeviceToHost));
  printf("%d steps, %.2f\n", steps, field[N / 2]);
  CHECK(cudaFree(d_from));
  CHECK(cudaFree(d_to));
  CHECK(cudaFree(d_moving));
}
