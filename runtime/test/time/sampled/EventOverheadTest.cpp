// What is taken off event pairs, and how the device's clock is found from the host's.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/pairs/EventOverhead.h"
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

TEST(EventOverhead, BehindAFillerKernelsLieInNarrowIntervals) {
  // H100, a host with one GPU and one with two: CUPTI's record, and by what elapsed times of the
  // same kernels behind a filler are longer; two bare events took 1250 and 2850 ns.
  const double measured[][4] = {
      {3801, 2151, 3792, 3824},   {893, 2243, 884, 3820},     {3861, 2251, 3855, 3921},
      {6222, 2418, 6290, 4046},   {9004, 2196, 9008, 3888},   {9222, 2714, 8947, 4685},
      {12888, 1320, 12829, 2979}, {66602, 2390, 66588, 4004}, {4588, 1908, 4488, 3704},
      {4726, 2250, 4737, 3903},   {2230, 2250, 2195, 3917},   {1239, 2217, 1227, 3925},
      {22085, 1755, 22187, 3349}, {10407, 2201, 10425, 4007}, {81472, 1696, 81348, 3452},
      {1386, 2262, 1376, 3840},   {10994, 2222, 10971, 3909}, {3419, 2181, 3407, 3857}};
  const Surroundings filled = {EngineChange::None, 0, true};
  for (auto &[fastNs, fastMore, slowNs, slowMore] : measured) {
    Corrected fast = takeOff(WorkClass::Kernel, fastNs + fastMore, 3000, 50000, 1250, 0, filled);
    EXPECT_LE(std::abs(fast.ns - fastNs), fast.doubtNs) << fastNs;
    Corrected slow = takeOff(WorkClass::Kernel, slowNs + slowMore, 3000, 50000, 2850, 0, filled);
    EXPECT_LE(std::abs(slow.ns - slowNs), slow.doubtNs) << slowNs;
    EXPECT_LT(slow.doubtNs, 1200);
    if (fastNs > 4500) { // and are worth telling
      EXPECT_LT(fast.doubtNs, 0.14 * fast.ns);
    }
    EXPECT_FALSE(fast.isPoor);
  }
  // The filler was done 8 us before the kernel came.
  Corrected late = takeOff(WorkClass::Kernel, 4700 + 9000, 9000, 1000, 1250, 0, filled);
  EXPECT_TRUE(late.isPoor);
  EXPECT_LE(std::abs(late.ns - 4700), late.doubtNs);
  // The host was held up behind it, and all was as usual.
  Corrected inTime = takeOff(WorkClass::Kernel, 4700 + 2300, 12400, 6700, 1250, 0, filled);
  EXPECT_TRUE(inTime.isPoor);
  EXPECT_LE(std::abs(inTime.ns - 4700), inTime.doubtNs);
}

/// Three nodes on an idle stream, by a launch that took 19 us: done when it returned.
TEST(EventOverhead, AGraphMayHaveEndedWithinItsLaunch) {
  Corrected within = takeOff(WorkClass::Graph, 20500, 19000, 0, Empty, 0);
  EXPECT_GT(within.ns, 5000);
  EXPECT_LT(within.ns - within.doubtNs, 1000);
  EXPECT_GT(within.ns + within.doubtNs, 15000);
  Corrected behind = takeOff(WorkClass::Graph, 19000 + 1150 + 500000, 19000, 0, Empty, 0);
  EXPECT_NEAR(behind.ns, 500000, 1000)
      << "where most of it came behind, its launch counts for nothing";
  EXPECT_LT(behind.doubtNs, 4000);
  Corrected blocked = takeOff(WorkClass::Graph, 1.4e6, 1.33e6, 0, Empty, 0);
  EXPECT_LE(std::abs(blocked.ns - 1.31e6), blocked.doubtNs)
      << "a copy of 67 MB, for which it waited";
  Corrected usual = takeOff(WorkClass::Graph, 19000 + 1150 + 15000, 19000, 0, Empty, 0);
  EXPECT_NEAR(usual.ns, 15000, 1000);
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
  EXPECT_LT(takeOff(WorkClass::BlockingCopy, 86000, 90000, 0, Empty, 1 << 20).doubtNs, 4500);
}

