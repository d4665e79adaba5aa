// What is taken off event pairs, and how the device's clock is found from the host's.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/EventOverhead.h"
#include <gtest/gtest.h>

using namespace gpuinstr::timing;

namespace {
// Two bare events of an H200, and of one whose host has two GPUs.
constexpr double Empty = 1280, SlowEmpty = 2930, Record = 800;
} // namespace

TEST(LeastLag, AnInterruptWhileAnEventIsRecordedDoesNotMakeLaterOnesLookQueued) {
  LeastLag least;
  least.note(0, 0, Record);
  least.note(0, 1e6, Record);
  // The host was held up for 25 us after it had handed the event over: it looks early by that.
  least.note(-25000, 1e6, Record + 25000);
  least.note(0, 1e4, Record);
  EXPECT_NEAR(least.ns(), 0, 1);
}

TEST(LeastLag, ATrulyEarlierEventLowersIt) {
  LeastLag least;
  least.note(0, 0, Record);
  least.note(-3000, 1e4, Record);
  EXPECT_NEAR(least.ns(), -3000, 1);
}

TEST(LeastLag, AFirstEventThatWasHeldUpIsForgottenWithTheClocksDrift) {
  LeastLag least;
  least.note(-6000, 0, Record + 6000); // nothing yet to tell that it took long
  least.note(0, 1e6, Record);
  EXPECT_LT(least.ns(), -5000);
  least.note(0, 1e8, Record);
  EXPECT_NEAR(least.ns(), 0, 1);
}

TEST(EventOverhead, AnEventNotedLateLengthensTheGapByAsMuch) {
  // Both: elapsed 14 us on a dry stream, the operation issued 4 us after the start event.
  Corrected straight = takeOff(WorkClass::Kernel, 14000, 4000, 0, Empty, 0);
  Corrected late = takeOff(WorkClass::Kernel, 14000, 1000, -3000, Empty, 0);
  EXPECT_DOUBLE_EQ(straight.ns, late.ns);
  EXPECT_NEAR(straight.ns, 14000 - 4000 - 1050, 1);
}

TEST(EventOverhead, KernelsHideAPartOfSlowEvents) {
  // Elapsed times of kernels back to back: what CUPTI says of them lies in the interval.
  for (double cupti : {3126.0, 10192.0, 200547.0}) {
    Corrected fast = takeOff(WorkClass::Kernel, cupti + 2860, 3000, 50000, Empty, 0);
    EXPECT_LE(std::abs(fast.ns - cupti), 100);
    Corrected slow = takeOff(WorkClass::Kernel, cupti + 3980, 3000, 50000, SlowEmpty, 0);
    EXPECT_LE(std::abs(slow.ns - cupti), 100);
    EXPECT_LT(slow.doubtNs, 1200);
  }
  // On a stream that has run dry.
  Corrected dry = takeOff(WorkClass::Kernel, 50070 + 4000 + 1820, 4000, 0, SlowEmpty, 0);
  EXPECT_LE(std::abs(dry.ns - 50070), 100);
  // A set of 64 MiB, a copy of 1 MiB.
  Corrected set = takeOff(WorkClass::LargeSet, 15890 + 4220, 3000, 50000, SlowEmpty, 64 << 20);
  EXPECT_LE(std::abs(set.ns - 15890), 200);
  Corrected copy = takeOff(WorkClass::Copy, 21890 + 3180, 3000, 50000, SlowEmpty, 1 << 20);
  EXPECT_LE(std::abs(copy.ns - 21890), 200);
}

TEST(EventOverhead, WhereALongCallIssuedItsWorkIsLeftOpen) {
  // 3 us of work, issued at the end of a call of 13 us on an idle stream.
  Corrected set = takeOff(WorkClass::LargeSet, 17200, 13000, 0, Empty, 8 << 20);
  EXPECT_LE(std::abs(set.ns - 3000), set.doubtNs);
  EXPECT_GT(set.doubtNs, 5000);
  // With work queued before it the call's length does not matter, nor that of a usual call.
  EXPECT_LT(takeOff(WorkClass::LargeSet, 17200, 13000, 50000, Empty, 8 << 20).doubtNs, 2000);
  EXPECT_LT(takeOff(WorkClass::LargeSet, 17200, 3000, 0, Empty, 8 << 20).doubtNs, 2500);
  // A copy's total stands.
  Corrected usual = takeOff(WorkClass::Copy, 30000, 3000, 0, Empty, 1 << 20);
  Corrected slow = takeOff(WorkClass::Copy, 30000, 25000, 0, Empty, 1 << 20);
  EXPECT_DOUBLE_EQ(slow.ns, usual.ns);
  EXPECT_DOUBLE_EQ(slow.doubtNs, usual.doubtNs);
  // A blocking copy's call contains its work.
  EXPECT_LT(takeOff(WorkClass::BlockingCopy, 86000, 90000, 0, Empty, 1 << 20).doubtNs, 3000);
}

TEST(EventOverhead, LongOperationsKeepADoubtOfTheClocks) {
  // 10 ms and 200 ms, three launches a run: the events' clock is off by parts in 10^6.
  Corrected shortOne = takeOff(WorkClass::Kernel, 1e5, 0, 0, Empty, 0);
  Corrected longOne = takeOff(WorkClass::Kernel, 2e8, 0, 0, Empty, 0);
  EXPECT_NEAR(shortOne.doubtNs, 850, 5);
  EXPECT_NEAR(longOne.doubtNs, 850 + 4000, 5);
}

TEST(EventOverhead, WhatTheHostCopiesOutOfStagingMemoryIsLeftOpen) {
  // H200, 1 MiB: 25 us of transfer in a pair that spans 86 us.
  Corrected copy = takeOff(WorkClass::StagedDownload, 86000, 0, 0, Empty, 1 << 20);
  EXPECT_LE(copy.ns - copy.doubtNs, 25000);
  EXPECT_GE(copy.ns + copy.doubtNs, 80000);
  // The same of an upload: 90 us between the events, in calls of 75 us, and a slow one.
  Corrected upload = takeOff(WorkClass::StagedUpload, 92000, 75000, 0, Empty, 1 << 20);
  EXPECT_LE(std::abs(upload.ns - 25000), upload.doubtNs);
  Corrected slow = takeOff(WorkClass::StagedUpload, 156000, 140000, 0, Empty, 1 << 20);
  EXPECT_LE(std::abs(slow.ns - 25000), slow.doubtNs);
  // Of 4 KiB the call is what may hold the bytes up.
  EXPECT_LT(takeOff(WorkClass::StagedUpload, 6000, 2500, 0, Empty, 4096).doubtNs, 3000);
  // What goes straight to pinned memory has no such share, and of 4 KiB it is small.
  EXPECT_LT(takeOff(WorkClass::BlockingCopy, 86000, 0, 0, Empty, 1 << 20).doubtNs, 3000);
  EXPECT_LT(takeOff(WorkClass::StagedDownload, 12000, 0, 0, Empty, 4096).doubtNs, 3000);
}
