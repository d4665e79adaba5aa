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
    G.open = true;
    expectOk(cudaDeviceSynchronize());
    expectOk(cudaStreamDestroy(Blocking));
    expectOk(cudaStreamDestroy(Free));
  }
  Gate G;
  cudaStream_t Blocking = nullptr, Free = nullptr;
};

} // namespace

TEST_F(Streams, WorkWaitsBehindAHostFunction) {
  OnDevice<int> a({1});
  int *pinned = nullptr;
  expectOk(cudaMallocHost(reinterpret_cast<void **>(&pinned), sizeof(int)));
  *pinned = 7;
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemcpyAsync(a.get(), pinned, 4, cudaMemcpyHostToDevice, Free));
  EXPECT_EQ(cudaStreamQuery(Free), cudaErrorNotReady);
  EXPECT_EQ(*a.get(), 1);
  G.open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(*a.get(), 7);
  expectOk(cudaStreamQuery(Free));
  expectOk(cudaFreeHost(pinned));
}

TEST_F(Streams, PageableSourceIsReadWhenTheCallIsMade) {
  OnDevice<int> a({1});
  int source = 5;
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemcpyAsync(a.get(), &source, 4, cudaMemcpyHostToDevice, Free));
  source = 6;
  G.open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(a.read()[0], 5);
}

TEST_F(Streams, HostFunctionsRunInOrderOnAnotherThread) {
  static std::vector<int> order;
  static std::thread::id runner;
  order.clear();
  for (long i = 0; i < 50; ++i)
    expectOk(cudaLaunchHostFunc(
        Free,
        [](void *i) {
          order.push_back(static_cast<int>(reinterpret_cast<long>(i)));
          runner = std::this_thread::get_id();
        },
        reinterpret_cast<void *>(i)));
  expectOk(cudaStreamSynchronize(Free));
  ASSERT_EQ(order.size(), 50u);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(order[i], i);
  EXPECT_NE(runner, std::this_thread::get_id());
}

TEST_F(Streams, CallbackGetsItsStream) {
  static cudaStream_t seen = nullptr;
  static cudaError_t status = cudaErrorUnknown;
  expectOk(cudaStreamAddCallback(
      Blocking,
      [](cudaStream_t s, cudaError_t e, void *) {
        seen = s;
        status = e;
      },
      nullptr, 0));
  expectOk(cudaStreamSynchronize(Blocking));
  EXPECT_EQ(seen, Blocking);
  EXPECT_EQ(status, cudaSuccess);
}

TEST_F(Streams, LegacyStreamWaitsForBlockingStreamsOnly) {
  OnDevice<int> a({1});
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemsetAsync(a.get(), 0, 4, nullptr)); // Not held up by the non-blocking stream.
  EXPECT_EQ(*a.get(), 0);
  Gate other;
  expectOk(cudaLaunchHostFunc(Blocking, Gate::wait, &other));
  expectOk(cudaMemsetAsync(a.get(), 1, 4, nullptr));
  EXPECT_EQ(*a.get(), 0);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  other.open = true;
  expectOk(cudaStreamSynchronize(nullptr));
  EXPECT_EQ(*a.get(), 0x01010101);
  EXPECT_FALSE(G.passed);
  G.open = true; // Freeing the memory waits for every stream.
}

TEST_F(Streams, BlockingStreamsWaitForTheLegacyStream) {
  OnDevice<int> a({1});
  expectOk(cudaLaunchHostFunc(nullptr, Gate::wait, &G));
  expectOk(cudaMemsetAsync(a.get(), 0, 4, Blocking));
  EXPECT_EQ(*a.get(), 1);
  EXPECT_EQ(cudaStreamQuery(Blocking), cudaErrorNotReady);
  EXPECT_EQ(cudaStreamQuery(Free), cudaSuccess);
  G.open = true;
  expectOk(cudaStreamSynchronize(Blocking));
  EXPECT_EQ(*a.get(), 0);
}

TEST_F(Streams, PerThreadStreamsDifferByThread) {
  expectOk(cudaLaunchHostFunc(cudaStreamPerThread, Gate::wait, &G));
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  std::thread([] { expectOk(cudaStreamQuery(cudaStreamPerThread)); }).join();
  G.open = true;
  expectOk(cudaStreamSynchronize(cudaStreamPerThread));
}

TEST_F(Streams, EventsOrderStreams) {
  OnDevice<int> a({1});
  cudaEvent_t event = nullptr;
  expectOk(cudaEventCreate(&event));
  expectOk(cudaLaunchHostFunc(Blocking, Gate::wait, &G));
  expectOk(cudaEventRecord(event, Blocking));
  expectOk(cudaStreamWaitEvent(Free, event, 0));
  expectOk(cudaMemsetAsync(a.get(), 0, 4, Free));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(*a.get(), 1);
  G.open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_TRUE(G.passed);
  EXPECT_EQ(*a.get(), 0);
  expectOk(cudaEventQuery(event));
  expectOk(cudaEventDestroy(event));
}

