// A library that is not instrumented, with a kernel; some programs open it at their start.
// SPDX-License-Identifier: Apache-2.0
#include "unseen_calls.h"

#include "oracle.h"

#include <cuda_runtime.h>

#ifndef __NVCC__
__global__ void unseenKernel(int *x, int value, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = value;
}

static void describeUnseen(const unsigned *, const unsigned *, void **a) {
  oracle::writes(*static_cast<int **>(a[0]), *static_cast<unsigned *>(a[2]) * 4);
}

extern "C" void unseenLaunch(int *d_memory, int value, unsigned n) {
  oracle::describe(reinterpret_cast<const void *>(unseenKernel), describeUnseen);
  unseenKernel<<<(n + 255) / 256, 256>>>(d_memory, value, n);
  must(cudaGetLastError());
}
#endif
