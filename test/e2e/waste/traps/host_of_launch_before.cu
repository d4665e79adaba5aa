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
#include "../../Inputs/host_graphs.h"

constexpr int Rounds = 16;

/// Others, and the zeroes again, in turn.
static void fillInTurn(void *round) {
  awaitCalls(round);
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
  rounds(exec, round, Rounds, [&] {
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
  makeAll();
  ofLaunchBefore(round);
  rightAway(round);
  freeAll();
}
