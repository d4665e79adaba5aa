// Exact times from instrumented calls to the profile, with a CUPTI that is a table.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/CuptiSession.h"
#include "Support.h"
#include "base/Clock.h"
#include "base/OwnMemory.h"
#include "base/Part.h"
#include "calls/CallHooks.h"
#include "calls/CudaState.h"
#include "calls/OneTimeCosts.h"
#include "calls/threads/Thread.h"
#include "time/exact/CallNotes.h"
#include "time/exact/ExactTimer.h"
#include "time/exact/cupti/Cupti.h"
#include <chrono>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

namespace gpuinstr::timing {

namespace {

using test::bit;

struct Buffer {
  uint8_t *data = nullptr;
  size_t size = 0, used = 0;
};

/// Writes records into the buffers that it asks for, as CUPTI does, one buffer per thread.
struct FakeCupti {
  static inline thread_local Buffer Own;
  static inline uint32_t Correlation = 0;
  static inline bool Flushed = false;

  static void launch(uint64_t function, uint32_t grid, uint64_t ns) {
    if (!Own.data) {
      size_t most = 0;
      requestBuffer(&Own.data, &Own.size, &most);
    }
    CuptiKernel kernel = {};
    kernel.kind = ActivityKernel;
    kernel.name = function == 1 ? "_Z3onev" : "_Z3twov";
    kernel.grid[0] = int32_t(grid);
    kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
    kernel.block[0] = 32;
    kernel.correlation = ++Correlation;
    kernel.start = monotonicNs();
    kernel.end = kernel.start + ns;
    kernel.registers = 16;
    std::memcpy(Own.data + Own.used, &kernel, sizeof kernel);
    Own.used += sizeof kernel;
  }
  static void overhead(Overhead kind, uint64_t start, uint64_t end) {
    if (!Own.data) {
      size_t most = 0;
      requestBuffer(&Own.data, &Own.size, &most);
    }
    CuptiOverhead record = {};
    record.kind = ActivityOverhead;
    record.overhead = uint32_t(kind);
    record.start = start;
    record.end = end;
    std::memcpy(Own.data + Own.used, &record, sizeof record);
    Own.used += sizeof(CuptiKernel); // next() goes by these
  }
  static void handBack() {
    if (Own.data)
      completeBuffer(nullptr, 0, Own.data, Own.size, Own.used);
    Own = Buffer();
  }
  static int next(uint8_t *buffer, size_t valid, void **record) {
    auto *at = *record ? static_cast<uint8_t *>(*record) + sizeof(CuptiKernel) : buffer;
    *record = at;
    return at + sizeof(CuptiKernel) <= buffer + valid ? 0 : 12;
  }
  static CuptiApi api() {
    CuptiApi a;
    a.nextRecord = next;
    a.flushAll = [](uint32_t) {
      Flushed = true;
      return 0;
    };
    a.disable = [](uint32_t) { return 0; };
    a.unsubscribe = [](void *) { return 0; };
    a.dropped = [](void *, uint32_t, size_t *count) {
      *count = 0;
      return 0;
    };
    return a;
  }
};

class ExactTimes : public testing::Test {
protected:
  void SetUp() override {
    test::forgetAll();
    exactTimer().childAfterFork();
    cuptiSession().begin(FakeCupti::api());
    ExactOperations.store(~uint64_t(0));
  }
  void TearDown() override { exactTimer().childAfterFork(); }

  static gpuinstr_site *launchSite(unsigned line) {
    return test::makeSite(GPUINSTR_OP_LAUNCH, "one", line, 0, GPUINSTR_SITE_CUDA_ERROR,
                          bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_GRID_XY) |
                              bit(GPUINSTR_SLOT_GRID_Z) | bit(GPUINSTR_SLOT_BLOCK_XY) |
                              bit(GPUINSTR_SLOT_BLOCK_Z));
  }
  static void launch(const gpuinstr_site *site, uint64_t ns, int result = 0) {
    test::Function function;
    uint64_t *slot = function.frame.slot;
    slot[GPUINSTR_SLOT_FUNC] = 1;
    slot[GPUINSTR_SLOT_GRID_XY] = 7 | uint64_t(1) << 32;
    slot[GPUINSTR_SLOT_BLOCK_XY] = 32 | uint64_t(1) << 32;
    slot[GPUINSTR_SLOT_GRID_Z] = slot[GPUINSTR_SLOT_BLOCK_Z] = 1;
    function.call(site, [&] {
      if (result == 0)
        FakeCupti::launch(1, 7, ns);
      return result;
    });
  }
};

} // namespace

