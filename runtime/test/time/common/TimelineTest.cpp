// A device's time and what it went into.
// SPDX-License-Identifier: Apache-2.0
#include "time/common/Timeline.h"
#include "time/common/Occupancy.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace gpuinstr::timing {

namespace {

uint64_t part(const TimelineTotals &t, Activity a) { return t.ns[size_t(a)]; }
uint64_t sum(const TimelineTotals &t) {
  return std::accumulate(t.ns, t.ns + Activities, uint64_t(0));
}

} // namespace

TEST(Timeline, PartsAreDisjointAndAddUp) {
  Timeline line(1000);
  line.add(Activity::Kernel, 2000, 3000);
  line.add(Activity::Kernel, 2500, 3500); // beside the first
  line.add(Activity::HostToDevice, 3200, 4000);
  line.add(Activity::DeviceToHost, 3900, 4100);
  line.add(Activity::Sync, 1500, 5000);
  line.add(Activity::Allocation, 5200, 5300);
  TimelineTotals t = line.totals(6000);
  EXPECT_EQ(part(t, Activity::Kernel), 1500u);
  EXPECT_EQ(part(t, Activity::HostToDevice), 500u);
  EXPECT_EQ(part(t, Activity::DeviceToHost), 100u);
  EXPECT_EQ(part(t, Activity::Sync), 1400u) << "only while the device is idle";
  EXPECT_EQ(part(t, Activity::Allocation), 100u);
  EXPECT_EQ(part(t, Activity::Host), 1400u);
  EXPECT_EQ(sum(t), 5000u);
  EXPECT_EQ(t.kernelNs, 1500u);
  EXPECT_EQ(t.copyNs, 900u);
  EXPECT_EQ(t.bothNs, 300u);
}

TEST(Timeline, WhatIsNotRecordedIsNoCauseButWorkGoesOn) {
  Timeline line(0);
  line.add(Activity::Kernel, 100, 300); // of a recorded call
  line.add(Activity::Paused, 200, 600);
  line.add(Activity::Sync, 400, 700);
  TimelineTotals t = line.totals(800);
  EXPECT_EQ(part(t, Activity::Kernel), 200u);
  EXPECT_EQ(part(t, Activity::Paused), 300u);
  EXPECT_EQ(part(t, Activity::Sync), 100u);
  EXPECT_EQ(part(t, Activity::Host), 200u);
}

TEST(Timeline, AnEmptyOneIsAllHost) {
  TimelineTotals t = Timeline(10).totals(110);
  EXPECT_EQ(part(t, Activity::Host), 100u);
  EXPECT_EQ(sum(t), 100u);
}

TEST(Timeline, SettlingChangesNothingAndKeepsMemoryFlat) {
  std::mt19937 random(7);
  Timeline whole(0), settled(0);
  uint64_t now = 0;
  for (int i = 0; i < 400000; ++i) {
    auto activity = Activity(random() % (Activities - 1));
    uint64_t start = now + random() % 500, length = random() % 2000;
    if (i < 60000)
      whole.add(activity, start, start + length);
    settled.add(activity, start, start + length);
    if (settled.isFull())
      settled.settle(now);
    now += random() % 300;
    if (i == 59999) {
      TimelineTotals a = whole.totals(now), b = settled.totals(now);
      for (size_t k = 0; k < Activities; ++k)
        EXPECT_EQ(a.ns[k], b.ns[k]) << k;
      EXPECT_EQ(a.bothNs, b.bothNs);
      EXPECT_EQ(a.turns, b.turns);
    }
  }
  EXPECT_LT(settled.kept(), 100000u);
  EXPECT_EQ(sum(settled.totals(now)), now);
}

TEST(Timeline, TurnsCountCopiesThatBeginAfterKernels) {
  Timeline line(0);
  for (uint64_t i = 0; i < 10; ++i) {
    line.add(Activity::HostToDevice, i * 100, i * 100 + 40);
    line.add(Activity::Kernel, i * 100 + 50, i * 100 + 90);
  }
  EXPECT_EQ(line.totals(1000).turns, 9u);
}

TEST(Occupancy, AsTheOccupancyCalculatorHasIt) {
  MultiprocessorLimits h200{2048, 32, 65536, 233472, 1024};
  EXPECT_DOUBLE_EQ(occupancyPercent(h200, 256, 32, 0), 100);
  EXPECT_DOUBLE_EQ(occupancyPercent(h200, 256, 64, 0), 50);
  EXPECT_DOUBLE_EQ(occupancyPercent(h200, 1024, 40, 0), 50) << "51 warps by registers, one block";
  EXPECT_DOUBLE_EQ(occupancyPercent(h200, 32, 16, 0), 50) << "32 blocks of one warp";
  EXPECT_DOUBLE_EQ(occupancyPercent(h200, 128, 32, 100000), 12.5) << "two blocks by shared memory";
  EXPECT_DOUBLE_EQ(occupancyPercent({}, 256, 32, 0), 0) << "unknown";
}

} // namespace gpuinstr::timing
