// A thread that has no context resets nothing; the driver's call resets the device that it names,
// whichever is current: what lives there then is a leak, what lives on another device is none. What
// comes afterwards is new memory, at the same address.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// FLAGS: -lcuda
// DEVICES: 2
// OPTIONS: audit=full
// EXPECT: leak proven memory=device variable=d_first line=@first count=1 bytes=8192
// EXPECT: leak proven memory=event variable=event line=@event count=1
// EXPECT-NO: leak variable=d_other
// EXPECT-NO: leak variable=d_kept
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
#include "../Inputs/check.h"
#include "../Inputs/data.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>

static void fill(void *d_x, size_t bytes) {
  static const std::vector<float> x = noise(2048);
  float back;
  CHECK(cudaMemcpy(d_x, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&back, d_x, 4, cudaMemcpyDeviceToHost));
}

int main() {
  void *d_other, *d_kept, *d_first, *d_second;
  cudaEvent_t event;
  CHECK(cudaMalloc(&d_kept, 4096));
  std::thread([] { CHECK(cudaDeviceReset()); }).join();
  fill(d_kept, 4096);
  CHECK(cudaFree(d_kept));
  CHECK(cudaMalloc(&d_first, 8192)); // @first
  CHECK(cudaEventCreate(&event)); // @event
  fill(d_first, 8192);
#ifdef FIXED
  CHECK(cudaFree(d_first));
  CHECK(cudaEventDestroy(event));
#endif
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&d_other, 2048));
  fill(d_other, 2048);
  for (int round = 0; round < 4; ++round) {
    if (cuDevicePrimaryCtxReset(0)) // while the other one is current
      return 1;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&d_second, 8192));
    fill(d_second, 8192);
    CHECK(cudaFree(d_second));
    CHECK(cudaSetDevice(1));
  }
  CHECK(cudaMemset(d_other, 0, 2048));
  CHECK(cudaFree(d_other));
  puts("done");
}
