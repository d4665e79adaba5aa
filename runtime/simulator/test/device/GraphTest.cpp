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
  static int Calls = 0;
  Calls = 0;
  OnDevice<int> A({1}), B({2});
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(cudaMemcpyAsync(B.get(), A.get(), 4, cudaMemcpyDeviceToDevice, Stream));
  expectOk(cudaMemsetAsync(A.get(), 9, 4, Stream));
  expectOk(cudaLaunchHostFunc(
      Stream, [](void *) { ++Calls; }, nullptr));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  EXPECT_EQ(B.read()[0], 2); // Nothing ran yet.
  instantiate();
  launch();
  EXPECT_EQ(B.read()[0], 1);
  EXPECT_EQ(A.read()[0], 0x09090909);
  launch();
  EXPECT_EQ(B.read()[0], 0x09090909);
  EXPECT_EQ(Calls, 2);
}

TEST_F(Graphs, ForkedCaptureKeepsItsEdges) {
  OnDevice<int> A({1}), B({2}), C({3});
  cudaStream_t Side = nullptr;
  cudaEvent_t Forked = nullptr, Joined = nullptr;
  expectOk(cudaStreamCreate(&Side));
  expectOk(cudaEventCreate(&Forked));
  expectOk(cudaEventCreate(&Joined));
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(cudaMemsetAsync(A.get(), 0, 4, Stream));
  expectOk(cudaEventRecord(Forked, Stream));
  expectOk(cudaStreamWaitEvent(Side, Forked, 0));
  expectOk(cudaMemcpyAsync(B.get(), A.get(), 4, cudaMemcpyDeviceToDevice, Side));
  expectOk(cudaEventRecord(Joined, Side));
  expectOk(cudaStreamWaitEvent(Stream, Joined, 0));
  expectOk(cudaMemcpyAsync(C.get(), B.get(), 4, cudaMemcpyDeviceToDevice, Stream));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  size_t Edges = 0;
  expectOk(cudaGraphGetEdges(Graph, nullptr, nullptr, nullptr, &Edges));
  EXPECT_EQ(Edges, 3u); // Set to copy, copy to copy, and set to the last copy.
  instantiate();
  launch();
  EXPECT_EQ(C.read()[0], 0);
  expectOk(cudaEventDestroy(Forked));
  expectOk(cudaEventDestroy(Joined));
  expectOk(cudaStreamDestroy(Side));
}

TEST_F(Graphs, ForkedStreamMayDieOnceItIsJoined) {
  OnDevice<int> A({1});
  for (bool Join : {true, false}) {
    cudaStream_t Side = nullptr;
    cudaEvent_t Event = nullptr;
    expectOk(cudaStreamCreate(&Side));
    expectOk(cudaEventCreate(&Event));
    expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
    expectOk(cudaEventRecord(Event, Stream));
    expectOk(cudaStreamWaitEvent(Side, Event, 0));
    expectOk(cudaMemsetAsync(A.get(), 0, 4, Side));
    expectOk(cudaEventRecord(Event, Side));
    if (Join)
      expectOk(cudaStreamWaitEvent(Stream, Event, 0));
    expectOk(cudaStreamDestroy(Side));
    cudaGraph_t Ended = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(Stream, &Ended),
              Join ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
    if (Ended)
      expectOk(cudaGraphDestroy(Ended));
    expectOk(cudaEventDestroy(Event));
  }
}

TEST_F(Graphs, CaptureIntoAGraphOfTheProgram) {
  OnDevice<char> A(std::vector<char>(4, 1));
  cudaGraphNode_t First = nullptr;
  cudaGraph_t Other = nullptr, Ended = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphCreate(&Other, 0));
  expectOk(cudaGraphAddEmptyNode(&First, Graph, nullptr, 0));
  auto Mode = cudaStreamCaptureModeGlobal;
  EXPECT_EQ(cudaStreamBeginCaptureToGraph(Stream, Other, &First, nullptr, 1, Mode),
            cudaErrorInvalidValue);
  expectOk(cudaStreamBeginCaptureToGraph(Stream, Graph, &First, nullptr, 1, Mode));
  expectOk(cudaMemsetAsync(A.get(), 4, 4, Stream));
  expectOk(cudaStreamEndCapture(Stream, &Ended));
  EXPECT_EQ(Ended, Graph);
  size_t Roots = 0;
  expectOk(cudaGraphGetRootNodes(Graph, nullptr, &Roots));
  EXPECT_EQ(Roots, 1u);
  instantiate();
  launch();
  EXPECT_EQ(A.read()[0], 4);
  // The graph dies under the capture.
  expectOk(cudaStreamBeginCaptureToGraph(Stream, Other, nullptr, nullptr, 0, Mode));
  expectOk(cudaGraphDestroy(Other));
  EXPECT_EQ(cudaMemsetAsync(A.get(), 4, 4, Stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamEndCapture(Stream, &Ended), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Graphs, EdgesDecideNotTheOrderOfAdding) {
  OnDevice<char> A(std::vector<char>(4, 1));
  cudaGraphNode_t Last = nullptr, First = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  cudaMemsetParams Set = {A.get(), 0, 7, 1, 4, 1};
  expectOk(cudaGraphAddMemsetNode(&Last, Graph, nullptr, 0, &Set));
  Set.value = 5;
  expectOk(cudaGraphAddMemsetNode(&First, Graph, nullptr, 0, &Set));
  expectOk(cudaGraphAddDependencies(Graph, &First, &Last, nullptr, 1));
  instantiate();
  launch();
  EXPECT_EQ(A.read()[0], 7);
}

TEST_F(Graphs, NodesCanBeChangedAndSwitchedOff) {
  OnDevice<char> A(std::vector<char>(4, 1));
  cudaGraphNode_t Node = nullptr;
  expectOk(cudaGraphCreate(&Graph, 0));
  cudaMemsetParams Set = {A.get(), 0, 7, 1, 4, 1};
  expectOk(cudaGraphAddMemsetNode(&Node, Graph, nullptr, 0, &Set));
  instantiate();
  Set.value = 8;
  expectOk(cudaGraphMemsetNodeSetParams(Node, &Set)); // Only the graph, not the executable.
  launch();
  EXPECT_EQ(A.read()[0], 7);
  cudaGraphExecUpdateResultInfo Info = {};
  expectOk(cudaGraphExecUpdate(Exec, Graph, &Info));
  launch();
  EXPECT_EQ(A.read()[0], 8);
  Set.value = 9;
  expectOk(cudaGraphExecMemsetNodeSetParams(Exec, Node, &Set));
  expectOk(cudaGraphNodeSetEnabled(Exec, Node, 0));
  launch();
  EXPECT_EQ(A.read()[0], 8);
  expectOk(cudaGraphNodeSetEnabled(Exec, Node, 1));
  launch();
  EXPECT_EQ(A.read()[0], 9);
}

TEST_F(Graphs, ChildGraphsAreCopies) {
  OnDevice<char> A(std::vector<char>(4, 1));
  cudaGraph_t Child = nullptr;
  cudaGraphNode_t Node = nullptr;
  expectOk(cudaGraphCreate(&Child, 0));
  cudaMemsetParams Set = {A.get(), 0, 3, 1, 4, 1};
  expectOk(cudaGraphAddMemsetNode(&Node, Child, nullptr, 0, &Set));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphAddChildGraphNode(&Node, Graph, nullptr, 0, Child));
  expectOk(cudaGraphDestroy(Child));
  cudaGraph_t Inside = nullptr;
  expectOk(cudaGraphChildGraphNodeGetGraph(Node, &Inside));
  size_t Count = 0;
  expectOk(cudaGraphGetNodes(Inside, nullptr, &Count));
  EXPECT_EQ(Count, 1u);
  instantiate();
  launch();
  EXPECT_EQ(A.read()[0], 3);
}

