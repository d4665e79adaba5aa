// Host functions of graphs write what the next launch sends, behind the copies of their own: what
// the calls see in host memory is not what arrives.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// EXPECT-NO: * proven
// EXPECT-NO: * likely
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
// EXPECT-NO: roundtrip
// EXPECT-NO: uniform-upload
// EXPECT-NO: dead-copy
#include "../../Inputs/data.h"
#include "../../Inputs/kernel.h"

#include <atomic>
#include <string.h>
#include <thread>

constexpr int N = 1 << 16, Bytes = 4 * N, Rounds = 16;

__host__ __device__ inline void sumAt(unsigned i, const float *in, float *out) { out[i] += 1 + in[i]; }
__global__ void sum(const float *in, float *out) { sumAt(globalThread(), in, out); }
SIMULATED(sum, sumAt)

static float *h, *out; // of the host, pinned
static float *d_x, *d_y;
static cudaStream_t stream;
static std::atomic<int> submitted{0}, frame{0};

static void use() { sum<<<N / 256, 256, 0, stream>>>(d_x, d_y); }
static void show() {
  CHECK(cudaMemcpyAsync(out, d_y, Bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%08x\n", checksum(out, Bytes));
}
static cudaGraphExec_t ended() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}
static void begin() { CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal)); }

/// Zeroes are there while the calls are made.
template <class Behind> static void rounds(cudaGraphExec_t exec, int &round, Behind behind) {
  for (round = 1; round <= Rounds; ++round) {
    submitted = 0;
    memset(h, 0, Bytes);
    CHECK(cudaGraphLaunch(exec, stream));
    behind();
    submitted = round;
    CHECK(cudaStreamSynchronize(stream));
    show();
  }
  CHECK(cudaGraphExecDestroy(exec));
}

/// Others, and the zeroes again, in turn.
static void fillInTurn(void *round) {
  while (submitted < *static_cast<int *>(round))
    std::this_thread::yield();
  if (++frame % 2)
    memcpy(h, noise(N, frame).data(), Bytes);
  else
    memset(h, 0, Bytes);
}

/// The function comes behind the copy: the next launch's copy sends what it wrote, and that of the
/// last one what all calls saw.
static void ofLaunchBefore(int &round) {
  begin();
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  use();
  CHECK(cudaLaunchHostFunc(stream, fillInTurn, &round));
  cudaGraphExec_t exec = ended();
  rounds(exec, round, [&] {
    frame = 1;
    if (round < 4) // zeroes alone, and the device is seen to have them
      return;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    frame = 0;
  });
}

/// ... and has written it before the call that launched it is back: zeroes, which are all that the
/// first launches send.
static void rightAway(int &round) {
  begin();
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  use();
  CHECK(cudaLaunchHostFunc(stream, [](void *) { memset(h, 0, Bytes); }, nullptr));
  cudaGraphExec_t exec = ended();
  for (round = 1; round <= 2 * Rounds; ++round) {
    if (round < 3)
      memset(h, 0, Bytes);
    else
      memcpy(h, noise(N, 100 + round).data(), Bytes);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    show();
  }
  CHECK(cudaGraphExecDestroy(exec));
}

int main() {
  int round = 0;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMallocHost(&h, Bytes));
  CHECK(cudaMallocHost(&out, Bytes));
  CHECK(cudaMalloc(&d_x, Bytes));
  CHECK(cudaMalloc(&d_y, Bytes));
  CHECK(cudaMemset(d_y, 0, Bytes));
  ofLaunchBefore(round);
  rightAway(round);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(d_x));
  CHECK(cudaFree(d_y));
  CHECK(cudaFreeHost(h));
  CHECK(cudaFreeHost(out));
}
