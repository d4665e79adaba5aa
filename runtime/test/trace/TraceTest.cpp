// What a traced program's calls leave in the file: nesting, wrappers, failures, ranges, losses.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "TraceSupport.h"
#include "base/Clock.h"
#include "calls/sites/Sites.h"
#include "calls/threads/Thread.h"
#include "trace/Buffer.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace gpuinstr::test {

namespace {

TEST_F(Trace, ACallIsARecordWithItsOperands) {
  start();
  auto *alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 10, GPUINSTR_RES_DEVICE,
                         GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_x", "float");
  auto *copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 11, 0, GPUINSTR_SITE_CUDA_ERROR, CopySlots);
  registerAll({alloc, copy});
  Function f;
  uint64_t before = ticks();
  f.alloc(alloc, 0x7000, 64);
  f.copy(copy, 0x7000, 0x9000, 48, 1); // fails
  uint64_t after = ticks();
  Contents c = finish();
  ASSERT_EQ(c.records.size(), 2u);
  const trace::Record &a = c.records[0], &b = c.records[1];
  EXPECT_EQ(a.type, trace::RecordType::Host);
  EXPECT_EQ(a.op, GPUINSTR_OP_ALLOC);
  EXPECT_EQ(a.resource, GPUINSTR_RES_DEVICE);
  EXPECT_EQ(a.bytes, 64u);
  EXPECT_EQ(a.memory.dst, 0x7000u) << "what the call returned";
  EXPECT_EQ(a.site, alloc->index);
  EXPECT_EQ(a.flags, 0);
  EXPECT_EQ(b.result, 1);
  EXPECT_EQ(b.flags, trace::Failed);
  EXPECT_EQ(b.memory.src, 0x9000u);
  EXPECT_NE(a.correlation, b.correlation);
  EXPECT_TRUE(before <= a.start && a.start <= a.end && a.end <= b.start && b.end <= after);
  EXPECT_EQ(c.sites, (std::vector<uint32_t>{alloc->index, copy->index}));
  EXPECT_TRUE(c.ended);
  EXPECT_EQ(c.end.records, 2u);
  EXPECT_EQ(c.end.lost, 0u);
}

TEST_F(Trace, AWrapperTakesItsInnerCallsOperands) {
  start();
  auto *outer = makeSite(GPUINSTR_OP_LAUNCH, "saxpy", 20, 0, 0, 0);
  auto *inner = makeSite(
      GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 1, 0, GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER,
      bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_GRID_XY) | bit(GPUINSTR_SLOT_GRID_Z) |
          bit(GPUINSTR_SLOT_BLOCK_XY) | bit(GPUINSTR_SLOT_BLOCK_Z) | bit(GPUINSTR_SLOT_STREAM));
  registerAll({outer, inner});
  Function f, g;
  g.frame.slot[GPUINSTR_SLOT_GRID_XY] = 3 | uint64_t(2) << 32;
  g.frame.slot[GPUINSTR_SLOT_GRID_Z] = g.frame.slot[GPUINSTR_SLOT_BLOCK_Z] = 1;
  g.frame.slot[GPUINSTR_SLOT_BLOCK_XY] = 64 | uint64_t(1) << 32;
  g.frame.slot[GPUINSTR_SLOT_STREAM] = 0x5000;
  f.call(outer, [&] { return g.call(inner, [] { return 0; }); });
  f.call(outer, [&] { return g.call(inner, [] { return 9; }); });
  Contents c = finish();
  ASSERT_EQ(c.records.size(), 2u);
  EXPECT_EQ(c.records[0].site, outer->index);
  EXPECT_EQ(c.records[0].launch.grid[0], 3u);
  EXPECT_EQ(c.records[0].launch.grid[1], 2u);
  EXPECT_EQ(c.records[0].launch.block[0], 64u);
  EXPECT_EQ(c.records[0].stream, 0x5000u);
  EXPECT_EQ(c.records[0].flags, 0);
  EXPECT_EQ(c.records[1].result, 9) << "the launch function's, inside the stub";
  EXPECT_EQ(c.records[1].flags, trace::Failed);
}

TEST_F(Trace, CallsInsideALibraryAreNested) {
  start(":budget=100"); // as below
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::sort", 30, 0, 0, 0);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_STREAM, "cudaStreamSynchronize", 31, 0,
                        GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_STREAM));
  registerAll({region, sync});
  Function f, g;
  f.call(region, [&] {
    g.call(sync, [] { return 0; });
    return g.call(sync, [] { return 600; }); // not ready: no error
  });
  Contents c = finish();
  ASSERT_EQ(c.records.size(), 3u);
  EXPECT_EQ(c.records[0].flags, trace::Nested);
  EXPECT_EQ(c.records[0].site, sync->index);
  EXPECT_EQ(c.records[0].caller, region->index);
  EXPECT_EQ(c.records[1].result, 600);
  EXPECT_EQ(c.records[1].flags, trace::Nested);
  EXPECT_EQ(c.records[2].op, GPUINSTR_OP_REGION);
  EXPECT_TRUE(c.records[2].start <= c.records[0].start && c.records[1].end <= c.records[2].end);
}

