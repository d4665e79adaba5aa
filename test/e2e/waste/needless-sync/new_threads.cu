// Each round has a thread of its own, which has no context before its first call: it waits for what main has put into
// the default stream, or for its own kernel there. In the buggy program main waits once more.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// TWIN: FIXED
// EXPECT: needless-sync advice line=@again count>=8
// EXPECT-NO: needless-sync line=@device
// EXPECT-NO: needless-sync line=@stream
// EXPECT-NO: needless-sync line=@own
// EXPECT-NO[twin]: needless-sync
#include "Inputs/uploads.h"
#include <thread>

static void upload(Uploads &data, int round) {
  data.fill(round);
  CHECK(cudaMemcpyAsync(data.d_x, data.x, 4 * N, cudaMemcpyHostToDevice));
}

static void launch(Uploads &data) {
  step<<<N / 256, 256>>>(data.d_y, data.d_x);
  CHECK(cudaGetLastError());
}

static void waitsForDevice(Uploads &data) {
  for (int round = 0; round < Rounds; ++round) {
    upload(data, round);
    std::thread([] {
      CHECK(cudaDeviceSynchronize()); // @device
    }).join();
#ifndef FIXED
    CHECK(cudaDeviceSynchronize()); // @again
#endif
    launch(data);
  }
}

static void waitsForStream(Uploads &data) {
  for (int round = 0; round < Rounds; ++round) {
    upload(data, round);
    std::thread([] {
      CHECK(cudaStreamSynchronize(nullptr)); // @stream
    }).join();
    launch(data);
  }
}

static void waitsForItsOwn(Uploads &data) {
  for (int round = 0; round < Rounds; ++round)
    std::thread([&] {
      launch(data);
      CHECK(cudaStreamSynchronize(nullptr)); // @own
    }).join();
}

int main() {
  Uploads data;
  waitsForDevice(data);
  waitsForStream(data);
  waitsForItsOwn(data);
  data.finish();
}
