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
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"
#include <thread>

constexpr int N = 1 << 16, Rounds = 10;

__host__ __device__ inline void stepAt(unsigned i, float *y, const float *x) { y[i] = 0.5f * y[i] + x[i]; }
__global__ void step(float *y, const float *x) { stepAt(globalThread(), y, x); }
SIMULATED(step, stepAt)

struct Data {
  float *x, *d_x, *d_y;
};

static void upload(Data &data, int round) {
  for (int i = 0; i < N; ++i)
    data.x[i] = float(round * i % 1000);
  CHECK(cudaMemcpyAsync(data.d_x, data.x, 4 * N, cudaMemcpyHostToDevice));
}

static void launch(Data &data) {
  step<<<N / 256, 256>>>(data.d_y, data.d_x);
  CHECK(cudaGetLastError());
}

static void waitsForDevice(Data &data) {
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

static void waitsForStream(Data &data) {
  for (int round = 0; round < Rounds; ++round) {
    upload(data, round);
    std::thread([] {
      CHECK(cudaStreamSynchronize(nullptr)); // @stream
    }).join();
    launch(data);
  }
}

static void waitsForItsOwn(Data &data) {
  for (int round = 0; round < Rounds; ++round)
    std::thread([&] {
      launch(data);
      CHECK(cudaStreamSynchronize(nullptr)); // @own
    }).join();
}

int main() {
  std::vector<float> y(N);
  Data data;
  CHECK(cudaMallocHost(&data.x, 4 * N));
  CHECK(cudaMalloc(&data.d_x, 4 * N));
  CHECK(cudaMalloc(&data.d_y, 4 * N));
  CHECK(cudaMemset(data.d_y, 0, 4 * N));
  waitsForDevice(data);
  waitsForStream(data);
  waitsForItsOwn(data);
  CHECK(cudaMemcpy(y.data(), data.d_y, 4 * N, cudaMemcpyDeviceToHost));
  printf("%08x\n", checksum(y));
  CHECK(cudaFreeHost(data.x));
  CHECK(cudaFree(data.d_x));
  CHECK(cudaFree(data.d_y));
}
