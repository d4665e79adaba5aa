// That graphs do what they captured, in order, as often as they are launched.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"

using namespace gpuinstr::sim::test;

namespace {

class Graphs : public testing::Test {
protected:
  void SetUp() override { expectOk(cudaStreamCreate(&Stream)); }
  void TearDown() override {
    if (Exec)
      expectOk(cudaGraphExecDestroy(Exec));
    if (Graph)
      expectOk(cudaGraphDestroy(Graph));
    expectOk(cudaStreamDestroy(Stream));
  }
  void instantiate() { expectOk(cudaGraphInstantiate(&Exec, Graph, 0)); }
  void launch() {
    expectOk(cudaGraphLaunch(Exec, Stream));
    expectOk(cudaStreamSynchronize(Stream));
  }
  cudaStream_t Stream = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
};

} // namespace

TEST_F(Graphs, CaptureRecordsAndReplays) {
  static int calls = 0;
  calls = 0;
  OnDevice<int> a({1}), b({2});
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(cudaMemcpyAsync(b.get(), a.get(), 4, cudaMemcpyDeviceToDevice, Stream));
  expectOk(cudaMemsetAsync(a.get(), 9, 4, Stream));
  expectOk(cudaLaunchHostFunc(
      Stream, [](void *) { ++calls; }, nullptr));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  EXPECT_EQ(b.read()[0], 2); // Nothing ran yet.
  instantiate();
  launch();
  EXPECT_EQ(b.read()[0], 1);
  EXPECT_EQ(a.read()[0], 0x09090909);
  launch();
  EXPECT_EQ(b.read()[0], 0x09090909);
  EXPECT_EQ(calls, 2);
}

