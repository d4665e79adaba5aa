// Asynchronous copies and sets in quick succession, of which some are timed on the host.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "base/Clock.h"
#include "calls/Observer.h"
#include "calls/fast/FastLaunchPath.h"
#include "calls/threads/RepeatedCalls.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr int Failed = 1;
constexpr uint64_t Memory = 0x7e000000;
constexpr uint32_t OfRuntime = GPUINSTR_SITE_CUDA_ERROR;

gpuinstr_site *transferAt(unsigned line, unsigned op, uint32_t flags) {
  return makeSite(op, "cudaMovesBytes", line, 0, flags, CopySlots | bit(GPUINSTR_SLOT_STREAM));
}

void spin(double us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void makeTransfer(const gpuinstr_site *site, double us = 0, int result = 0, uint64_t bytes = 64) {
  Function f;
  f.frame.slot[GPUINSTR_SLOT_DST] = Memory;
  f.frame.slot[GPUINSTR_SLOT_SRC] = Memory + (2 << 20);
  f.frame.slot[GPUINSTR_SLOT_BYTES] = bytes;
  f.call(site, [&] {
    if (us > 0)
      spin(us);
    return result;
  });
}

/// Asks how long calls took, of those that go the long way.
struct Duration : Observer {
  Duration() : Observer(opBit(GPUINSTR_OP_COPY)) {
    addObserver(*this);
    muteObserver(*this);
  }
  void after(const Call &call) override {
    last = double(ticksOf(call)) * nsPerTick();
    ++number;
  }
  const ShortLook *shortLook(const gpuinstr_site &) const override { return &NoLook; }
  double last = -1; ///< ns
  int number = 0;   ///< of those calls
};
Duration &duration() {
  static Duration one; // never removed
  return one;
}

/// Two more that look at each copy: there is no room for both.
struct Looks : Observer {
  Looks() : Observer(opBit(GPUINSTR_OP_COPY)) {
    addObserver(*this);
    muteObserver(*this);
  }
  const ShortLook *shortLook(const gpuinstr_site &) const override {
    static const ShortLook look = {[](ThreadState &, const gpuinstr_frame &) { return true; },
                                   nullptr};
    return &look;
  }
};
Looks &looks(bool second) {
  static Looks all[2]; // never removed
  return all[second];
}

class ShortTransfers : public testing::Test {
protected:
  void SetUp() override {
    table();
    duration();
    looks(false);
    bringCudaUp();
    Function().alloc(
        makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 699, GPUINSTR_RES_DEVICE, OfRuntime, AllocSlots),
        Memory, 4 << 20);
  }
  void TearDown() override {
    for (const Observer *one :
         {static_cast<Observer *>(&duration()), static_cast<Observer *>(&looks(false)),
          static_cast<Observer *>(&looks(true))})
      muteObserver(*one);
    FakeDriver::reset();
  }
  /// Until one is not timed.
  static void makeUntimed(const gpuinstr_site *site) {
    int calls = 0;
    do
      makeTransfer(site);
    while (!Self->root.untimed && ++calls < 100000);
    ASSERT_TRUE(Self->root.untimed);
  }
};

TEST_F(ShortTransfers, SomeAreTimedAndStandForAll) {
  unsigned line = 700;
  for (unsigned op : {GPUINSTR_OP_COPY, GPUINSTR_OP_SET}) {
    auto *site = transferAt(++line, op, OfRuntime | GPUINSTR_SITE_ASYNC);
    for (int i = 0; i < 3000; ++i)
      makeTransfer(site);
    auto p = profileNow();
    const profile::Site *row = siteAtLine(p, line);
    EXPECT_EQ(row->calls, 3000u);
    EXPECT_EQ(row->bytes, 3000u * 64);
    EXPECT_EQ(row->host.count, 2999u);
    EXPECT_TRUE(row->host.estimated());
    EXPECT_GT(row->host.samples, 100u);
    EXPECT_LT(row->host.samples, row->host.count);
    EXPECT_NEAR(double(row->host.total_ns), row->host.mean_ns * 2999, 3000);
  }
}

TEST_F(ShortTransfers, BlockingOnesAreTimedEach) {
  auto *site = transferAt(710, GPUINSTR_OP_COPY, OfRuntime);
  for (int i = 0; i < 1000; ++i)
    makeTransfer(site);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 710)->host.samples, 999u);
}

TEST_F(ShortTransfers, BlockingDownloadsTakeTheShortWayToo) {
  constexpr uint64_t Upload = 1, Download = 2, Default = 4; // cudaMemcpyKind
  static char host[64];
  unmuteObserver(duration());
  auto longWays = [](unsigned line, uint64_t kind) {
    auto *site = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", line, 0, OfRuntime,
                          CopySlots | bit(GPUINSTR_SLOT_KIND));
    duration().number = 0;
    for (int i = 0; i < 100; ++i) {
      Function f;
      f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(host);
      f.frame.slot[GPUINSTR_SLOT_SRC] = Memory;
      f.frame.slot[GPUINSTR_SLOT_BYTES] = sizeof host;
      f.frame.slot[GPUINSTR_SLOT_KIND] = kind;
      f.call(site, [] { return 0; });
    }
    return duration().number;
  };
  EXPECT_LE(longWays(713, Download), 2);
  EXPECT_LE(longWays(714, Default), 2);
  EXPECT_EQ(longWays(715, Upload), 100) << "nobody knows that memory of the device: it is judged";
}

