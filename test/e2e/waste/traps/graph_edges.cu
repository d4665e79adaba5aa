// Edges of graphs that are changed: what was added, or captured, behind a copy comes before it then,
// or beside it. What the calls see in host memory is not what arrives.
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

/// Once the call that looked is back.
static void fillLate(void *round) {
  awaitCalls(round);
  memcpy(h, noise(N, ++frame).data(), Bytes);
}

static cudaGraphNode_t addFill(cudaGraph_t graph, const cudaGraphNode_t *behind, int &round) {
  cudaGraphNode_t function;
  cudaHostNodeParams host = {};
  host.fn = fillLate;
  host.userData = &round;
  CHECK(cudaGraphAddHostNode(&function, graph, behind, behind ? 1 : 0, &host));
  return function;
}
static cudaGraphNode_t addCopy(cudaGraph_t graph) {
  cudaGraphNode_t copy;
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, d_x, h, Bytes, cudaMemcpyHostToDevice));
  return copy;
}
static void connect(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to) {
  CHECK(cudaGraphAddDependencies(graph, &from, &to, nullptr, 1));
}
static void launch(cudaGraph_t graph, int &round) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  rounds(exec, round, Rounds, use);
}

/// The copy is added first, and nothing says that it comes first.
static void addedLater(int &round) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy = addCopy(graph), function = addFill(graph, nullptr, round);
  connect(graph, function, copy);
  launch(graph, round);
}

static void turnedRound(int &round) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy = addCopy(graph), function = addFill(graph, &copy, round);
  CHECK(cudaGraphRemoveDependencies(graph, &copy, &function, nullptr, 1));
  connect(graph, function, copy);
  launch(graph, round);
}

/// The host function goes into the copy of its own that the outer graph holds.
static void addedWithin(int &round) {
  cudaGraph_t inner, outer, held;
  cudaGraphNode_t child, copy;
  CHECK(cudaGraphCreate(&inner, 0));
  addCopy(inner);
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  CHECK(cudaGraphDestroy(inner));
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &held));
  size_t one = 1;
  CHECK(cudaGraphGetNodes(held, &copy, &one));
  connect(held, addFill(held, nullptr, round), copy);
  launch(outer, round);
}

static cudaGraphNode_t lastCaptured(cudaGraph_t &graph) {
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *last;
  size_t number;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &number));
  return *last;
}
static void detach() {
  CHECK(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
}

/// Of a capture: the host function no longer comes behind the copy, but before it.
static void functionDetached(int &round) {
  cudaGraph_t graph;
  begin();
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  cudaGraphNode_t copy = lastCaptured(graph);
  detach();
  CHECK(cudaLaunchHostFunc(stream, fillLate, &round));
  cudaGraphNode_t function = lastCaptured(graph);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &copy, nullptr, 1, cudaStreamAddCaptureDependencies));
  CHECK(cudaStreamEndCapture(stream, &graph));
  connect(graph, function, copy);
  launch(graph, round);
}

/// The kernel that was captured before the copy reads it.
static void copyDetached() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  begin();
  use();
  cudaGraphNode_t kernel = lastCaptured(graph);
  detach();
  CHECK(cudaMemcpyAsync(d_x, h, Bytes, cudaMemcpyHostToDevice, stream));
  cudaGraphNode_t copy = lastCaptured(graph);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &kernel, nullptr, 1, cudaStreamAddCaptureDependencies));
  CHECK(cudaStreamEndCapture(stream, &graph));
  connect(graph, copy, kernel);
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < Rounds; ++i) {
    memcpy(h, noise(N, ++frame).data(), Bytes);
    CHECK(cudaGraphLaunch(exec, stream));
    show();
  }
  CHECK(cudaGraphExecDestroy(exec));
}

int main() {
  int round = 0;
  makeAll();
  addedLater(round);
  turnedRound(round);
  addedWithin(round);
  functionDetached(round);
  copyDetached();
  freeAll();
}
