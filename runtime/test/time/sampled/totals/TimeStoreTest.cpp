// Samples by site and kind of operation.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/TimeStore.h"
#include <gtest/gtest.h>

using namespace gpuinstr::timing;

namespace {

constexpr uint32_t Site = 7;

void time(uint32_t row, double ns, double doubtNs, bool isPoor = false) {
  noteMade(Site, 0, 1);
  TimedOperation timed;
  timed.site = Site;
  timed.epoch = timesEpoch();
  timed.row = row;
  timed.bytes = 16;
  noteTimed(timed, 0, ns, doubtNs, isPoor);
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

TEST(TimeStore, PoorSamplesStandUntilThereAreEnoughOthers) {
  uint32_t row = newRow();
  for (int i = 0; i < 28; ++i)
    time(row, 1500, 2000, true);
  for (int i = 0; i < 6; ++i)
    time(row, 4700, 600);
  EXPECT_EQ(samples().count(), 34u) << "too few";
  EXPECT_DOUBLE_EQ(samples().minNs, 1500);
  time(row, 4700, 600);
  EXPECT_EQ(samples().count(), 7u);
  EXPECT_DOUBLE_EQ(samples().minNs, 4700);
  SiteTime site;
  ASSERT_TRUE(timesOf(Site, site));
  EXPECT_DOUBLE_EQ(site.rows[0].bytes, 7 * 16);
  const Estimate total = estimate(site.made, site.all, samples());
  EXPECT_NEAR(total.totalNs, 35 * 4700, 1) << "they stand for the others";
  EXPECT_LT(total.ciNs, 0.14 * total.totalNs);
  // Nearly all of a slow host's are poor: they are what there is.
  time(row, 1500, 2000, true);
  EXPECT_EQ(samples().count(), 36u);
  EXPECT_DOUBLE_EQ(samples().doubtNs, 7 * 600 + 29 * 2000);
}

bool isKnownAt(uint64_t due) {
  while (noteMade(Site, 0, 1).due < due)
    ;
  reviewSite(Site);
  return noteMade(Site, 0, 1).isKnown;
}

TEST(TimeStore, ASiteIsKnownOnceItsSamplesAreAlike) {
  uint32_t row = newRow();
  for (int i = 0; i < 7; ++i)
    time(row, i % 2 ? 60000 : 62000, 900);
  EXPECT_TRUE(isKnownAt(8));
  // They change: it is not, until so many tell the mean.
  for (int i = 0; i < 7; ++i)
    time(row, 150000, 900);
  EXPECT_FALSE(isKnownAt(20));
  row = newRow();
  for (int i = 0; i < 3; ++i)
    time(row, 60000, 900);
  EXPECT_FALSE(isKnownAt(16)) << "the others were not read yet";
}

TEST(TimeStore, NotWhereThePairsLeaveMuchOpen) {
  uint32_t row = newRow();
  for (int i = 0; i < 7; ++i)
    time(row, 60000, 9000);
  EXPECT_FALSE(isKnownAt(8));
  row = newRow();
  for (int i = 0; i < 7; ++i)
    time(row, 60000, 4000);
  EXPECT_TRUE(isKnownAt(8));
  for (int i = 0; i < 30; ++i)
    time(row, 60000, 4000, true);
  EXPECT_FALSE(isKnownAt(40)) << "too many are poor";
  row = newRow();
  for (int i = 0; i < 7; ++i)
    time(row, 20000, 100);
  EXPECT_FALSE(isKnownAt(8)) << "too short";
}

bool isSettledAt(uint64_t due) {
  isKnownAt(due);
  return noteMade(Site, 0, 1).isSettled;
}

TEST(TimeStore, ASiteIsSettledOnceTheRestIsThePairs) {
  uint32_t row = newRow();
  for (int i = 0; i < 15; ++i)
    time(row, i % 2 ? 1500 : 1700, 1800);
  EXPECT_FALSE(isSettledAt(16)) << "too few";
  time(row, 1600, 1800);
  EXPECT_TRUE(isSettledAt(20));
  row = newRow();
  for (int i = 0; i < 16; ++i)
    time(row, i % 2 ? 1500 : 9000, 1800);
  EXPECT_FALSE(isSettledAt(16)) << "they differ by more than that";
}

TEST(TimeStore, NotUntilEachLargeRowIs) {
  newRow();
  OperationKind other;
  other.function = 1;
  bool isNew = false;
  const uint32_t two = rowOf(Site, other, isNew);
  for (int i = 0; i < 7; ++i)
    time(0, 50000, 900);
  time(two, 50000, 900);
  EXPECT_FALSE(isKnownAt(12));
  newRow();
  rowOf(Site, other, isNew);
  for (int i = 0; i < 7; ++i)
    time(0, 50000, 900);
  time(two, 5000, 900);
  EXPECT_TRUE(isKnownAt(12)) << "a small one";
}

TEST(TimeStore, ASiteIsSmallBesideOthersOfItsTable) {
  newRow();
  for (int i = 0; i < 7; ++i)
    time(0, 50000, 900);
  const auto isSmall = [](SiteIndex site) {
    reviewSite(site);
    return noteMade(site, 0, 1).isSmall;
  };
  noteMade(Site, 0, 1);
  EXPECT_FALSE(isSmall(Site)) << "the only one";
  bool isNew = false;
  const auto add = [&](SiteIndex site, DeviceWorkKind work, double ns) {
    OperationKind key;
    key.work = work;
    TimedOperation timed;
    timed.site = site;
    timed.epoch = timesEpoch();
    timed.row = rowOf(site, key, isNew);
    for (int i = 0; i < 12; ++i) {
      noteMade(site, 0, 1);
      noteTimed(timed, 0, ns, 100);
    }
    return isSmall(site);
  };
  EXPECT_FALSE(add(8, DeviceWorkKind::Copy, 700)) << "of another table";
  EXPECT_TRUE(add(9, DeviceWorkKind::Kernel, 500));
  EXPECT_FALSE(add(10, DeviceWorkKind::Kernel, 1e7));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(isSmall(Site)) << "asked at each fourth";
  EXPECT_TRUE(isSmall(Site)) << "now";
}

TEST(TimeStore, AFirstLaunchThatLoadsItsKernelMakesNoOtherSmall) {
  newRow();
  bool isNew = false;
  OperationKind key;
  TimedOperation timed;
  timed.site = 8;
  timed.epoch = timesEpoch();
  timed.row = rowOf(8, key, isNew);
  for (int i = 0; i < 8; ++i) {
    noteMade(8, 0, 1);
    if (i < 7) // the eighth is read later, and then the first is judged
      noteTimed(timed, 0, i == 0 ? 6e6 : 80000, i == 0 ? 6e6 : 900);
  }
  reviewSite(8);
  for (int k = 0; k < 12; ++k)
    time(0, 5000, 600);
  reviewSite(Site);
  EXPECT_FALSE(noteMade(Site, 0, 1).isSmall);
}

} // namespace
