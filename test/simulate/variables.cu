// Variables of the simulated device are the host's memory, but no place that holds memory at exit: on a GPU none is.
// SPDX-License-Identifier: Apache-2.0
// RUN: %build_simulated_whole %s -o %t %cudart
// RUN: %sim %t 2>&1 | %FileCheck %s --implicit-check-not="HELD AT EXIT"
// RUN: %build_simulated_whole -DFIXED %s -o %t.fixed %cudart
// RUN: %sim %t.fixed 2>&1 | %FileCheck %s --check-prefix=FIXED --implicit-check-not="HELD AT EXIT" --implicit-check-not=leak
// CHECK-DAG: leak {{.*}} p {{.*}} variables.cu:[[# @LINE + 16]]
// CHECK-DAG: leak {{.*}} q {{.*}} variables.cu:[[# @LINE + 17]]
// CHECK-DAG: 5
// FIXED-DAG: 5
// FIXED-DAG: clean
#include <cstdio>
#include <cuda_runtime.h>

__constant__ int *out;
__device__ int *list[2];

__global__ void fill() { list[1][threadIdx.x] = out[threadIdx.x] = threadIdx.x; }

static int run() {
  int *p, *q, host[64] = {};

  if (cudaMalloc(&p, sizeof host))
    return 0;
  if (cudaMalloc(&q, sizeof host))
    return 0;
  cudaMemcpyToSymbol(out, &p, sizeof p);
  cudaMemcpyToSymbol(list, &q, sizeof q, sizeof q);
  fill<<<1, 64>>>();
  cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost);
#ifdef FIXED
  cudaFree(p);
  cudaFree(q);
#endif
  return host[5];
}

int main() { std::printf("%d\n", run()); }
