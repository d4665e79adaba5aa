// What the host's compile is asked to add is not the kernels': calls at functions' entries, OpenMP. The device's own
// compile has neither.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated -Xarch_host -finstrument-functions %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s
// RUN: %build_simulated -fopenmp -c %s -o %t.o
// RUN: %build_simulated %t.o -o %t.openmp %cudart
// RUN: %sim %t.openmp 2>&1 | %FileCheck %s
// CHECK-DAG: copied 0, sum 4032
// CHECK-DAG: clean
#include <cstdio>
#include <cuda_runtime.h>

#define PLAIN __attribute__((no_instrument_function))
extern "C" PLAIN void __cyg_profile_func_enter(void *, void *) {}
extern "C" PLAIN void __cyg_profile_func_exit(void *, void *) {}

__device__ __noinline__ int twice(int x) { return 2 * x; }
__global__ void fill(int *out) {
#ifdef _OPENMP
  out[threadIdx.x] = 0;
#else
  out[threadIdx.x] = twice(int(threadIdx.x));
#endif
}

int main() {
  int *p, out[64], sum = 0;
  if (cudaMalloc(&p, sizeof out))
    return 1;
  fill<<<1, 64>>>(p);
  const int copied = cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost);
  for (int value : out)
    sum += value;
  std::printf("copied %d, sum %d\n", copied, sum);
  cudaFree(p);
}
