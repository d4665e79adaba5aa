// A device is reset by a thread that made no call before, and by the driver's call, which names it:
// what lives there then is a leak, what lives on another device is none. What comes afterwards is
// new memory, at the same address.
// SPDX-License-Identifier: Apache-2.0
// TWIN: FIXED
// FLAGS: -lcuda
// ENV: GPUINSTR_SIM=devices=2
// OPTIONS: audit=full
// EXPECT: leak proven memory=device variable=d_first line=@first count=1 bytes=4096
// EXPECT: leak proven memory=event variable=event line=@event count=1
// EXPECT: leak proven memory=device variable=d_second line=@second count=1 bytes=8192
// EXPECT-NO: leak variable=d_other
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
  void *d_other, *d_first, *d_second;
  cudaEvent_t event;
  CHECK(cudaSetDevice(1));
  CHECK(cudaMalloc(&d_other, 4096));
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&d_first, 4096)); // @first
  CHECK(cudaEventCreate(&event)); // @event
  fill(d_first, 4096);
#ifdef FIXED
  CHECK(cudaFree(d_first));
  CHECK(cudaEventDestroy(event));
#endif
  std::thread([] { CHECK(cudaDeviceReset()); }).join();
  for (int round = 0; round < 4; ++round) {
    CHECK(cudaMalloc(&d_second, 8192)); // @second
    fill(d_second, 8192);
    if (round < 3)
      CHECK(cudaFree(d_second));
    else
      CHECK(cudaSetDevice(1)); // the driver's call is about another
    if (round < 3)
      std::thread([] { CHECK(cudaDeviceReset()); }).join();
  }
#ifdef FIXED
  CHECK(cudaFree(d_second));
#endif
  if (cuDevicePrimaryCtxReset(0))
    return 1;
  fill(d_other, 4096);
  CHECK(cudaFree(d_other));
  puts("done");
}
