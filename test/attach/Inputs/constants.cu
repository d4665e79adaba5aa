// A closed program with a cudart of its own: constants and a table that are uploaded in each step.
// With an argument the twin, which uploads others each time.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

__constant__ float coefficients[1024];
__device__ float table[16384];
__device__ int counter;

__global__ void use(float *out) {
  out[threadIdx.x] = coefficients[threadIdx.x] * table[threadIdx.x];
  if (threadIdx.x == 0)
    atomicAdd(&counter, 1);
}

int main(int argc, char **) {
  static float few[1024], many[16384];
  float *out;
  int count = 0;
  for (int i = 0; i < 16384; ++i)
    few[i % 1024] = many[i] = float(i);
  if (cudaMalloc(&out, 1024 * sizeof(float)) != cudaSuccess)
    return 1;
  for (int step = 0; step < 20; ++step) {
    if (argc > 1)
      few[step] = many[step] = float(-step - 1);
    cudaMemcpyToSymbol(coefficients, few, sizeof few); // FEW
    cudaMemcpyToSymbol(table, many, sizeof many);      // MANY
    use<<<1, 256>>>(out);                              // LAUNCH
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
  }
  cudaFree(out);
  std::printf("%d\n", count);
  return 0;
}
