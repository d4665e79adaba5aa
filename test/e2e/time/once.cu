// What is paid once has a line of its own: the context, modules that are loaded, first launches.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// ONLY: simulator
// FLAGS: -lcuda
// WITH-PLAIN: Inputs/slow_start.cpp
// OPTIONS: verbose=1:gpu_time=sampled
// EXPECT-CLEAN
// EXPECT-CLEAN[twin]
// EXPECT-STARTUP: method=host context_ns>=5000000 line=@first kernels=3
// EXPECT-STARTUP: modules=2 modules_ns>=10000000 jit_ns=0
// EXPECT-STARTUP[twin]: method=host context_ns>=5000000 line=@first kernels=1
// EXPECT-STARTUP[twin]: modules=0 modules_ns=0
// EXPECT-REPORT: START-UP  context *ms, modules and first launches *ms at most, first call at *
// EXPECT-REPORT[both]: START-UP  context *ms*, first call at once.cu:{@first}
// EXPECT-SITE[both]: line=@launch kind=launch calls=20
#include "../Inputs/check.h"

#include <cuda.h>
#include <cuda_runtime.h>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_52\n"
                          ".address_size 64\n"
                          ".visible .entry nothing()\n"
                          "{\n"
                          "  ret;\n"
                          "}\n";

__global__ void add(int *x, int y) { x[threadIdx.x] += y; }
template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }

int main() {
  CHECK(cudaFree(nullptr)); // @first
  int *d_x;
  CHECK(cudaMalloc(&d_x, 64 * sizeof(int)));
  CHECK(cudaMemset(d_x, 0, 64 * sizeof(int)));
  for (int i = 0; i < 20; ++i)
    add<<<1, 64>>>(d_x, i); // @launch
#ifndef FIXED
  for (int i = 0; i < 2; ++i) {
    CUmodule module;
    if (cuModuleLoadData(&module, ptx) != CUDA_SUCCESS || cuModuleUnload(module) != CUDA_SUCCESS)
      return 1;
  }
  for (int i = 0; i < 3; ++i) {
    scale<<<1, 64>>>(d_x);
    scale<<<1, 64>>>(reinterpret_cast<float *>(d_x));
    add<<<1, 64>>>(d_x, 1); // elsewhere it is loaded already
  }
#endif
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_x));
  puts("done");
}
