// Host functions of graphs write what the graph, or a copy behind it, sends: what the calls see in
// host memory is not what arrives.
// SPDX-License-Identifier: Apache-2.0
// BUILD: clang-O2 nvcc
// FLAGS: -pthread
// OPTIONS: audit=full
// EXPECT-NO: * proven
// EXPECT-NO: * likely
// EXPECT-NO: noop-copy
// EXPECT-NO: reupload
// EXPECT-NO: roundtrip
// EXPECT-NO: uniform-upload
// EXPECT-NO: dead-copy
#include "../../Inputs/host_graphs.h"

constexpr int Rounds = 6;

static cudaStream_t side;
static cudaEvent_t event;

/// Once the call that looked is back.
static void fillLate(void *round) {
  awaitCalls(round);
  memcpy(h, noise(N, ++frame).data(), Bytes);
}
static void nothing(void *) {}

static void copyBehindFunction(int &round) {
  begin();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  use();
  rounds(ended(), round, Rounds, [] {});
}

static void copyBehindOtherStream(int &round) {
  begin();
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(side, event, 0));
  CHECK(cudaLaunchHostFunc(side, fillLate, &round));
  CHECK(cudaEventRecord(event, side));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  CHECK(cudaLaunchHostFunc(stream, nothing, nullptr));
  use();
  rounds(ended(), round, Rounds, [] {});
}

static void byHand(int &round) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t function, copy, kernel;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaHostNodeParams host = {};
  host.fn = fillLate;
  host.userData = &round;
  CHECK(cudaGraphAddHostNode(&function, graph, nullptr, 0, &host));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &function, 1, d_x, h, Bytes, cudaMemcpyHostToDevice));
  void *arguments[] = {&d_x, &d_y};
  cudaKernelNodeParams node = {};
  node.func = (void *)sum;
  node.gridDim = dim3(N / 256);
  node.blockDim = dim3(256);
  node.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &copy, 1, &node));
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  rounds(exec, round, Rounds, [] {});
}

/// Within another one, before the copy.
static void inChild(int &round) {
  begin();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  cudaGraph_t inner, outer;
  cudaGraphExec_t exec;
  cudaGraphNode_t child, copy;
  CHECK(cudaStreamEndCapture(stream, &inner));
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, outer, &child, 1, d_x, h, Bytes, cudaMemcpyHostToDevice));
  CHECK(cudaGraphInstantiateWithFlags(&exec, outer, 0));
  CHECK(cudaGraphDestroy(outer));
  CHECK(cudaGraphDestroy(inner));
  rounds(exec, round, Rounds, [] { use(); });
}

/// The copy is none of the graph's.
static void copyBehindGraph(int &round) {
  begin();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  rounds(ended(), round, Rounds, [] {
    CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
    use();
  });
}

int main() {
  int round = 0;
  makeAll();
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaEventCreate(&event));
  copyBehindFunction(round);
  copyBehindOtherStream(round);
  byHand(round);
  inChild(round);
  copyBehindGraph(round);
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(side));
  freeAll();
}
