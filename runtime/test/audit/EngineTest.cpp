// The engine on the simulated device: what it hashes, what it refuses, what it leaves alone.
// SPDX-License-Identifier: Apache-2.0
#include "Simulated.h"
#include "audit/engine/ContextEngine.h"
#include "audit/hash/HostHash.h"
#include <atomic>
#include <random>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::audit;

namespace {

std::vector<unsigned char> randomBytes(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned char> bytes(count);
  for (unsigned char &b : bytes)
    b = static_cast<unsigned char>(random());
  return bytes;
}

cuda::Region flat(uint64_t address, uint64_t bytes) {
  cuda::Region region;
  region.address = address;
  region.width = bytes;
  return region;
}

class EngineTest : public test::OnSimulator {
protected:
  void SetUp() override {
    OnSimulator::SetUp();
    if (!Context)
      return;
    Made = currentEngine();
    ASSERT_NE(Made, nullptr);
  }
  ContentHash hashOf(const cuda::Region &region, uint64_t stream = 0) {
    EnqueueResult why = EnqueueResult::None;
    Ticket ticket = Made->begin(why);
    EXPECT_EQ(why, EnqueueResult::None);
    EXPECT_EQ(Made->enqueue(ticket, false, region, stream), EnqueueResult::None);
    EXPECT_TRUE(Made->finish(ticket, stream));
    Reading reading = Made->read(ticket);
    EXPECT_TRUE(reading.hasBefore);
    EXPECT_FALSE(reading.hasAfter);
    Made->release(ticket);
    return reading.before;
  }
  DeviceHasher *Made = nullptr;
};

TEST_F(EngineTest, HashesWhatTheHostHashes) {
  auto data = randomBytes(100003, 1);
  uint64_t buffer = alloc(data.size());
  upload(buffer, data);
  for (uint64_t offset : {0, 16, 1, 7, 8, 15, 4096, 50001})
    for (uint64_t bytes : {0, 1, 15, 16, 17, 31, 33, 255, 4096, 40000, 49999})
      EXPECT_EQ(hashOf(flat(buffer + offset, bytes)), hashHost(data.data() + offset, bytes))
          << offset << " " << bytes;
}

TEST_F(EngineTest, PitchedRowsAndSlices) {
  auto data = randomBytes(1 << 20, 2);
  uint64_t buffer = alloc(data.size());
  upload(buffer, data);
  struct Shape {
    uint64_t offset, width, rows, pitch, slices, slicePitch;
  };
  for (Shape s :
       {Shape{0, 1024, 64, 2048, 1, 0}, Shape{3, 33, 50, 77, 1, 0}, Shape{0, 1, 100, 512, 1, 0},
        Shape{16, 48, 8, 64, 9, 1024}, Shape{5, 7, 3, 11, 5, 100}, Shape{0, 512, 4, 512, 3, 4096},
        Shape{0, 640, 1, 0, 20, 1000}, Shape{0, 256, 16, 256, 4, 4096}}) {
    cuda::Region region{buffer + s.offset, 0, s.width, s.rows, s.pitch, s.slices, s.slicePitch};
    cuda::Region same = region;
    same.address = uint64_t(data.data()) + s.offset;
    EXPECT_EQ(hashOf(region), hashHost(same)) << s.width << " x " << s.rows << " x " << s.slices;
  }
}

TEST_F(EngineTest, BeforeAndAfterInStreamOrder) {
  uint64_t buffer = alloc(4096);
  auto old = randomBytes(4096, 3), fresh = randomBytes(4096, 4);
  upload(buffer, old);
  CUstream s = stream();
  test::HeldStream hold(s);
  EnqueueResult why;
  Ticket ticket = Made->begin(why);
  ASSERT_EQ(Made->enqueue(ticket, false, flat(buffer, 4096), uint64_t(s)), EnqueueResult::None);
  CU(cuMemcpyHtoDAsync, buffer, fresh.data(), size_t(4096), s);
  ASSERT_EQ(Made->enqueue(ticket, true, flat(buffer, 4096), uint64_t(s)), EnqueueResult::None);
  Reading reading = Made->read(ticket);
  EXPECT_FALSE(reading.hasBefore);
  EXPECT_FALSE(reading.hasAfter);
  hold.release();
  ASSERT_TRUE(Made->finish(ticket, uint64_t(s)));
  reading = Made->read(ticket);
  EXPECT_EQ(reading.before, hashHost(old.data(), 4096));
  EXPECT_EQ(reading.after, hashHost(fresh.data(), 4096));
  Made->release(ticket);
}

TEST_F(EngineTest, MarksPutOtherStreamsBehindHashesWithoutAWait) {
  uint64_t buffer = alloc(4096);
  auto data = randomBytes(4096, 5);
  upload(buffer, data);
  CUstream held = stream(), other = stream();
  test::HeldStream hold(held);
  EXPECT_FALSE(Made->isIdle(uint64_t(held)));
  EXPECT_TRUE(Made->isIdle(uint64_t(other)));
  EnqueueResult why;
  Ticket ticket = Made->begin(why);
  ASSERT_EQ(Made->enqueue(ticket, true, flat(buffer, 4096), uint64_t(held)), EnqueueResult::None);
  ASSERT_TRUE(Made->setMarker(3, uint64_t(held)));
  ASSERT_TRUE(Made->putBehind(3, uint64_t(other)));
  EXPECT_FALSE(Made->arrived(ticket));
  CU(cuMemsetD8Async, buffer, 0, size_t(4096), other);
  EXPECT_FALSE(Made->isIdle(uint64_t(other))) << "the set comes behind the hash";
  hold.release();
  ASSERT_TRUE(Made->finishMarker(ticket, 3));
  EXPECT_TRUE(Made->arrived(ticket));
  EXPECT_EQ(Made->read(ticket).after, hashHost(data.data(), 4096));
  EXPECT_TRUE(Made->settle(uint64_t(other)));
  EXPECT_TRUE(Made->isIdle(uint64_t(other)));
  Made->release(ticket);
}

TEST_F(EngineTest, NoMarkUnderCapture) {
  CUstream captured = stream(), other = stream();
  ASSERT_TRUE(Made->setMarker(0, uint64_t(other)));
  ASSERT_EQ(CU(cuStreamBeginCapture, captured, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_FALSE(Made->setMarker(1, uint64_t(captured)));
  EXPECT_FALSE(Made->putBehind(0, uint64_t(captured)));
  EXPECT_FALSE(Made->isIdle(uint64_t(captured)));
  EXPECT_FALSE(Made->settle(uint64_t(captured)));
  CUgraph graph = nullptr;
  EXPECT_EQ(CU(cuStreamEndCapture, captured, &graph), CUDA_SUCCESS) << "it is still valid";
}

TEST_F(EngineTest, NothingUnderCapture) {
  uint64_t buffer = alloc(64);
  CUstream s = stream(CU_STREAM_DEFAULT);
  ASSERT_EQ(CU(cuStreamBeginCapture, s, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EnqueueResult why;
  Ticket ticket = Made->begin(why);
  EXPECT_EQ(Made->enqueue(ticket, false, flat(buffer, 64), uint64_t(s)), EnqueueResult::Capturing);
  // Into the legacy stream a launch is illegal now, and would end the capture.
  EXPECT_EQ(Made->enqueue(ticket, false, flat(buffer, 64), 0), EnqueueResult::Capturing);
  EXPECT_EQ(Made->enqueue(ticket, false, flat(buffer, 64), 1), EnqueueResult::Capturing);
  CUgraph graph = nullptr;
  EXPECT_EQ(CU(cuStreamEndCapture, s, &graph), CUDA_SUCCESS);
  size_t nodes = 99;
  EXPECT_EQ(CU(cuGraphGetNodes, graph, nullptr, &nodes), CUDA_SUCCESS);
  EXPECT_EQ(nodes, 0u);
  // Neither was an error of ours.
  EXPECT_EQ(Made->enqueue(ticket, false, flat(buffer, 64), 0), EnqueueResult::None);
  Made->release(ticket);
}

TEST_F(EngineTest, MakingOneLeavesACaptureAlone) {
  CUcontext other = nullptr;
  ASSERT_EQ(CU(cuCtxCreate, &other, nullptr, 0u, 0), CUDA_SUCCESS);
  CUstream s = stream();
  ASSERT_EQ(CU(cuStreamBeginCapture, s, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  EXPECT_EQ(currentEngine(false), nullptr);
  EXPECT_NE(currentEngine(), nullptr);
  CUgraph graph = nullptr;
  EXPECT_EQ(CU(cuStreamEndCapture, s, &graph), CUDA_SUCCESS);
  dropEngine(uint64_t(other));
  CU(cuCtxDestroy, other);
}

TEST_F(EngineTest, BoundedWhatIsUnderWay) {
  uint64_t buffer = alloc(64);
  CUstream s = stream();
  test::HeldStream hold(s);
  std::vector<Ticket> tickets;
  EnqueueResult why = EnqueueResult::None;
  for (unsigned i = 0; i < Records::MaxPending; ++i) {
    tickets.push_back(Made->begin(why));
    ASSERT_EQ(Made->enqueue(tickets.back(), false, flat(buffer, 64), uint64_t(s)),
              EnqueueResult::None);
  }
  tickets.push_back(Made->begin(why));
  EXPECT_EQ(Made->enqueue(tickets.back(), false, flat(buffer, 64), uint64_t(s)),
            EnqueueResult::Full);
  hold.release();
  for (size_t i = 0; i + 1 < tickets.size(); ++i)
    EXPECT_TRUE(Made->finish(tickets[i], uint64_t(s)));
  EXPECT_EQ(Made->enqueue(tickets.back(), false, flat(buffer, 64), uint64_t(s)),
            EnqueueResult::None);
  for (Ticket ticket : tickets)
    Made->release(ticket);
}

TEST_F(EngineTest, RecordsRunOutAndComeBack) {
  std::vector<Ticket> tickets;
  EnqueueResult why = EnqueueResult::None;
  while (Ticket ticket = Made->begin(why))
    tickets.push_back(ticket);
  EXPECT_EQ(tickets.size(), Records::Count);
  EXPECT_EQ(why, EnqueueResult::Full);
  Made->release(tickets[7]);
  Ticket again = Made->begin(why);
  EXPECT_NE(again, 0u);
  EXPECT_NE(again, tickets[7]) << "an old ticket must not read the new one's record";
  Made->release(again);
  for (Ticket ticket : tickets)
    Made->release(ticket);
}

TEST_F(EngineTest, AReleasedRecordIsNotReusedWhileItsHashIsUnderWay) {
  uint64_t buffer = alloc(64);
  CUstream s = stream();
  test::HeldStream hold(s);
  EnqueueResult why;
  Ticket ticket = Made->begin(why);
  ASSERT_EQ(Made->enqueue(ticket, false, flat(buffer, 64), uint64_t(s)), EnqueueResult::None);
  Made->release(ticket);
  std::vector<Ticket> tickets;
  while (Ticket next = Made->begin(why))
    tickets.push_back(next);
  EXPECT_EQ(tickets.size(), Records::Count - 1);
  hold.release();
  CU(cuStreamSynchronize, s);
  EXPECT_NE(Made->begin(why), 0u);
}

TEST_F(EngineTest, NotLinearMemoryIsRefused) {
  EnqueueResult why;
  Ticket ticket = Made->begin(why);
  cuda::Region region = flat(0, 64);
  EXPECT_EQ(Made->enqueue(ticket, false, region, 0), EnqueueResult::Failed);
  region = flat(alloc(64), 64);
  region.array = 1;
  EXPECT_EQ(Made->enqueue(ticket, false, region, 0), EnqueueResult::Failed);
  EXPECT_NE(currentEngine(), nullptr) << "no failure of the driver";
  Made->release(ticket);
}

TEST_F(EngineTest, ReadableWhenTheContextIsGone) {
  auto data = randomBytes(1000, 5);
  uint64_t buffer = alloc(1000);
  upload(buffer, data);
  EnqueueResult why;
  Ticket ticket = Made->begin(why);
  ASSERT_EQ(Made->enqueue(ticket, false, flat(buffer, 1000), 0), EnqueueResult::None);
  ASSERT_TRUE(Made->finish(ticket, 0));
  dropEngine(uint64_t(Context));
  CU(cuCtxDestroy, Context);
  Context = nullptr;
  EXPECT_EQ(Made->read(ticket).before, hashHost(data.data(), 1000));
  EnqueueResult after;
  EXPECT_EQ(Made->begin(after), 0u);
  EXPECT_EQ(after, EnqueueResult::NoDevice);
  Made->release(ticket);
}

TEST_F(EngineTest, OneForEachContextAndResetsCostNoMemory) {
  DeviceHasher *first = Made;
  EXPECT_EQ(currentEngine(), first);
  dropEngine(uint64_t(Context));
  CU(cuCtxDestroy, Context);
  std::vector<DeviceHasher *> seen;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(CU(cuCtxCreate, &Context, nullptr, 0u, 0), CUDA_SUCCESS);
    Made = currentEngine();
    ASSERT_NE(Made, nullptr);
    if (std::find(seen.begin(), seen.end(), Made) == seen.end())
      seen.push_back(Made);
    auto data = randomBytes(777, 6);
    uint64_t buffer = alloc(777);
    upload(buffer, data);
    EXPECT_EQ(hashOf(flat(buffer, 777)), hashHost(data.data(), 777));
    dropEngine(uint64_t(Context));
    CU(cuCtxDestroy, Context);
    Context = nullptr;
  }
  EXPECT_LE(seen.size(), 2u);
}

TEST_F(EngineTest, ManyThreads) {
  auto data = randomBytes(5000, 7);
  uint64_t buffer = alloc(5000);
  upload(buffer, data);
  ContentHash expected = hashHost(data.data(), 5000);
  std::atomic<unsigned> right{0}, refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      CU(cuCtxSetCurrent, Context);
      CUstream s = stream();
      for (int i = 0; i < 500; ++i) {
        EnqueueResult why;
        Ticket ticket = Made->begin(why);
        if (!ticket ||
            Made->enqueue(ticket, true, flat(buffer, 5000), uint64_t(s)) != EnqueueResult::None)
          ++refused;
        else if (Made->finish(ticket, uint64_t(s)) && Made->read(ticket).after == expected)
          ++right;
        Made->release(ticket);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right + refused, 2000u);
  EXPECT_EQ(refused, 0u);
}

TEST_F(EngineTest, ManyBytesAreEstimatedByTheMemorysClock) {
  constexpr uint64_t Bytes = 64 << 20;
  int kHz = 0, bits = 0;
  CU(cuDeviceGetAttribute, &kHz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 0);
  CU(cuDeviceGetAttribute, &bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 0);
  for (int i = 0; i < 8; ++i)
    Made->estimateNs(Bytes);
  const double best = double(Bytes) / (2.0 * kHz * 1e3 * (bits / 8) * 1e-9);
  const double told = double(Made->estimateNs(Bytes)) - double(Made->estimateNs(0));
  EXPECT_GT(told, best);
  EXPECT_LT(told, 1.5 * best);
}

TEST_F(EngineTest, EstimatesGrowWithSize) {
  EXPECT_GT(Made->estimateNs(0), 0u);
  EXPECT_GT(Made->estimateNs(1 << 30), Made->estimateNs(1 << 20));
  EXPECT_GT(Made->deviceBytes(), 0u);
  EXPECT_GT(Made->pinnedBytes(), 0u);
}

} // namespace
