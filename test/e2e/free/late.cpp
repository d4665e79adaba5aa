// What is freed only after the device's reset has freed it: one mistake, and no leak. What nobody
// frees at all stays one.
// SPDX-License-Identifier: Apache-2.0
// ONLY: simulator
// TWIN: FIXED
// EXPECT: invalid-free proven variable=d_late line=@late count=1 error=cudaErrorInvalidValue
// EXPECT: invalid-free proven variable=event line=@event count=2
// EXPECT: invalid-free proven variable=buffer line=@end count=1
// EXPECT: leak proven memory=device variable=d_lost line=@lost count=2 bytes=12288
// EXPECT-ALL
// EXPECT-REPORT: *cudaFree got what cudaDeviceReset at late.cpp:{@reset} had freed:*
// EXPECT-REPORT: *cudaEventDestroy got what cudaDeviceReset at late.cpp:{@reset} had freed:*
// EXPECT-NO[twin]: invalid-free
#include "../Inputs/check.h"

#include <cuda_runtime.h>

static int failures;
static void tryFree(cudaError_t status) {
  if (status != cudaSuccess)
    ++failures;
}

static void fill(void *d_data, size_t bytes) {
  char back;
  CHECK(cudaMemset(d_data, 1, bytes));
  CHECK(cudaMemcpy(&back, d_data, 1, cudaMemcpyDeviceToHost));
}

struct Buffer {
  void *d_data = nullptr;
  Buffer() {
    CHECK(cudaMalloc(&d_data, 2048));
    fill(d_data, 2048);
  }
  ~Buffer() { tryFree(cudaFree(d_data)); }
};

int main() {
  {
    Buffer buffer;
    void *d_late, *d_lost;
    cudaEvent_t event;
    CHECK(cudaMalloc(&d_late, 4096));
    fill(d_late, 4096);
    for (int round = 0; round < 2; ++round) {
      CHECK(cudaMalloc(&d_lost, 4096 + round * 4096)); // @lost
      fill(d_lost, 4096);
#ifdef FIXED
      CHECK(cudaFree(d_lost));
#endif
    }
    CHECK(cudaEventCreate(&event));
#ifdef FIXED
    CHECK(cudaFree(d_late));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaFree(buffer.d_data));
    buffer.d_data = nullptr;
#endif
    CHECK(cudaDeviceReset()); // @reset
#ifndef FIXED
    tryFree(cudaFree(d_late)); // @late
    for (int round = 0; round < 2; ++round)
      tryFree(cudaEventDestroy(event)); // @event
#endif
  } // @end
  printf("%d failures, then %s\n", failures, cudaGetErrorName(cudaGetLastError()));
}
