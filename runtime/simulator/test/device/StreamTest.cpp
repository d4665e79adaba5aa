// Order: within streams, between them, with host functions and the default streams.
// SPDX-License-Identifier: Apache-2.0
#include "support/SimulatorTest.h"

using namespace gpuinstr::sim::test;

namespace {

class Streams : public testing::Test {
protected:
  void SetUp() override {
    expectOk(cudaStreamCreate(&Blocking));
    expectOk(cudaStreamCreateWithFlags(&Free, cudaStreamNonBlocking));
  }
  void TearDown() override {
    G.Open = true;
    expectOk(cudaDeviceSynchronize());
    expectOk(cudaStreamDestroy(Blocking));
    expectOk(cudaStreamDestroy(Free));
  }
  Gate G;
  cudaStream_t Blocking = nullptr, Free = nullptr;
};

} // namespace

TEST_F(Streams, WorkWaitsBehindAHostFunction) {
  OnDevice<int> A({1});
  int *Pinned = nullptr;
  expectOk(cudaMallocHost(reinterpret_cast<void **>(&Pinned), sizeof(int)));
  *Pinned = 7;
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemcpyAsync(A.get(), Pinned, 4, cudaMemcpyHostToDevice, Free));
  EXPECT_EQ(cudaStreamQuery(Free), cudaErrorNotReady);
  EXPECT_EQ(*A.get(), 1);
  G.Open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(*A.get(), 7);
  expectOk(cudaStreamQuery(Free));
  expectOk(cudaFreeHost(Pinned));
}

TEST_F(Streams, PageableSourceIsReadWhenTheCallIsMade) {
  OnDevice<int> A({1});
  int Source = 5;
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemcpyAsync(A.get(), &Source, 4, cudaMemcpyHostToDevice, Free));
  Source = 6;
  G.Open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(A.read()[0], 5);
}

TEST_F(Streams, HostFunctionsRunInOrderOnAnotherThread) {
  static std::vector<int> Order;
  static std::thread::id Runner;
  Order.clear();
  for (long I = 0; I < 50; ++I)
    expectOk(cudaLaunchHostFunc(
        Free,
        [](void *I) {
          Order.push_back(static_cast<int>(reinterpret_cast<long>(I)));
          Runner = std::this_thread::get_id();
        },
        reinterpret_cast<void *>(I)));
  expectOk(cudaStreamSynchronize(Free));
  ASSERT_EQ(Order.size(), 50u);
  for (int I = 0; I < 50; ++I)
    EXPECT_EQ(Order[I], I);
  EXPECT_NE(Runner, std::this_thread::get_id());
}

TEST_F(Streams, CallbackGetsItsStream) {
  static cudaStream_t Seen = nullptr;
  static cudaError_t Status = cudaErrorUnknown;
  expectOk(cudaStreamAddCallback(
      Blocking,
      [](cudaStream_t S, cudaError_t E, void *) {
        Seen = S;
        Status = E;
      },
      nullptr, 0));
  expectOk(cudaStreamSynchronize(Blocking));
  EXPECT_EQ(Seen, Blocking);
  EXPECT_EQ(Status, cudaSuccess);
}

TEST_F(Streams, LegacyStreamWaitsForBlockingStreamsOnly) {
  OnDevice<int> A({1});
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemsetAsync(A.get(), 0, 4, nullptr)); // Not held up by the non-blocking stream.
  EXPECT_EQ(*A.get(), 0);
  Gate Other;
  expectOk(cudaLaunchHostFunc(Blocking, Gate::wait, &Other));
  expectOk(cudaMemsetAsync(A.get(), 1, 4, nullptr));
  EXPECT_EQ(*A.get(), 0);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  Other.Open = true;
  expectOk(cudaStreamSynchronize(nullptr));
  EXPECT_EQ(*A.get(), 0x01010101);
  EXPECT_FALSE(G.Passed);
  G.Open = true; // Freeing the memory waits for every stream.
}

TEST_F(Streams, BlockingStreamsWaitForTheLegacyStream) {
  OnDevice<int> A({1});
  expectOk(cudaLaunchHostFunc(nullptr, Gate::wait, &G));
  expectOk(cudaMemsetAsync(A.get(), 0, 4, Blocking));
  EXPECT_EQ(*A.get(), 1);
  EXPECT_EQ(cudaStreamQuery(Blocking), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(Free), cudaSuccess);
  G.Open = true;
  expectOk(cudaStreamSynchronize(Blocking));
  EXPECT_EQ(*A.get(), 0);
}

