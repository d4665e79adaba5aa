// Samples by site and kind of operation.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/TimeStore.h"
#include <gtest/gtest.h>

using namespace gpuinstr::timing;

namespace {

constexpr uint32_t Site = 7;

void time(uint32_t row, double ns, double doubtNs, bool isLate = false) {
  noteMade(Site, 0, 1);
  TimedOperation timed;
  timed.site = Site;
  timed.epoch = timesEpoch();
  timed.row = row;
  timed.bytes = 16;
  noteTimed(timed, 0, ns, doubtNs, isLate);
}

/// Of the site's only row.
Samples samples() {
  SiteTime site;
  EXPECT_TRUE(timesOf(Site, site));
  return site.rows.at(0).everywhere();
}

uint32_t newRow() {
  clearTimeStore();
  bool isNew = false;
  return rowOf(Site, OperationKind(), isNew);
}

TEST(TimeStore, AFirstLaunchThatLoadsItsKernelIsNoSampleOnceThereAreBetterOnes) {
  uint32_t row = newRow();
  time(row, 2e6, 1.2e7);
  for (int i = 0; i < 6; ++i)
    time(row, 5000, 900);
  EXPECT_EQ(samples().count(), 7u);
  for (int i = 0; i < 3; ++i)
    time(row, 5000, 900);
  EXPECT_EQ(samples().count(), 9u);
  EXPECT_DOUBLE_EQ(samples().doubtNs, 9 * 900);
  EXPECT_DOUBLE_EQ(samples().maxNs, 5000);
  SiteTime site;
  ASSERT_TRUE(timesOf(Site, site));
  EXPECT_DOUBLE_EQ(site.rows[0].bytes, 9 * 16);
  const Estimate total = estimate(site.made, site.all, samples());
  EXPECT_NEAR(total.totalNs, 10 * 5000, 1);
  EXPECT_NEAR(total.count, 10, 1e-9);
  EXPECT_LT(total.ciNs, 10 * 1000);
}

TEST(TimeStore, SamplesThatAreAllAsUncertainStay) {
  uint32_t row = newRow();
  for (int i = 0; i < 20; ++i)
    time(row, 1e5, 9e4);
  EXPECT_EQ(samples().count(), 20u);
}

TEST(TimeStore, OnlyAFirstOneGoes) {
  uint32_t row = newRow();
  time(row, 5000, 900);
  time(row, 2e6, 1.2e7);
  for (int i = 0; i < 18; ++i)
    time(row, 5000, 900);
  EXPECT_EQ(samples().count(), 20u);
}

TEST(TimeStore, WhatTheHostIssuedTooLateStandsUntilThereAreEnoughOthers) {
  uint32_t row = newRow();
  for (int i = 0; i < 8; ++i)
    time(row, 1500, 2000, true);
  for (int i = 0; i < 6; ++i)
    time(row, 4700, 600);
  EXPECT_EQ(samples().count(), 14u) << "too few";
  EXPECT_DOUBLE_EQ(samples().minNs, 1500);
  for (int i = 0; i < 2; ++i)
    time(row, 4700, 600);
  EXPECT_EQ(samples().count(), 8u);
  EXPECT_DOUBLE_EQ(samples().minNs, 4700);
  SiteTime site;
  ASSERT_TRUE(timesOf(Site, site));
  EXPECT_DOUBLE_EQ(site.rows[0].bytes, 8 * 16);
  const Estimate total = estimate(site.made, site.all, samples());
  EXPECT_NEAR(total.totalNs, 16 * 4700, 1) << "they stand for the others";
  EXPECT_LT(total.ciNs, 0.14 * total.totalNs);
  // Most of a slow host's are late: they are all there is.
  for (int i = 0; i < 2; ++i)
    time(row, 1500, 2000, true);
  EXPECT_EQ(samples().count(), 18u);
  EXPECT_DOUBLE_EQ(samples().doubtNs, 8 * 600 + 10 * 2000);
}

} // namespace
