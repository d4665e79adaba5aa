// The address of memory that nobody frees lies in a variable of the device alone: leaked.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=p line=@p count=1 bytes=256
// EXPECT-ALL
#include "../Inputs/check.h"

#include <cuda_runtime.h>

__constant__ int *out;

__global__ void fill() { out[threadIdx.x] = threadIdx.x; }

static void run() {
  int *p, host[64];
  CHECK(cudaMalloc(&p, sizeof host)); // @p
  CHECK(cudaMemcpyToSymbol(out, &p, sizeof p));
  fill<<<1, 64>>>();
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
#ifdef FIXED
  CHECK(cudaFree(p));
#endif
}

int main() {
  run();
  puts("done");
}
