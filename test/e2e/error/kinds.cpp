// Copies whose kind is not what their pointers are, unchecked: the right one is told. Not where the
// kind is right, or an address is neither side's.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: ignored-error proven line=@up count=2
// EXPECT: ignored-error proven line=@down count=1
// EXPECT: ignored-error proven line=@rows count=1
// EXPECT: ignored-error proven line=@null count=1
// EXPECT-ALL
// EXPECT-REPORT: *destination is device memory, the source host memory: that is
// EXPECT-REPORT: *destination is host memory, the source device memory: that is
// EXPECT-NO-REPORT: *the destination is host memory, the source host memory*
// EXPECT-NO[twin]: ignored-error
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#ifdef FIXED
constexpr cudaMemcpyKind Up = cudaMemcpyHostToDevice, Down = cudaMemcpyDeviceToHost;
#else
constexpr cudaMemcpyKind Up = cudaMemcpyDeviceToHost, Down = cudaMemcpyHostToDevice;
#endif

int main() {
  static char h_data[4096] = "data";
  char *d_data;
  CHECK(cudaMalloc(&d_data, 4096));
  for (int i = 0; i < 2; ++i)
    cudaMemcpy(d_data, h_data, 4096, Up); // @up
  cudaMemcpyAsync(h_data, d_data, 4096, Down, nullptr); // @down
  cudaMemcpy2D(d_data, 64, h_data, 64, 64, 8, Up); // @rows
#ifndef FIXED
  cudaMemcpy(nullptr, h_data, 4096, cudaMemcpyHostToDevice); // @null
#endif
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(d_data));
  puts("done");
}
