// Relocatable device code of two units: functions, variables, shared memory of both, a pointer across.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated_whole -fgpu-rdc -c %s -o %t.1.o
// RUN: %build_simulated_whole -fgpu-rdc -c %S/Inputs/other-unit.cu -o %t.2.o
// RUN: %clangxx_cuda --offload-link %t.1.o %t.2.o -o %t %cudart
// RUN: %sim %t | %FileCheck %s
// CHECK: RIGHT
#include "Inputs/check.h"
#include "Inputs/shared-unit.h"

__device__ int (*pointer)(int) = twice;
__global__ void kernel(int *out) {
  __shared__ int own[32];
  extern __shared__ int dynamic[];
  own[threadIdx.x] = threadIdx.x;
  dynamic[threadIdx.x] = 5;
  __syncthreads();
  out[threadIdx.x] = twice(own[31 - threadIdx.x]) + value + swapped<int>(threadIdx.x) +
                     dynamic[31 - threadIdx.x] + pointer(1);
}

int main() {
  int *out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  kernel<<<1, 32, 32 * sizeof(int)>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    check("kernel", out[i], 2 * (31 - i) + 7 + (i ^ 1) + 5 + 2);
  const int eight = 8;
  cudaMemcpyToSymbol(value, &eight, sizeof eight);
  launchOther(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i)
    check("other", out[i], (i ^ 1) + 8);
  cudaFree(out);
  return failed();
}
