// Which captures are looked at, and what that costs.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/CapturePlan.h"
#include "FakeDevice.h"
#include "base/Part.h"
#include "calls/budget/OverheadBudget.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

TEST(CapturePlan, LooksAtTheFirstAndThenAsTheBudgetAllows) {
  using timing::CapturePlan;
  setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
  overheadBudgetPart().childAfterFork();
  CapturePlan plan;
  const CapturePlan::Place here{1, 0}, there{1, 2};
  uint64_t taken = 1;
  auto spendAll = [] {
    while (overheadBudget().takeAhead(1000))
      ;
  };
  spendAll();
  EXPECT_TRUE(plan.wantsLook(here, taken)) << "the first, whatever it costs";
  EXPECT_EQ(taken, 0u);
  plan.looked(here, 100000000, taken);
  plan.captured(here, {7, 8});
  EXPECT_FALSE(plan.wantsLook(here, taken));
  EXPECT_EQ(*plan.lastOf(here), (timing::Lines{7, 8}));
  EXPECT_TRUE(plan.wantsLook(there, taken)) << "the same wrapper, called from elsewhere";
  EXPECT_FALSE(plan.lastOf(there));
  plan.looked(there, 0, taken);
  overheadBudgetPart().childAfterFork();
  EXPECT_TRUE(plan.wantsLook(there, taken));
  EXPECT_TRUE(plan.wantsLook(here, taken)) << "what once was very dear is dear at most";
  plan.looked(here, 10, taken);
  EXPECT_EQ(*plan.lastOf(here), (timing::Lines{7, 8})) << "it became no graph";
}

TEST(CapturePlan, EachLookIsPaidFor) {
  using timing::CapturePlan;
  setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
  table(); // the process has a start
  overheadBudgetPart().childAfterFork();
  CapturePlan plan;
  const CapturePlan::Place here{1, 0};
  uint64_t before = overheadBudget().spentNs(), first = 0, taken = 0;
  auto spent = [&] { return overheadBudget().spentNs() - before; };
  EXPECT_TRUE(plan.wantsLook(here, first));
  plan.looked(here, 100, first);
  constexpr uint64_t Cost = CapturePlan::CaptureNs + 100 * CapturePlan::LookNs;
  EXPECT_EQ(spent(), Cost) << "the first";
  EXPECT_TRUE(plan.wantsLook(here, taken));
  EXPECT_EQ(spent(), 2 * Cost) << "as much again, beforehand";
  plan.looked(here, 0, taken);
  EXPECT_EQ(spent(), Cost + CapturePlan::CaptureNs);
  EXPECT_TRUE(plan.wantsLook(here, taken));
  plan.looked(here, 60000, taken);
  EXPECT_EQ(spent(), Cost + 2 * CapturePlan::CaptureNs + 60000 * CapturePlan::LookNs)
      << "beyond what is asked for beforehand";
  EXPECT_FALSE(plan.wantsLook(here, taken)) << "it owes that now";
}

TEST(CapturePlan, OneIsLookedAtAfterManyThatWereNot) {
  using timing::CapturePlan;
  setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
  CapturePlan plan;
  overheadBudgetPart().childAfterFork();
  unsigned looked = 0;
  for (uint64_t i = 0; i < CapturePlan::DenseCaptures + 2 * CapturePlan::MostRefused; ++i) {
    bool late = i >= CapturePlan::DenseCaptures;
    uint64_t taken = 0;
    while (late && overheadBudget().take(1000))
      ; // others are quicker
    if (!plan.wantsLook({1, 0}, taken))
      continue;
    plan.looked({1, 0}, 2000, taken);
    looked += late;
  }
  EXPECT_GE(looked, 1u);
}

namespace {

/// Captures of one place that hold these lines, while there is always budget: how many of them are
/// looked at.
unsigned looksAmong(timing::CapturePlan &plan, uint64_t captures, const timing::Lines &lines) {
  unsigned looked = 0;
  for (uint64_t i = 0; i < captures; ++i) {
    uint64_t taken = 0;
    overheadBudgetPart().childAfterFork();
    if (!plan.wantsLook({1, 0}, taken))
      continue;
    ++looked;
    plan.looked({1, 0}, 1, taken);
    plan.captured({1, 0}, timing::Lines(lines));
  }
  return looked;
}

} // namespace

TEST(CapturePlan, WhatStaysTheSameIsLookedAtEverMoreSeldom) {
  using timing::CapturePlan;
  setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
  table(); // the process has a start
  CapturePlan plan;
  EXPECT_EQ(looksAmong(plan, CapturePlan::DenseCaptures, {7}), CapturePlan::DenseCaptures);
  looksAmong(plan, 2 * CapturePlan::MostApart, {7}); // the distance grows
  EXPECT_EQ(looksAmong(plan, 8 * CapturePlan::MostApart, {7}), 8u);
  EXPECT_GT(looksAmong(plan, 2 * CapturePlan::MostApart, {7, 8}), 8u) << "other lines: anew";
  EXPECT_EQ(*plan.lastOf({1, 0}), (timing::Lines{7, 8}));
}

TEST(CapturePlan, WhatChangesEachTimeIsLookedAtEachTime) {
  using timing::CapturePlan;
  setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
  table(); // the process has a start
  CapturePlan plan;
  for (SiteIndex i = 0; i < 4 * CapturePlan::DenseCaptures; ++i)
    EXPECT_EQ(looksAmong(plan, 1, {7, 8 + i % 2}), 1u) << i;
}
