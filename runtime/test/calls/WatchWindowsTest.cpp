// Calls that attached programs make in great numbers go unseen for most of the time: those that are
// seen stand for all.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/WatchWindows.h"
#include "Support.h"
#include "base/Clock.h"
#include "options/Options.h"
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint32_t Attached =
    GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER | GPUINSTR_SITE_FREQUENT;
char UnseenKernel;

std::atomic<bool> Seen{true}, Refuses{false};
std::atomic<unsigned> Turns{0};

/// As the attached part turns callbacks off and on.
int watch(int on) {
  if (!on && Refuses)
    return 0;
  Seen.store(on != 0);
  Turns.fetch_add(1);
  return 1;
}

gpuinstr_site *attachedLaunchAt(unsigned line, uint32_t flags = Attached | GPUINSTR_SITE_ASYNC) {
  return makeSite(GPUINSTR_OP_LAUNCH, "cuLaunchKernel", line, 0, flags,
                  bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM));
}

void call(const gpuinstr_site *site) {
  if (table().call_begins() <= 0)
    return;
  Function f;
  f.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(&UnseenKernel);
  f.call(site, [] { return 0; });
}

/// How many calls at two lines, three to one, one each 2 µs, and how many were seen.
struct Made {
  uint64_t calls = 0, seen = 0;
  Made(const gpuinstr_site *often, const gpuinstr_site *seldom, uint64_t ms) {
    constexpr uint64_t EachNs = 2000;
    const uint64_t begin = monotonicNs(), all = ms * 1000000 / EachNs;
    for (; calls < all; ++calls) {
      while (monotonicNs() < begin + calls * EachNs)
        ;
      if (Seen) {
        call(calls % 4 ? often : seldom);
        ++seen;
      }
    }
  }
};

struct WatchWindows : testing::Test {
  void SetUp() override { bringCudaUp(); }
  void TearDown() override {
    HotState.unseenForEach.store(0);
    FakeDriver::reset();
  }
};

TEST_F(WatchWindows, WhatIsSeenStandsForWhatIsNot) {
  HotState.unseenForEach.store(uint32_t(2.5 * 65536));
  auto *site = attachedLaunchAt(310), *other = attachedLaunchAt(311, GPUINSTR_SITE_CU_RESULT);
  for (unsigned i = 0; i < 20000; ++i) {
    call(site);
    call(other);
  }
  auto p = profileNow();
  EXPECT_NEAR(double(siteAtLine(p, 310)->calls), 70000, 1000);
  EXPECT_TRUE(siteAtLine(p, 310)->calls_estimated);
  EXPECT_NEAR(double(siteAtLine(p, 310)->host.count), 70000, 7000);
  EXPECT_EQ(siteAtLine(p, 311)->calls, 20000u) << "none of the kind that goes unseen";
  EXPECT_FALSE(siteAtLine(p, 311)->calls_estimated);
}

TEST_F(WatchWindows, KnowNothingOfATimeInWhichCallsWentUnseen) {
  ThreadState &thread = *thisThread();
  auto *site = attachedLaunchAt(312);
  call(site);
  const uint32_t epoch = WatchEpoch.load();
  WatchEpoch.store(epoch + 1);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cuCtxSynchronize", 313, 0, Attached, 0);
  Function().call(sync, [] { return 0; });
  EXPECT_EQ(thread.drainedTicks, 0u) << "the device need not be idle until the next call";
  EXPECT_EQ(thread.watchEpoch, epoch);
  WatchEpoch.store(epoch + 2);
  Function().call(sync, [] { return 0; });
  EXPECT_EQ(thread.watchEpoch, epoch + 2);
  EXPECT_NE(thread.drainedTicks, 0u);
}

TEST_F(WatchWindows, WhatGoesIntoAGraphIsSeen) {
  table().watch_frequent(watch);
  const uint32_t epoch = WatchEpoch.load();
  WatchEpoch.store(epoch + 1);
  Seen.store(false);
  auto *begin = makeSite(GPUINSTR_OP_CAPTURE_BEGIN, "cuStreamBeginCapture", 314, 0,
                         GPUINSTR_SITE_CU_RESULT, 0);
  Function().call(begin, [] { return 0; });
  EXPECT_TRUE(Seen);
  WatchEpoch.store(epoch + 2);
  Turns.store(0);
}

/// The last one of this program: it starts the thread.
TEST_F(WatchWindows, ZOpenNowAndThen) {
  auto *often = attachedLaunchAt(300), *seldom = attachedLaunchAt(301);
  table().watch_frequent(watch);
  ThreadState &thread = *thisThread();
  thread.lookCosts.looks = 0;
  thread.lookCosts.looksBefore = 0;
  const Made first(often, seldom, 5);
  EXPECT_EQ(Turns, 0u) << "of a thread's first calls none goes unseen";
  Refuses.store(true);
  const Made refused(often, seldom, 200);
  EXPECT_EQ(refused.calls, refused.seen);
  EXPECT_FALSE(goUnseen());
  Refuses.store(false);
  const Made made(often, seldom, 3000);
  EXPECT_LT(made.seen, made.calls / 3);
  EXPECT_GT(Turns, 8u);
  auto p = profileNow();
  const uint64_t calls = siteAtLine(p, 300)->calls, rest = siteAtLine(p, 301)->calls;
  const double all = double(first.calls + refused.calls + made.calls);
  // A busy machine's windows are longer than planned.
  EXPECT_GT(double(calls + rest), 0.4 * all);
  EXPECT_LT(double(calls + rest), 4 * all);
  EXPECT_NEAR(double(rest) / double(calls + rest), 0.25, 0.02);
  EXPECT_TRUE(everUnseen());
  auto isTold = [](const std::string &note) {
    return note.find("launches, events and sets were watched") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(p.coverage.notes.begin(), p.coverage.notes.end(), isTold));

  stopWindows();
  const unsigned turns = Turns;
  Seen.store(true);
  Made last(often, seldom, 100);
  EXPECT_EQ(Turns, turns) << "nothing is turned while the process ends";
}

} // namespace