TEST_F(ExactTimes, WhatIsNotRecordedIsInNoShare) {
  uint64_t began = clockStartNs(); // 0 where nothing has started the clock yet
  gpuinstr_site *a = launchSite(912);
  test::registerAll({a});
  launch(a, 1000);
  setPaused(PauseReason::User, true);
  launch(a, 5000000);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  setPaused(PauseReason::User, false);
  FakeCupti::handBack();
  setPaused(PauseReason::User, true); // one in progress counts as well
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  profile::Profile p = test::profileNow();
  uint64_t now = monotonicNs();
  setPaused(PauseReason::User, false);
  ASSERT_EQ(p.breakdown.gpus.size(), 1u);
  const profile::GpuShare &gpu = p.breakdown.gpus[0];
  EXPECT_EQ(gpu.kernels_ns, 1000u);
  EXPECT_LE(gpu.wall_ns + 40000000, now - began);
  EXPECT_LE(p.process.recorded_ns + 40000000, p.process.wall_ns);
}

TEST_F(ExactTimes, EveryLaunchIsChargedToItsLine) {
  gpuinstr_site *a = launchSite(910), *b = launchSite(911);
  test::registerAll({a, b});
  for (int i = 0; i < 10; ++i) {
    launch(a, 1000);
    launch(b, 3000);
    launch(a, 2000, 9); // fails: no record
  }
  FakeCupti::handBack();
  profile::Profile p = test::profileNow();
  const profile::Site *first = test::siteAtLine(p, 910), *second = test::siteAtLine(p, 911);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->device.method.text(), "exact");
  EXPECT_EQ(first->device.operations, 10u);
  EXPECT_EQ(first->device.total_ns, 10000u);
  EXPECT_EQ(second->device.total_ns, 30000u);
  ASSERT_EQ(second->device.rows.size(), 1u);
  const profile::DeviceRow &row = second->device.rows[0];
  EXPECT_EQ(row.grid, (std::vector<uint32_t>{7, 1, 1}));
  EXPECT_EQ(row.registers, 16u);
  EXPECT_EQ(row.stddev_ns, 0);
  EXPECT_EQ(row.ci_ns, 0u);
  EXPECT_GT(row.span_ns, row.total_ns);
  FakeCupti::Flushed = false;
  exactTimer().collect();
  EXPECT_TRUE(FakeCupti::Flushed);
}

TEST_F(ExactTimes, ThePartsOfTheDevicesTimeAddUp) {
  gpuinstr_site *a = launchSite(915);
  test::registerAll({a});
  for (int i = 0; i < 5; ++i)
    launch(a, 200000);
  FakeCupti::handBack();
  std::this_thread::sleep_for(std::chrono::milliseconds(1)); // until they have ended
  profile::Profile p = test::profileNow();
  ASSERT_EQ(p.breakdown.gpus.size(), 1u);
  const profile::GpuShare &g = p.breakdown.gpus[0];
  EXPECT_EQ(g.method.text(), "exact");
  EXPECT_GE(g.kernels_ns, 200000u);
  EXPECT_EQ(g.kernels_ns + g.h2d_ns + g.d2h_ns + g.d2d_ns + g.set_ns + g.idle_startup_ns +
                g.idle_copies_ns + g.idle_allocation_ns + g.idle_launch_ns + g.idle_sync_ns +
                g.idle_host_ns,
            g.wall_ns);
}

TEST_F(ExactTimes, ThreadsHaveLogsOfTheirOwn) {
  gpuinstr_site *a = launchSite(920), *b = launchSite(921);
  test::registerAll({a, b});
  auto work = [](const gpuinstr_site *site, uint64_t ns) {
    for (int i = 0; i < 500; ++i)
      launch(site, ns);
    FakeCupti::handBack();
  };
  std::thread first(work, a, 100);
  first.join(); // FakeCupti counts without a lock
  std::thread second(work, b, 700);
  second.join();
  profile::Profile p = test::profileNow();
  EXPECT_EQ(test::siteAtLine(p, 920)->device.total_ns, 50000u);
  EXPECT_EQ(test::siteAtLine(p, 921)->device.total_ns, 350000u);
}

