// A thread puts an upload and a kernel into its own default stream and ends. The next one, maybe at its place, waits for
// its own stream, which is empty; main for the device. In the buggy program it waits once more.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// TWIN: FIXED
// EXPECT: needless-sync advice line=@again count>=8
// EXPECT-NO: needless-sync line=@needed
// EXPECT-NO[twin]: needless-sync line=@needed
#include "Inputs/uploads.h"
#include <thread>

int main() {
  Uploads data;
  for (int round = 0; round < Rounds; ++round) {
    data.fill(round);
    std::thread([=] {
      CHECK(cudaMemcpyAsync(data.d_x, data.x, 4 * N, cudaMemcpyHostToDevice, cudaStreamPerThread));
      step<<<N / 256, 256, 0, cudaStreamPerThread>>>(data.d_y, data.d_x);
      CHECK(cudaGetLastError());
    }).join();
    std::thread([] { CHECK(cudaStreamSynchronize(cudaStreamPerThread)); }).join();
    CHECK(cudaDeviceSynchronize()); // @needed
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @again
#endif
  }
  data.finish();
}