TEST_F(Graphs, OwnMemoryLivesFromLaunchToFree) {
  void *P = nullptr;
  int Host = 0;
  expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  expectOk(cudaMallocAsync(&P, 4096, Stream));
  expectOk(cudaMemsetAsync(P, 6, 4096, Stream));
  expectOk(cudaStreamEndCapture(Stream, &Graph));
  CUdeviceptr Base = 0;
  EXPECT_EQ(cuMemGetAddressRange(&Base, nullptr, reinterpret_cast<CUdeviceptr>(P)),
            CUDA_ERROR_NOT_FOUND);
  instantiate();
  launch();
  expectOk(cudaMemcpy(&Host, P, 4, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Host, 0x06060606);
  expectOk(cudaFree(P));
  EXPECT_EQ(cudaFree(P), cudaErrorInvalidValue);
}

TEST_F(Graphs, EventNodesRecordAndWait) {
  cudaEvent_t Event = nullptr;
  cudaGraphNode_t Node = nullptr;
  expectOk(cudaEventCreate(&Event));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphAddEventRecordNode(&Node, Graph, nullptr, 0, Event));
  instantiate();
  Gate G;
  expectOk(cudaLaunchHostFunc(Stream, Gate::wait, &G));
  expectOk(cudaGraphLaunch(Exec, Stream));
  EXPECT_EQ(cudaEventQuery(Event), cudaErrorNotReady);
  G.Open = true;
  expectOk(cudaEventSynchronize(Event));
  EXPECT_TRUE(G.Passed);
  expectOk(cudaEventDestroy(Event));
}

TEST_F(Graphs, UserObjectsDieWithTheirLastGraph) {
  static int Destroyed = 0;
  Destroyed = 0;
  cudaUserObject_t Object = nullptr;
  cudaGraph_t Clone = nullptr;
  expectOk(cudaUserObjectCreate(
      &Object, nullptr, [](void *) { ++Destroyed; }, 1, cudaUserObjectNoDestructorSync));
  expectOk(cudaGraphCreate(&Graph, 0));
  expectOk(cudaGraphRetainUserObject(Graph, Object, 1, cudaGraphUserObjectMove));
  expectOk(cudaGraphClone(&Clone, Graph));
  expectOk(cudaGraphDestroy(Graph));
  Graph = nullptr;
  EXPECT_EQ(Destroyed, 0);
  expectOk(cudaGraphDestroy(Clone));
  EXPECT_EQ(Destroyed, 1);
}

TEST_F(Graphs, QueryInAnotherThreadBreaksAGlobalCapture) {
  cudaEvent_t Event = nullptr;
  expectOk(cudaEventCreate(&Event));
  expectOk(cudaEventRecord(Event, Stream));
  for (bool Relaxed : {true, false}) {
    expectOk(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
    std::thread([&] {
      cudaStreamCaptureMode Mode = cudaStreamCaptureModeRelaxed;
      if (Relaxed)
        expectOk(cudaThreadExchangeStreamCaptureMode(&Mode));
      EXPECT_EQ(cudaEventQuery(Event), Relaxed ? cudaSuccess : cudaErrorStreamCaptureUnsupported);
    }).join();
    cudaGraph_t Ended = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(Stream, &Ended),
              Relaxed ? cudaSuccess : cudaErrorStreamCaptureInvalidated);
    if (Ended)
      expectOk(cudaGraphDestroy(Ended));
  }
  expectOk(cudaEventDestroy(Event));
}
