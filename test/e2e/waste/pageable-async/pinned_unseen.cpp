// Trap: memory that copies knew as ordinary is pinned by a library that nobody sees.
// SPDX-License-Identifier: Apache-2.0
// SHARED-PLAIN: libpins.so Inputs/pins.cpp
// TWIN: FIXED
// OPTIONS: verbose=1
// EXPECT-NO[twin]: pageable-async
// EXPECT: pageable-async advice line=@ordinary count=6
// EXPECT-NO[both]: pageable-async line=@pinned
#include "../../Inputs/check.h"

#include <vector>

extern "C" int pinFrame(void *frame, size_t bytes);
extern "C" int releaseFrame(void *frame);

constexpr size_t Bytes = 1 << 20;

static int use(const void *d_frame, cudaStream_t stream) {
  char back[64];
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(back, d_frame, sizeof back, cudaMemcpyDeviceToHost));
  return back[7] + back[9];
}

static int send(void *d_frame, std::vector<char> &frame, cudaStream_t stream) {
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    frame[7] = char(i);
#ifndef FIXED
    CHECK(cudaMemcpyAsync(d_frame, frame.data(), Bytes, cudaMemcpyHostToDevice, stream)); // @ordinary
    sum += use(d_frame, stream);
#endif
  }
  if (pinFrame(frame.data(), Bytes) != 0)
    return -1;
  for (int i = 0; i < 6; ++i) {
    frame[9] = char(i);
    CHECK(cudaMemcpyAsync(d_frame, frame.data(), Bytes, cudaMemcpyHostToDevice, stream)); // @pinned
    sum += use(d_frame, stream);
  }
  releaseFrame(frame.data());
  return sum;
}

int main() {
  std::vector<char> frame(Bytes);
  for (size_t i = 0; i < Bytes; ++i)
    frame[i] = char(i * 7 + i / 251);
  void *d_frame;
  cudaStream_t stream;
  CHECK(cudaMalloc(&d_frame, Bytes));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemcpy(d_frame, frame.data(), Bytes, cudaMemcpyHostToDevice));
  printf("%d\n", use(d_frame, stream) + send(d_frame, frame, stream));
  CHECK(cudaFree(d_frame));
  CHECK(cudaStreamDestroy(stream));
}
