// Right results: rows of threads, three dimensions, shared memory, symbols, structures, math, printf.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated_whole %s -o %t %cudart
// RUN: %sim %t | %FileCheck %s
// RUN: %build_simulated -O0 %s -o %t.O0 %cudart
// RUN: %sim %t.O0 | %FileCheck %s
// CHECK: thread 3 of 4: 2.50 text 12345678901
// CHECK: RIGHT
#include "Inputs/check.h"
#include <cmath>

struct Pair {
  float first;
  double second;
};
__constant__ float factors[4] = {1, 2, 3, 4};
__device__ int counter = 5;
static __device__ int hidden = 1;

__global__ void where(int *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  out[(z * h + y) * w + x] = x + 100 * y + 10000 * z;
}
__global__ void structures(Pair p, float *out, int n, bool twice) {
  p.first += threadIdx.x; // a copy of each thread
  if (threadIdx.x < n)
    out[threadIdx.x] = (p.first + p.second) * factors[threadIdx.x & 3] * (twice ? 2 : 1);
}
template <class T> __global__ void reversed(T *data, int n) {
  __shared__ T own[128];
  extern __shared__ int more[];
  own[threadIdx.x] = data[threadIdx.x];
  more[threadIdx.x] = threadIdx.x;
  __syncthreads();
  data[threadIdx.x] = own[n - 1 - threadIdx.x] + T(more[n - 1 - threadIdx.x]);
  if (threadIdx.x == 0)
    counter += hidden;
}
__global__ void math(const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n)
    out[i] = sinf(in[i]) + expf(-in[i]) * sqrtf(in[i]) + logf(1 + in[i]) + powf(in[i], 1.5f);
}
__global__ void converted(float x, int *out) {
  out[0] = int(x);
  out[1] = int(-x);
  out[2] = int(unsigned(-x));
  out[3] = int(x * 0.0f / 0.0f);
  out[4] = int(unsigned(x / 4));
}
__global__ void say() {
  if (threadIdx.x == 3)
    printf("thread %d of %u: %.2f %s %lld\n", threadIdx.x, blockDim.x, 2.5f, "text", 12345678901LL);
}

int main() {
  int *places;
  cudaMallocManaged(&places, 16 * 8 * 4 * sizeof(int));
  where<<<dim3(4, 2, 2), dim3(4, 4, 2)>>>(places, 16, 8);
  cudaDeviceSynchronize();
  for (int i = 0; i < 16 * 8 * 4; ++i)
    check("place", places[i], i % 16 + 100 * (i / 16 % 8) + 10000 * (i / 128));

  float *values, *results;
  cudaMallocManaged(&values, 128 * sizeof(float));
  cudaMallocManaged(&results, 128 * sizeof(float));
  structures<<<1, 128>>>(Pair{1, 0.5}, results, 100, true);
  cudaDeviceSynchronize();
  for (int i = 0; i < 100; ++i)
    check("structure", results[i], (1.5f + i) * (i % 4 + 1) * 2);
  const float other[4] = {10, 10, 10, 10};
  cudaMemcpyToSymbol(factors, other, sizeof other);
  structures<<<1, 128>>>(Pair{0, 0}, results, 100, false);
  cudaDeviceSynchronize();
  check("symbol", results[7], 70);

  for (int i = 0; i < 128; ++i)
    values[i] = float(i) / 4;
  reversed<float><<<1, 128, 128 * sizeof(int)>>>(values, 128);
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  check("counter", count, 6);
  for (int i = 0; i < 128; ++i)
    check("reversed", values[i], 1.25f * (127 - i));

  math<<<1, 128>>>(values, results, 128);
  cudaDeviceSynchronize();
  for (int i = 0; i < 128; ++i) {
    float x = values[i];
    float wanted = std::sin(x) + std::exp(-x) * std::sqrt(x) + std::log(1 + x) + std::pow(x, 1.5f);
    check("math", std::fabs(results[i] - wanted) <= 1e-5f * (1 + std::fabs(wanted)), true);
  }
  converted<<<1, 1>>>(1e10f, places);
  cudaDeviceSynchronize();
  const int saturated[] = {2147483647, -2147483647 - 1, 0, 0, int(2500000000u)};
  for (int i = 0; i < 5; ++i)
    check("converted", places[i], saturated[i]);
  say<<<1, 4>>>();
  cudaDeviceSynchronize();
  cudaFree(places), cudaFree(values), cudaFree(results);
  return failed();
}