TEST_F(Streams, WaitKeepsTheRecordItSaw) {
  cudaEvent_t event = nullptr;
  expectOk(cudaEventCreate(&event));
  expectOk(cudaEventRecord(event, Free));
  expectOk(cudaStreamWaitEvent(Free, event, 0)); // Already reached.
  expectOk(cudaLaunchHostFunc(Blocking, Gate::wait, &G));
  expectOk(cudaEventRecord(event, Blocking)); // A later record does not hold up the earlier wait.
  expectOk(cudaStreamQuery(Free));
  G.open = true;
  expectOk(cudaEventSynchronize(event));
  expectOk(cudaEventDestroy(event));
}

TEST_F(Streams, ElapsedTimeCoversTheWork) {
  cudaEvent_t start = nullptr, end = nullptr;
  expectOk(cudaEventCreate(&start));
  expectOk(cudaEventCreate(&end));
  expectOk(cudaEventRecord(start, Free));
  expectOk(cudaLaunchHostFunc(
      Free, [](void *) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
  expectOk(cudaEventRecord(end, Free));
  expectOk(cudaEventSynchronize(end));
  float ms = 0;
  expectOk(cudaEventElapsedTime(&ms, start, end));
  EXPECT_GE(ms, 20.0f);
  EXPECT_LT(ms, 5000.0f);
  expectOk(cudaEventDestroy(start));
  expectOk(cudaEventDestroy(end));
}

TEST_F(Streams, DestroyedStreamFinishesItsWork) {
  cudaStream_t stream = nullptr;
  expectOk(cudaStreamCreate(&stream));
  expectOk(cudaLaunchHostFunc(stream, Gate::wait, &G));
  expectOk(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
  EXPECT_FALSE(G.passed);
  G.open = true;
  expectOk(cudaDeviceSynchronize());
  EXPECT_TRUE(G.passed);
}

TEST_F(Streams, FreeWaitsForPendingWork) {
  void *p = nullptr;
  expectOk(cudaMalloc(&p, 4096));
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaMemsetAsync(p, 1, 4096, Free));
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    G.open = true;
  });
  expectOk(cudaFree(p));
  EXPECT_TRUE(G.passed);
  opener.join();
}

TEST_F(Streams, StreamOrderedFreeGoesBackInOrder) {
  void *p = nullptr, *q = nullptr;
  expectOk(cudaMallocAsync(&p, DeviceBytes - 4096, Free));
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaFreeAsync(p, Free));
  EXPECT_EQ(cudaFreeAsync(p, Free), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMallocAsync(&q, DeviceBytes - 4096, Blocking), cudaErrorMemoryAllocation);
  G.open = true;
  expectOk(cudaStreamSynchronize(Free));
  expectOk(cudaMallocAsync(&q, DeviceBytes - 4096, Blocking));
  expectOk(cudaFreeAsync(q, Blocking));
}

TEST_F(Streams, ManyThreadsOneStream) {
  static std::atomic<int> ran{0};
  ran = 0;
  OnDevice<int> a({0});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        expectOk(cudaMemsetAsync(a.get(), i, 4, Free));
        if (i % 10 == 0)
          expectOk(cudaLaunchHostFunc(
              Free, [](void *) { ++ran; }, nullptr));
      }
    });
  for (auto &t : threads)
    t.join();
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(ran, 80);
}

TEST_F(Streams, WaitValueHoldsTheStream) {
  OnDevice<unsigned> flag({0}), a({1});
  auto address = reinterpret_cast<CUdeviceptr>(flag.get());
  EXPECT_EQ(cuStreamWaitValue32(Free, address, 1, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
  expectOk(cudaMemsetAsync(a.get(), 0, 4, Free));
  EXPECT_EQ(cudaStreamQuery(Free), cudaErrorNotReady);
  EXPECT_EQ(cuStreamWriteValue32(Blocking, address, 3, 0), CUDA_SUCCESS);
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(a.read()[0], 0u);
}

TEST_F(Streams, MemoryOfALaunchedGraphMayBeFreedBeforeTheGraphRuns) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  void *p = nullptr;
  expectOk(cudaStreamBeginCapture(Free, cudaStreamCaptureModeGlobal));
  expectOk(cudaMallocAsync(&p, 4096, Free));
  expectOk(cudaStreamEndCapture(Free, &graph));
  expectOk(cudaGraphInstantiate(&exec, graph, 0));
  expectOk(cudaLaunchHostFunc(Free, Gate::wait, &G));
  expectOk(cudaGraphLaunch(exec, Free));
  expectOk(cudaFreeAsync(p, Free));
  EXPECT_EQ(cudaFreeAsync(p, Free), cudaErrorInvalidValue);
  G.open = true;
  expectOk(cudaStreamSynchronize(Free));
  EXPECT_EQ(cudaFreeAsync(p, Free), cudaErrorInvalidValue);
  expectOk(cudaGraphExecDestroy(exec));
  expectOk(cudaGraphDestroy(graph));
}