TEST(EventOverhead, LongOperationsKeepADoubtOfTheClocks) {
  // 10 ms and 200 ms, three launches a run: the events' clock is off by parts in 10^6.
  Corrected shortOne = takeOff(WorkClass::Kernel, 1e5, 0, 0, Empty, 0);
  Corrected longOne = takeOff(WorkClass::Kernel, 2e8, 0, 0, Empty, 0);
  EXPECT_NEAR(shortOne.doubtNs, 850, 5);
  EXPECT_NEAR(longOne.doubtNs, 850 + 4000, 5);
}

constexpr double KiB = 1024, MiB = 1024 * KiB;

TEST(EventOverhead, TheFirstPieceOfAnUploadIsTheHosts) {
  // H100, medians: bytes, between the events, the call; CUPTI's record.
  const double measured[][4] = {
      {4 * KiB, 4352, 2835, 992},        {64 * KiB, 24544, 19037, 5489},
      {256 * KiB, 28400, 21436, 7240},   {MiB, 87584, 66308, 21630},
      {4 * MiB, 328192, 307200, 252923}, {16 * MiB, 1241600, 1221414, 1121580},
  };
  for (auto &[bytes, elapsed, call, truth] : measured) {
    Corrected upload = takeOff(WorkClass::StagedUpload, elapsed, call, 0, Empty, bytes);
    EXPECT_LE(std::abs(upload.ns - truth), upload.doubtNs) << bytes;
    EXPECT_LT(upload.doubtNs, 2000 + 0.19 * truth) << bytes;
  }
  // Behind other work the host's part is over when the device begins.
  Corrected queued = takeOff(WorkClass::StagedUpload, 23500, 66308, 200000, Empty, MiB);
  EXPECT_LE(std::abs(queued.ns - 21630), queued.doubtNs);
}

TEST(EventOverhead, TheLastPiecesOfADownloadAreTheHosts) {
  const double link = 0.0184; // ns a byte
  const double measured[][4] = {
      {4 * KiB, 10480, 9216, 1562},      {64 * KiB, 16768, 15710, 2697},
      {256 * KiB, 36096, 34896, 6282},   {MiB, 112576, 111156, 24300},
      {4 * MiB, 347968, 346248, 235858}, {16 * MiB, 1229552, 1227473, 1080741},
  };
  for (auto &[bytes, elapsed, call, truth] : measured) {
    Corrected download = takeOff(WorkClass::StagedDownload, elapsed, call, 0, Empty, bytes,
                                 {EngineChange::None, link});
    EXPECT_LE(std::abs(download.ns - truth), download.doubtNs) << bytes;
    EXPECT_LT(download.doubtNs, 950 + 0.36 * download.ns) << bytes;
  }
  // Nobody knows the link: anything from nothing to all of the host's share lies in the pair.
  Corrected open = takeOff(WorkClass::StagedDownload, 86000, 0, 0, Empty, MiB);
  EXPECT_LE(open.ns - open.doubtNs, 25000);
  EXPECT_GE(open.ns + open.doubtNs, 79000);
  // What goes straight to pinned memory has no such share.
  EXPECT_LT(takeOff(WorkClass::BlockingCopy, 86000, 0, 0, Empty, MiB).doubtNs, 4500);
}

TEST(EventOverhead, ChangingEnginesTakesTheDeviceAWhile) {
  // A kernel of 1.2 us behind an upload that is under way, H100: 3.4 to 11 us between the events.
  Corrected same = takeOff(WorkClass::Kernel, 1220 + 2150, 4000, 70000, Empty, 0);
  Corrected other =
      takeOff(WorkClass::Kernel, 1220 + 5500, 4000, 70000, Empty, 0, {EngineChange::Likely, 0});
  EXPECT_LE(std::abs(same.ns - 1220), same.doubtNs);
  EXPECT_LE(std::abs(other.ns - 1220), other.doubtNs);
  EXPECT_GT(other.doubtNs, same.doubtNs);
  Corrected perhaps =
      takeOff(WorkClass::Kernel, 1220 + 2150, 4000, 70000, Empty, 0, {EngineChange::Perhaps, 0});
  EXPECT_DOUBLE_EQ(perhaps.ns, same.ns);
  EXPECT_NEAR(perhaps.doubtNs, other.doubtNs + 1000, 1);
  // On a stream that has run dry nothing has to be changed.
  Corrected dry = takeOff(WorkClass::Kernel, 14000, 4000, 0, Empty, 0, {EngineChange::Likely, 0});
  EXPECT_DOUBLE_EQ(dry.ns, takeOff(WorkClass::Kernel, 14000, 4000, 0, Empty, 0).ns);
}
