// Totals of a site from its samples and from what all its calls took of the host.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/SampledProfile.h"
#include "time/sampled/totals/TimeStore.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::timing;

namespace {

constexpr SiteIndex HeldUp = 7;

/// 160 operations of 4 us, of which 20 were timed. In one of these the host was held up, and the
/// device, too; in calls that were not timed the host was, often.
profile::DeviceTime timesOfHeldUp(DeviceWorkKind work) {
  clearTimeStore();
  OperationKind kind;
  kind.work = work;
  TimedOperation timed;
  timed.site = HeldUp;
  timed.epoch = timesEpoch();
  timed.level = 3;
  for (int i = 0; i < 20; ++i) {
    noteMade(HeldUp, timed.level, 8);
    bool isNew = false;
    timed.row = rowOf(HeldUp, kind, isNew);
    timed.hostNs = i == 10 ? 5e6 : 60000 + 100 * i;
    noteTimed(timed, 0, i == 10 ? 12000 : 4000, 100);
  }
  KnownOperations known;
  known.calls = 160;
  known.hostNs = 160 * 2e6;
  profile::DeviceTime time;
  addSampledTime(time, HeldUp, known);
  clearTimeStore();
  return time;
}

TEST(SampledProfile, WhatHoldsTheHostUpMakesNoKernelLonger) {
  const profile::DeviceTime time = timesOfHeldUp(DeviceWorkKind::Kernel);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_NEAR(double(time.rows[0].total_ns), 160 * 4400, 160 * 50);
}

TEST(SampledProfile, ButCopiesOfPageableMemory) {
  const profile::DeviceTime time = timesOfHeldUp(DeviceWorkKind::Copy);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_GT(double(time.rows[0].total_ns), 160 * 6000);
}

} // namespace
