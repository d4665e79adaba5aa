// A program gives up by exit(1) for a reason of its own: what it holds is lost. In the twin it does
// so behind a checked error, which is no leak, though a static object gives its event back later.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// TWIN: FIXED
// EXPECT-EXIT[both]: 1
// EXPECT: leak proven variable=x function=main line=@x count=1 bytes=4KiB
// EXPECT-PROCESS: ended=exit
// EXPECT-NO[twin]: *
// EXPECT-PROCESS[twin]: ended=error
#include "../Inputs/check.h"
#include "../Inputs/kernel.h"

#include <stdio.h>
#include <stdlib.h>

__host__ __device__ inline void scaleAt(unsigned i, float *x) { x[i] *= 2; }
__global__ void scale(float *x) { scaleAt(globalThread(), x); }
SIMULATED(scale, scaleAt)

void checked(const char *what) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess)
    return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

struct Timer {
  Timer() { (void)cudaEventCreate(&event); }
  ~Timer() { (void)cudaEventDestroy(event); }
  cudaEvent_t event;
};

Timer &timer() {
  static Timer one;
  return one;
}

int main() {
  CHECK(cudaEventRecord(timer().event));
  float *x;
  CHECK(cudaMalloc(&x, 4096)); // @x
  CHECK(cudaMemset(x, 0, 4096));
#ifdef FIXED
  scale<<<4, 2048>>>(x); // too many threads
  checked("scale");
#else
  scale<<<4, 256>>>(x);
  checked("scale");
  exit(1);
#endif
  CHECK(cudaFree(x));
}