TEST_F(Trace, RangesAndPauses) {
  start(":budget=100"); // a slow start on a busy machine leaves nothing out
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 40);
  registerAll({sync});
  Function f;
  table().pop_range(); // one too many
  table().push_range("outer");
  table().push_range("inner");
  f.call(sync, [] { return 0; });
  table().pop_range();
  table().pause();
  table().push_range("unseen");
  f.call(sync, [] { return 0; });
  table().resume();
  table().pop_range();
  f.call(sync, [] { return 0; });
  table().pop_range();
  Contents c = finish();
  ASSERT_EQ(c.records.size(), 4u);
  EXPECT_EQ(c.records[1].type, trace::RecordType::Range);
  EXPECT_EQ(c.records[1].name, 2u);
  EXPECT_EQ(c.records[3].name, 1u);
  EXPECT_LE(c.records[3].start, c.records[1].start);
}

TEST_F(Trace, ManyThreadsLoseNothingThatTheyNeedNot) {
  start(":budget=100");
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 50);
  registerAll({sync});
  constexpr int Threads = 8, Calls = 4000; // fits into a ring
  std::vector<std::thread> threads;
  for (int i = 0; i < Threads; ++i)
    threads.emplace_back([&] {
      Function f;
      for (int n = 0; n < Calls; ++n)
        f.call(sync, [] { return 0; });
    });
  for (std::thread &thread : threads)
    thread.join();
  Contents c = finish();
  EXPECT_EQ(c.records.size(), std::size_t(Threads * Calls));
  std::vector<uint64_t> correlations;
  for (const trace::Record &record : c.records)
    correlations.push_back(record.correlation);
  std::sort(correlations.begin(), correlations.end());
  EXPECT_EQ(std::unique(correlations.begin(), correlations.end()), correlations.end());
}

TEST_F(Trace, AtItsLimitItStopsAndCounts) {
  start(":trace_size=20K:budget=100"); // however slow: nothing is thinned
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 60);
  registerAll({sync});
  Function f;
  for (int n = 0; n < 1000; ++n)
    f.call(sync, [] { return 0; });
  Contents c = finish();
  EXPECT_GT(c.records.size(), 150u);
  EXPECT_LT(c.records.size(), 214u);
  EXPECT_EQ(c.records.size() + c.end.lost, 1000u);
  EXPECT_EQ(c.records.size(), c.end.records);
  f.call(sync, [] { return 0; }); // after the end: no harm
}

TEST_F(Trace, DeviceWorkFromElsewhere) {
  start();
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 70);
  registerAll({sync});
  Function f;
  f.call(sync, [] { return 0; });
  trace::DeviceWork work;
  work.op = GPUINSTR_OP_LAUNCH;
  work.startNs = 1000, work.endNs = 3000;
  work.correlation = 42, work.site = sync->index, work.name = "scale";
  work.stream = 14, work.streamIsId = true, work.device = 1, work.registers = 40;
  work.grid[0] = 7;
  trace::addDevice(work);
  Contents c = finish();
  ASSERT_EQ(c.records.size(), 2u);
  EXPECT_EQ(c.records[1].type, trace::RecordType::Device);
  EXPECT_EQ(c.records[1].end, 3000u);
  EXPECT_EQ(c.records[1].launch.grid[0], 7u);
  EXPECT_EQ(c.records[1].launch.registers, 40u);
  EXPECT_EQ(c.records[1].flags, trace::StreamId);
  EXPECT_EQ(c.records[1].device, 1);
}

TEST(TraceOff, NothingIsMadeAndTheTableIsTheCores) {
  setenv("GPUINSTR_OPTIONS", "report=off", 1);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 80);
  registerAll({sync});
  Function f;
  f.call(sync, [] { return 0; });
  EXPECT_FALSE(trace::isOn());
  EXPECT_EQ(Self->trace, nullptr);
}

TEST(TraceBuffer, AFullRingCountsWhatItTurnsAway) {
  trace::Buffer *ring = trace::Buffer::make(8, 1, 1);
  ASSERT_NE(ring, nullptr);
  for (uint64_t i = 0; i < 11; ++i)
    if (trace::Record *slot = ring->slot()) {
      slot->start = i;
      EXPECT_EQ(ring->push(), i % 4 == 3) << "woken at every half";
    }
  EXPECT_EQ(ring->lost(), 3u);
  uint32_t count;
  EXPECT_EQ(ring->peek(count)->start, 0u);
  EXPECT_EQ(count, 8u);
  ring->pop(3);
  ring->slot()->start = 20;
  ring->push();
  EXPECT_EQ(ring->peek(count)->start, 3u);
  EXPECT_EQ(count, 5u) << "to the ring's end";
  ring->pop(5);
  EXPECT_EQ(ring->peek(count)->start, 20u);
  EXPECT_EQ(count, 1u);
  trace::Buffer::destroy(ring);
}

} // namespace
} // namespace gpuinstr::test