TEST_F(ExactTimes, MemoryDoesNotGrowWithTheNumberOfLaunches) {
  gpuinstr_site *a = launchSite(935);
  test::registerAll({a});
  auto residentKb = [] {
#ifdef __SANITIZE_ADDRESS__ // keeps for a while what was freed
    return long(ownHostBytes() / 1024);
#endif
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
      if (line.compare(0, 6, "VmRSS:") == 0)
        return std::atol(line.c_str() + 6);
    return 0l;
  };
  auto launches = [&](int n) {
    for (int i = 0; i < n; ++i) {
      launch(a, 10);
      if (i % 4000 == 3999)
        FakeCupti::handBack();
    }
  };
  launches(100000);
  long before = residentKb();
  launches(400000);
  EXPECT_LT(residentKb() - before, 4096);
  EXPECT_EQ(test::siteAtLine(test::profileNow(), 935)->device.operations, 500000u);
}

TEST_F(ExactTimes, ResetStartsAnew) {
  gpuinstr_site *a = launchSite(925);
  test::registerAll({a});
  launch(a, 1000);
  test::table().reset();
  launch(a, 5000);
  FakeCupti::handBack();
  profile::Profile p = test::profileNow();
  EXPECT_EQ(test::siteAtLine(p, 925)->device.total_ns, 5000u);
}

TEST_F(ExactTimes, OverheadRecordsAreOneTimeCostsAndOwnCost) {
  gpuinstr_site *a = launchSite(940);
  test::registerAll({a});
  launch(a, 1000); // after it there is a context
  ASSERT_NE(contextTicks(), 0u);
  profile::Process without = test::profileNow().process;
  EXPECT_EQ(without.startup.method.text(), "host");
  EXPECT_EQ(without.own_cupti_ns, 0u);
  uint64_t early = clockStartNs(), now = monotonicNs() + 1000;
  FakeCupti::overhead(Overhead::Resource, early - 5000, early);
  FakeCupti::overhead(Overhead::LazyLoading, now, now + 700);
  launch(a, 1000);
  FakeCupti::overhead(Overhead::Compiler, now + 100, now + 400);
  FakeCupti::overhead(Overhead::BufferFlush, now + 1000, now + 1200);
  FakeCupti::handBack();
  profile::Profile p = test::profileNow();
  EXPECT_EQ(p.process.startup.method.text(), "cupti");
  EXPECT_EQ(p.process.startup.jit_ns, 300u);
  EXPECT_EQ(p.process.startup.loading_ns, 700u);
  EXPECT_EQ(p.process.own_cupti_ns, 5200u);
  EXPECT_EQ(p.process.startup_ns, without.startup_ns + 5000);
  EXPECT_EQ(test::siteAtLine(p, 940)->device.operations, 2u) << "they disturb no join";
  test::table().reset();
  EXPECT_EQ(test::profileNow().process.own_cupti_ns, 0u);
}

TEST_F(ExactTimes, WhoeverMakesTheContextKeepsTheDeviceIdleByStartUp) {
  gpuinstr_site *a = launchSite(950);
  gpuinstr_site *alloc = test::makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 951, GPUINSTR_RES_DEVICE,
                                        GPUINSTR_SITE_CUDA_ERROR, test::AllocSlots);
  test::registerAll({a, alloc});
  launch(a, 1000); // the thread is known from here on
  cudaStatePart().childAfterFork();
  oneTimeCostsPart().childAfterFork();
  Self->notUp = true;
  test::Function function;
  uint64_t pointer = 0;
  function.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(&pointer);
  function.frame.slot[GPUINSTR_SLOT_BYTES] = 64;
  function.call(alloc, [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return 0;
  });
  launch(a, 1000);
  FakeCupti::handBack();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  profile::Profile p = test::profileNow();
  ASSERT_EQ(p.breakdown.gpus.size(), 1u);
  EXPECT_GE(p.breakdown.gpus[0].idle_startup_ns, 2900000u);
}

TEST_F(ExactTimes, StoppingKeepsWhatWasMeasured) {
  gpuinstr_site *a = launchSite(930);
  test::registerAll({a});
  launch(a, 1000);
  FakeCupti::handBack();
  exactTimer().stop();
  launch(a, 1000);
  EXPECT_EQ(test::siteAtLine(test::profileNow(), 930)->device.operations, 1u);
  EXPECT_EQ(ExactOperations.load(), 0u);
  if (FakeCupti::Own.data)
    FakeCupti::handBack();
}

} // namespace gpuinstr::timing
