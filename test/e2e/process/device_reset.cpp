// cudaDeviceReset with live allocations: they are leaks; life goes on after it.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: leak proven memory=device variable=d_before line=@before count=1 bytes=4096
// EXPECT: leak proven memory=stream variable=stream line=@stream count=1
// EXPECT-ALL
// EXPECT-SITE[both]: kind=alloc line=@after calls=1
#include "../Inputs/check.h"

int main() {
  void *d_before, *d_after;
  cudaStream_t stream;
  CHECK(cudaMalloc(&d_before, 4096)); // @before
  CHECK(cudaStreamCreate(&stream)); // @stream
#ifdef FIXED
  CHECK(cudaFree(d_before));
  CHECK(cudaStreamDestroy(stream));
#endif
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&d_after, 8192)); // @after
  CHECK(cudaMemset(d_after, 0, 8192));
  CHECK(cudaFree(d_after));
  puts("done");
}