TEST_F(Graphs, ForkedCaptureKeepsItsEdges) {
  OnDevice<int> a({1}), b({2}), c({3});
  cudaStream_t side = nullptr;
  cudaEvent_t forked = nullptr, joined = nullptr;
  expectOk(cudaStreamCreate(&side));
  expectOk(cudaEventCreate(&forked));
  expectOk(cudaEventCreate(&joined));
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(cudaMemsetAsync(a.get(), 0, 4, Stream));
  expectOk(cudaEventRecord(forked, Stream));
  expectOk(cudaStreamWaitEvent(side, forked, 0));
  expectOk(cudaMemcpyAsync(b.get(), a.get(), 4, cudaMemcpyDeviceToDevice, side));
  expectOk(cudaEventRecord(joined, side));
  expectOk(cudaStreamWaitEvent(Stream, joined, 0));
  expectOk(cudaMemcpyAsync(c.get(), b.get(), 4, cudaMemcpyDeviceToDevice, Stream));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  size_t edges = 0;
  expectOk(cudaGraphGetEdges(Graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQ(edges, 3u); // Set to copy, copy to copy, and set to the last copy.
  instantiate();
  launch();
  EXPECT_EQ(c.read()[0], 0);
  expectOk(cudaEventDestroy(forked));
  expectOk(cudaEventDestroy(joined));
  expectOk(cudaStreamDestroy(side));
}

TEST_F(Graphs, ForkedStreamMayDieOnceItIsJoined) {
  OnDevice<int> a({1});
  for (bool join : {true, false}) {
    cudaStream_t side = nullptr;
    cudaEvent_t event = nullptr;
    expectOk(cudaStreamCreate(&side));
    expectOk(cudaEventCreate(&event));
    expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
    expectOk(cudaEventRecord(event, Stream));
    expectOk(cudaStreamWaitEvent(side, event, 0));
    expectOk(cudaMemsetAsync(a.get(), 0, 4, side));
    expectOk(cudaEventRecord(event, side));
    if (join)
      expectOk(cudaStreamWaitEvent(Stream, event, 0));
    expectOk(cudaStreamDestroy(side));
    cudaGraph_t ended = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(Stream, &ended),
              join ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    if (ended)
      expectOk(cudaGraphDestroy(ended));
    expectOk(cudaEventDestroy(event));
  }
}

TEST_F(Graphs, CaptureIntoAGraphOfTheProgram) {
  OnDevice<char> a(std::vector<char>(4, 1));
  cudaGraphNode_t first = nullptr;
  cudaGraph_t other = nullptr, ended = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphCreate(&other, 0));
  expectOk(cudaGraphAddEmptyNode(&first, Graph, nullptr, 0));
  auto mode = cudaStreamCaptureModeGlobal;
  EXPECT_EQ(cudaStreamBeginCaptureToGraph(Stream, other, &first, nullptr, 1, mode),
            cudaErrorInvalidValue);
  expectOk(cudaStreamBeginCaptureToGraph(Stream, Graph, &first, nullptr, 1, mode));
  expectOk(cudaMemsetAsync(a.get(), 4, 4, Stream));
  expectOk(cudaStreamEndCapture(Stream, &ended));
  EXPECT_EQ(ended, Graph);
  size_t roots = 0;
  expectOk(cudaGraphGetRootNodes(Graph, nullptr, &roots));
  EXPECT_EQ(roots, 1u);
  instantiate();
  launch();
  EXPECT_EQ(a.read()[0], 4);
  // The graph dies under the capture.
  expectOk(cudaStreamBeginCaptureToGraph(Stream, other, nullptr, nullptr, 0, mode));
  expectOk(cudaGraphDestroy(other));
  EXPECT_EQ(cudaMemsetAsync(a.get(), 4, 4, Stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(Stream, &ended), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Graphs, EdgesDecideNotTheOrderOfAdding) {
  OnDevice<char> a(std::vector<char>(4, 1));
  cudaGraphNode_t last = nullptr, first = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  cudaMemsetParams set = {a.get(), 0, 7, 1, 4, 1};
  expectOk(cudaGraphAddMemsetNode(&last, Graph, nullptr, 0, &set));
  set.value = 5;
  expectOk(cudaGraphAddMemsetNode(&first, Graph, nullptr, 0, &set));
  expectOk(cudaGraphAddDependencies(Graph, &first, &last, nullptr, 1));
  instantiate();
  launch();
  EXPECT_EQ(a.read()[0], 7);
}

TEST_F(Graphs, NodesCanBeChangedAndSwitchedOff) {
  OnDevice<char> a(std::vector<char>(4, 1));
  cudaGraphNode_t node = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  cudaMemsetParams set = {a.get(), 0, 7, 1, 4, 1};
  expectOk(cudaGraphAddMemsetNode(&node, Graph, nullptr, 0, &set));
  instantiate();
  set.value = 8;
  expectOk(cudaGraphMemsetNodeSetParams(node, &set)); // Only the graph, not the executable.
  launch();
  EXPECT_EQ(a.read()[0], 7);
  cudaGraphExecUpdateResultInfo info = {};
  expectOk(cudaGraphExecUpdate(Exec, Graph, &info));
  launch();
  EXPECT_EQ(a.read()[0], 8);
  set.value = 9;
  expectOk(cudaGraphExecMemsetNodeSetParams(Exec, node, &set));
  expectOk(cudaGraphNodeSetEnabled(Exec, node, 0));
  launch();
  EXPECT_EQ(a.read()[0], 8);
  expectOk(cudaGraphNodeSetEnabled(Exec, node, 1));
  launch();
  EXPECT_EQ(a.read()[0], 9);
}

TEST_F(Graphs, ChildGraphsAreCopies) {
  OnDevice<char> a(std::vector<char>(4, 1));
  cudaGraph_t child = nullptr;
  cudaGraphNode_t node = nullptr;
  expectOk(cudaGraphCreate(&child, 0));
  cudaMemsetParams set = {a.get(), 0, 3, 1, 4, 1};
  expectOk(cudaGraphAddMemsetNode(&node, child, nullptr, 0, &set));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphAddChildGraphNode(&node, Graph, nullptr, 0, child));
  expectOk(cudaGraphDestroy(child));
  cudaGraph_t inside = nullptr;
  expectOk(cudaGraphChildGraphNodeGetGraph(node, &inside));
  size_t count = 0;
  expectOk(cudaGraphGetNodes(inside, nullptr, &count));
  EXPECT_EQ(count, 1u);
  instantiate();
  launch();
  EXPECT_EQ(a.read()[0], 3);
}

TEST_F(Graphs, OwnMemoryLivesFromLaunchToFree) {
  void *p = nullptr;
  int host = 0;
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(cudaMallocAsync(&p, 4096, Stream));
  expectOk(cudaMemsetAsync(p, 6, 4096, Stream));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  CUdeviceptr base = 0;
  EXPECT_EQ(cuMemGetAddressRange(&base, nullptr, reinterpret_cast<CUdeviceptr>(p)),
            CUDA_ERROR_NOT_FOUND);
  instantiate();
  launch();
  expectOk(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(host, 0x06060606);
  expectOk(cudaFree(p));
  EXPECT_EQ(cudaFree(p), cudaErrorInvalidValue);
}

TEST_F(Graphs, EventNodesRecordAndWait) {
  cudaEvent_t event = nullptr;
  cudaGraphNode_t node = nullptr;
  expectOk(cudaEventCreate(&event));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphAddEventRecordNode(&node, Graph, nullptr, 0, event));
  instantiate();
  Gate g;
  expectOk(cudaLaunchHostFunc(Stream, Gate::wait, &g));
  expectOk(cudaGraphLaunch(Exec, Stream));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  g.open = true;
  expectOk(cudaEventSynchronize(event));
  EXPECT_TRUE(g.passed);
  expectOk(cudaEventDestroy(event));
}

TEST_F(Graphs, UserObjectsDieWithTheirLastGraph) {
  static int destroyed = 0;
  destroyed = 0;
  cudaUserObject_t object = nullptr;
  cudaGraph_t clone = nullptr;
  expectOk(cudaUserObjectCreate(
      &object, nullptr, [](void *) { ++destroyed; }, 1, cudaUserObjectNoDestructorSync));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphRetainUserObject(Graph, object, 1, cudaGraphUserObjectMove));
  expectOk(cudaGraphClone(&clone, Graph));
  expectOk(cudaGraphDestroy(Graph));
  Graph = nullptr;
  EXPECT_EQ(destroyed, 0);
  expectOk(cudaGraphDestroy(clone));
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Graphs, QueryInAnotherThreadBreaksAGlobalCapture) {
  cudaEvent_t event = nullptr;
  expectOk(cudaEventCreate(&event));
  expectOk(cudaEventRecord(event, Stream));
  for (bool relaxed : {true, false}) {
    expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
    std::thread([&] {
      cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
      if (relaxed)
        expectOk(cudaThreadExchangeStreamCaptureMode(&mode));
      EXPECT_EQ(cudaEventQuery(event), relaxed ? cudaSuccess : cudaErrorStreamCaptureUnsupported);
    }).join();
    cudaGraph_t ended = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(Stream, &ended),
              relaxed ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
    if (ended)
      expectOk(cudaGraphDestroy(ended));
  }
  expectOk(cudaEventDestroy(event));
}