TEST_F(Streams, PerThreadStreamsDifferByThread) {
  expectOk(cudaLaunchHostFunc(cudaStreamPerThread, Gate::wait, &G));
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  std::thread([] { expectOk(cudaStreamQuery(cudaStreamPerThread)); }).join();
  G.Open = true;
  expectOk(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST_F(Streams, EventsOrderStreams) {
  OnDevice<int> A({1});
  cudaEvent_t Event = nullptr;
  expectOk(cudaEventCreate(&Event));
  expectOk(cudaLaunchHostFunc(Blocking, Gate::wait, &G));
  expectOk(cudaEventRecord(Event, Blocking));
  expectOk(cudaStreamWaitEvent(Free, Event, 0));
  expectOk(cudaMemsetAsync(A.get(), 0, 4, Free));
  EXPECT_EQ(cudaEventQuery(Event), cudaErrorNotReady);
  EXPECT_EQ(*A.get(), 1);
  G.Open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_TRUE(G.Passed);
  EXPECT_EQ(*A.get(), 0);
  expectOk(cudaEventQuery(Event));
  expectOk(cudaEventDestroy(Event));
}

TEST_F(Streams, WaitKeepsTheRecordItSaw) {
  cudaEvent_t Event = nullptr;
  expectOk(cudaEventCreate(&Event));
  expectOk(cudaEventRecord(Event, Free));
  expectOk(cudaStreamWaitEvent(Free, Event, 0)); // Already reached.
  expectOk(cudaLaunchHostFunc(Blocking, Gate::wait, &G));
  expectOk(cudaEventRecord(Event, Blocking)); // A later record does not hold up the earlier wait.
  expectOk(cudaStreamQuery(Free));
  G.Open = true;
  expectOk(cudaEventSynchronize(Event));
  expectOk(cudaEventDestroy(Event));
}

TEST_F(Streams, ElapsedTimeCoversTheWork) {
  cudaEvent_t Start = nullptr, End = nullptr;
  expectOk(cudaEventCreate(&Start));
  expectOk(cudaEventCreate(&End));
  expectOk(cudaEventRecord(Start, Free));
  expectOk(cudaLaunchHostFunc(
      Free, [](void *) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  expectOk(cudaEventRecord(End, Free));
  expectOk(cudaEventSynchronize(End));
  float Ms = 0;
  expectOk(cudaEventElapsedTime(&Ms, Start, End));
  EXPECT_GE(Ms, 20.0f);
  EXPECT_LT(Ms, 5000.0f);
  expectOk(cudaEventDestroy(Start));
  expectOk(cudaEventDestroy(End));
}

TEST_F(Streams, DestroyedStreamFinishesItsWork) {
  cudaStream_t Stream = nullptr;
  expectOk(cudaStreamCreate(&Stream));
  expectOk(cudaLaunchHostFunc(Stream, Gate::wait, &G));
  expectOk(cudaStreamDestroy(Stream));
  EXPECT_EQ(cudaStreamQuery(Stream), cudaErrorInvalidResourceHandle);
  EXPECT_FALSE(G.Passed);
  G.Open = true;
  expectOk(cudaDeviceSynchronize());
  EXPECT_TRUE(G.Passed);
}

TEST_F(Streams, FreeWaitsForPendingWork) {
  void *P = nullptr;
  expectOk(cudaMalloc(&P, 4096));
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemsetAsync(P, 1, 4096, Free));
  std::thread Opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    G.Open = true;
  });
  expectOk(cudaFree(P));
  EXPECT_TRUE(G.Passed);
  Opener.join();
}

TEST_F(Streams, StreamOrderedFreeGoesBackInOrder) {
  void *P = nullptr, *Q = nullptr;
  expectOk(cudaMallocAsync(&P, DeviceBytes - 4096, Free));
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaFreeAsync(P, Free));
  EXPECT_EQ(cudaFreeAsync(P, Free), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocAsync(&Q, DeviceBytes - 4096, Blocking), cudaErrorMemoryAllocation);
  G.Open = true;
  expectOk(cudaStreamSynchronize(Free));
  expectOk(cudaMallocAsync(&Q, DeviceBytes - 4096, Blocking));
  expectOk(cudaFreeAsync(Q, Blocking));
}

TEST_F(Streams, ManyThreadsOneStream) {
  static std::atomic<int> Ran{0};
  Ran = 0;
  OnDevice<int> A({0});
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([&] {
      for (int I = 0; I < 200; ++I) {
        expectOk(cudaMemsetAsync(A.get(), I, 4, Free));
        if (I % 10 == 0)
          expectOk(cudaLaunchHostFunc(
              Free, [](void *) { ++Ran; }, nullptr));
      }
    });
  for (auto &T : Threads)
    T.join();
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(Ran, 80);
}

TEST_F(Streams, WaitValueHoldsTheStream) {
  OnDevice<unsigned> Flag({0}), A({1});
  auto Address = reinterpret_cast<CUdeviceptr>(Flag.get());
  EXPECT_EQ(cuStreamWaitValue32(Free, Address, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
  expectOk(cudaMemsetAsync(A.get(), 0, 4, Free));
  EXPECT_EQ(cudaStreamQuery(Free), cudaErrorNotReady);
  EXPECT_EQ(cuStreamWriteValue32(Blocking, Address, 3, 0), CUDA_SUCCESS);
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(A.read()[0], 0u);
}

TEST_F(Streams, MemoryOfALaunchedGraphMayBeFreedBeforeTheGraphRuns) {
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  void *P = nullptr;
  expectOk(cudaStreamBeginCapture(Free, cudaStreamCaptureModeGlobal));
  expectOk(cudaMallocAsync(&P, 4096, Free));
  expectOk(cudaStreamEndCapture(Free, &Graph));
  expectOk(cudaGraphInstantiate(&Exec, Graph, 0));
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaGraphLaunch(Exec, Free));
  expectOk(cudaFreeAsync(P, Free));
  EXPECT_EQ(cudaFreeAsync(P, Free), cudaErrorInvalidValue);
  G.Open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(cudaFreeAsync(P, Free), cudaErrorInvalidValue);
  expectOk(cudaGraphExecDestroy(Exec));
  expectOk(cudaGraphDestroy(Graph));
}
