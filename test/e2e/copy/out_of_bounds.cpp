// Copies and sets that start inside an allocation and run past its end.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// EXPECT: out-of-bounds-copy proven variable=d_frame function=main line=@h2d count=1
// EXPECT: out-of-bounds-copy proven line=@d2h count=1
// EXPECT: out-of-bounds-copy proven variable=*d_frame* line=@set count=1
// EXPECT: out-of-bounds-copy proven variable=d_other line=@both count=1
// EXPECT-ALL
// EXPECT-REPORT: out-of-bounds-copy*d_frame*out_of_bounds.cpp:{@h2d}*main
#include "../Inputs/check.h"

#include <cuda_runtime.h>

#include <vector>

#ifdef FIXED
constexpr size_t extra = 0;
#else
constexpr size_t extra = 64;
#endif

static int refused;
// Whether the driver refuses depends on what lies behind the allocation: not printed.
static void attempt(cudaError_t status) { refused += status != cudaSuccess; }

int main() {
  const size_t bytes = 1 << 20;
  std::vector<char> h_frame(bytes + 64);
  char *d_frame;
  CHECK(cudaMalloc(&d_frame, bytes));
  attempt(cudaMemcpy(d_frame, h_frame.data(), bytes + extra, cudaMemcpyHostToDevice)); // @h2d
  h_frame[100] = 1; // so that what comes back is no round trip, which a slow machine would be told of
  attempt(cudaMemcpy(h_frame.data() + 32, d_frame + 32, bytes - 32 + extra / 2, cudaMemcpyDeviceToHost)); // @d2h
  attempt(cudaMemset(d_frame + bytes / 2, 0, bytes / 2 + extra)); // @set
  char *d_other;
  CHECK(cudaMalloc(&d_other, bytes));
  attempt(cudaMemcpy(d_other, d_frame, bytes + extra, cudaMemcpyDeviceToDevice)); // @both
  CHECK(cudaDeviceSynchronize());
  if (cudaGetLastError() != cudaSuccess)
    refused += 100;
  CHECK(cudaFree(d_frame));
  CHECK(cudaFree(d_other));
  printf("done\n");
}