TEST_F(ShortTransfers, WhereMoreLookThanThereIsRoomForCopiesGoTheLongWay) {
  auto longWays = [](unsigned line) {
    auto *site = transferAt(line, GPUINSTR_OP_COPY, OfRuntime);
    duration().number = 0;
    for (int i = 0; i < 100; ++i)
      makeTransfer(site);
    return duration().number;
  };
  unmuteObserver(duration());
  EXPECT_LE(longWays(716), 2);
  unmuteObserver(looks(false));
  unmuteObserver(looks(true));
  EXPECT_EQ(longWays(717), 100);
}

TEST_F(ShortTransfers, LongOnesAreTimedEach) {
  auto *launches = transferAt(711, GPUINSTR_OP_SET, OfRuntime | GPUINSTR_SITE_ASYNC),
       *site = transferAt(712, GPUINSTR_OP_COPY, OfRuntime | GPUINSTR_SITE_ASYNC);
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 100; ++j)
      makeTransfer(launches); // calls are close together on the whole
    makeTransfer(site, 50);
  }
  auto p = profileNow();
  EXPECT_LT(siteAtLine(p, 711)->host.samples, siteAtLine(p, 711)->host.count);
  EXPECT_EQ(siteAtLine(p, 712)->host.samples, 199u);
}

TEST_F(ShortTransfers, OneThatWasNotTimedTookTheUsualTime) {
  auto *site = transferAt(713, GPUINSTR_OP_COPY, OfRuntime | GPUINSTR_SITE_ASYNC);
  makeUntimed(site);
  EXPECT_EQ(Self->lastCopy.endTicks, LastCopy::NotTimed);
  EXPECT_LT(double(Self->lastCopy.callTicks) * nsPerTick(), 5e6);
  EXPECT_EQ(Self->lastCopy.site, site);
  unmuteObserver(duration());
  makeUntimed(site);
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // since the last one that was timed
  duration().last = -1;
  makeTransfer(site, 0, Failed); // which ends it the long way
  EXPECT_GE(duration().last, 0);
  EXPECT_LT(duration().last, 5e6);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 713)->failed, 1u);
}

TEST_F(ShortTransfers, LargerOnesAtTheSameLineAreTimedEach) {
  auto *site = transferAt(714, GPUINSTR_OP_COPY, OfRuntime | GPUINSTR_SITE_ASYNC);
  constexpr int Rounds = 200, Us = 100;
  double took = 0;
  for (int i = 0; i < Rounds; ++i) {
    for (int j = 0; j < 997; ++j)
      makeTransfer(site);
    const uint64_t start = ticks();
    makeTransfer(site, Us, 0, 1 << 20);
    took += double(ticks() - start) * nsPerTick();
  }
  auto p = profileNow();
  const profile::Site *row = siteAtLine(p, 714);
  EXPECT_EQ(row->calls, Rounds * 998u);
  EXPECT_EQ(row->bytes, Rounds * (997u * 64 + (1 << 20)));
  EXPECT_LT(row->host.samples, row->host.count / 2);
  EXPECT_GT(double(row->host.total_ns), 0.98 * Rounds * Us * 1000);
  EXPECT_LT(double(row->host.total_ns), 1.5 * took + Rounds * 997 * 300.0);
}

TEST_F(ShortTransfers, OnceAllAreLargerSomeAreTimed) {
  auto *site = transferAt(715, GPUINSTR_OP_SET, OfRuntime | GPUINSTR_SITE_ASYNC);
  for (int i = 0; i < 3000; ++i)
    makeTransfer(site);
  const uint64_t before = siteAtLine(profileNow(), 715)->host.samples;
  for (int i = 0; i < 3000; ++i)
    makeTransfer(site, 0, 0, 1 << 20);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 715)->calls, 6000u);
  EXPECT_LT(siteAtLine(p, 715)->host.samples - before, 2500u);
}

TEST(UsualTicks, OneStallIsNotAllOfThem) {
  LookMemo looked = {};
  for (int i = 0; i < 100; ++i)
    looked.noteUsual(200 + i % 7);
  EXPECT_NEAR(looked.usualTicks, 203, 5);
  looked.noteUsual(5000000);
  EXPECT_LT(looked.usualTicks, 260u);
  LookMemo first = {};
  for (int i = 0; i < 16; ++i)
    first.noteUsual(i ? 200 : 5000000);
  EXPECT_LT(first.usualTicks, 500u);
  for (int i = 0; i < 50; ++i)
    first.noteUsual(1000); // slower from now on
  EXPECT_NEAR(first.usualTicks, 1000, 60);
}

} // namespace
