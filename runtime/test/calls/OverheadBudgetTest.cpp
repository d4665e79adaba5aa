// The token bucket: never more than the budget over any stretch, and what is not spent is saved.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using gpuinstr::forgetOwnCosts;
using gpuinstr::noteCostBeside;
using gpuinstr::noteOwnCost;
using gpuinstr::OverheadBudget;
using gpuinstr::OwnConsumer;
using gpuinstr::ownCostNs;

namespace {

constexpr uint64_t MsInNs = 1000000, Second = 1000 * MsInNs;

TEST(OwnCosts, WhatNobodyElseTookIsBookkeeping) {
  forgetOwnCosts();
  noteOwnCost(OwnConsumer::DeviceLooks, 300);
  noteOwnCost(OwnConsumer::DeviceLooks, 100);
  noteOwnCost(OwnConsumer::Trace, 50);
  EXPECT_EQ(ownCostNs(OwnConsumer::DeviceLooks, 1000), 400u);
  EXPECT_EQ(ownCostNs(OwnConsumer::HostLooks, 1000), 0u);
  EXPECT_EQ(ownCostNs(OwnConsumer::Bookkeeping, 1000), 550u);
  EXPECT_EQ(ownCostNs(OwnConsumer::Bookkeeping, 100), 0u) << "never less than nothing";
  noteCostBeside(OwnConsumer::Telemetry, 700);
  EXPECT_EQ(ownCostNs(OwnConsumer::Telemetry, 1000), 700u);
  EXPECT_EQ(ownCostNs(OwnConsumer::Bookkeeping, 1000), 550u) << "the program's threads had no part";
  forgetOwnCosts();
}

TEST(OverheadBudget, TheFirstStockIsThereAtOnce) {
  OverheadBudget g(2, Second);
  EXPECT_TRUE(g.takeAt(3 * MsInNs, Second));
  EXPECT_TRUE(g.takeAt(2 * MsInNs, Second));
  EXPECT_FALSE(g.takeAt(1, Second)) << "all of it is spent";
  EXPECT_EQ(g.spentNs(), 5 * MsInNs);
  EXPECT_EQ(g.refusals(), 1u);
}

TEST(OverheadBudget, FirstSamplesHaveAPurseOfTheirOwn) {
  OverheadBudget g(2, Second * 1000000);
  while (g.take(MsInNs)) // nothing is earned before that time
    ;
  while (g.takeFirst(MsInNs))
    ;
  int64_t taken = 0;
  while (g.takeFirstSample(MsInNs / 4))
    taken += MsInNs / 4;
  EXPECT_EQ(taken, OverheadBudget::FirstSamplesNs);
  OverheadBudget off(0, Second);
  EXPECT_FALSE(off.takeFirstSample(1));
}

TEST(OverheadBudget, TokensGrowWithWallTime) {
  OverheadBudget g(2, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  EXPECT_FALSE(g.takeAt(MsInNs, 49 * MsInNs)) << "2 % of 49 ms is less than 1 ms";
  EXPECT_TRUE(g.takeAt(MsInNs, 50 * MsInNs));
  EXPECT_FALSE(g.takeAt(MsInNs, 99 * MsInNs));
  EXPECT_TRUE(g.takeAt(MsInNs, 100 * MsInNs));
}

TEST(OverheadBudget, OverAnyLongRunTheBudgetHolds) {
  OverheadBudget g(2, 0);
  for (uint64_t now = 0; now < 10 * Second; now += MsInNs / 10)
    g.takeAt(30000, now);
  constexpr uint64_t Earning =
      OverheadBudget::WholeNs + (10 * Second - OverheadBudget::WholeNs) / 2;
  EXPECT_LE(g.spentNs(), Earning / 50 + OverheadBudget::FirstStockNs);
  EXPECT_GE(g.spentNs(), Earning / 50 - MsInNs) << "what the budget gives is used";
}

TEST(OverheadBudget, LaterTimeEarnsHalf) {
  OverheadBudget g(2, Second);
  const uint64_t whole = Second + OverheadBudget::WholeNs;
  while (g.takeAt(MsInNs / 10, whole))
    ;
  EXPECT_FALSE(g.takeAt(MsInNs, whole + 99 * MsInNs)) << "1 % of 99 ms";
  EXPECT_TRUE(g.takeAt(MsInNs, whole + 100 * MsInNs));
  g.chargeAt(0, whole + 100 * MsInNs);
  g.chargeAt(10 * MsInNs, whole + 1100 * MsInNs); // of 10 ms earned at most seven eighths
  EXPECT_FALSE(g.takeAt(1300000, whole + 1100 * MsInNs));
  EXPECT_TRUE(g.takeAt(1200000, whole + 1100 * MsInNs));
}

TEST(OverheadBudget, WhereAllTimeIsGivenAllOfItEarns) {
  OverheadBudget g(100, 0);
  while (g.takeAt(MsInNs, 10 * Second))
    ;
  EXPECT_TRUE(g.takeAt(10 * MsInNs, 10 * Second + 10 * MsInNs));
}

TEST(OverheadBudget, SavingsAreBounded) {
  OverheadBudget g(2, 0);
  uint64_t spent = 0;
  while (g.takeAt(MsInNs, 1000 * Second))
    spent += MsInNs;
  EXPECT_EQ(spent, OverheadBudget::MaxStockNs) << "not the 20 s that 1000 s would give";
  EXPECT_FALSE(g.takeAt(OverheadBudget::MaxStockNs + 1, 100000 * Second));
}

TEST(OverheadBudget, CorrectionsCount) {
  OverheadBudget g(10, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  g.correct(int64_t(MsInNs));
  EXPECT_FALSE(g.takeAt(MsInNs, 10 * MsInNs)) << "the debt comes first";
  EXPECT_TRUE(g.takeAt(MsInNs, 20 * MsInNs));
  g.correct(-int64_t(MsInNs));
  EXPECT_TRUE(g.takeAt(MsInNs, 20 * MsInNs));
  EXPECT_EQ(g.spentNs(), OverheadBudget::FirstStockNs + 2 * MsInNs);
}

TEST(OverheadBudget, SomeIsSpentBeforeItIsEarned) {
  OverheadBudget g(2, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  EXPECT_FALSE(g.takeAt(1, 0));
  EXPECT_TRUE(g.takeAt(3 * MsInNs, 0, OverheadBudget::AheadNs));
  EXPECT_FALSE(g.takeAt(3 * MsInNs, 0, OverheadBudget::AheadNs)) << "no more than that";
  EXPECT_TRUE(g.takeAt(2 * MsInNs, 0, OverheadBudget::AheadNs));
  EXPECT_FALSE(g.takeAt(MsInNs, 299 * MsInNs)) << "the 5 ms come first";
  EXPECT_TRUE(g.takeAt(MsInNs, 300 * MsInNs));
}

TEST(OverheadBudget, SmallBudgetsGetLessInAdvance) {
  OverheadBudget g(1, 0);
  EXPECT_FALSE(g.takeAt(OverheadBudget::FirstStockNsPerCent + 1, 0));
  EXPECT_TRUE(g.takeAt(OverheadBudget::FirstStockNsPerCent, 0));
  g.restart(10, 0);
  EXPECT_FALSE(g.takeAt(OverheadBudget::FirstStockNs + 1, 0));
  EXPECT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
}

TEST(OverheadBudget, NoBudgetNoWork) {
  OverheadBudget g(0, 0);
  EXPECT_FALSE(g.takeAt(1, 100 * Second));
  g.correct(-5);
  EXPECT_FALSE(g.takeAt(1, 100 * Second));
}

TEST(OverheadBudget, ThreadsShareOneStock) {
  OverheadBudget g(2, 0);
  std::vector<std::thread> threads;
  std::atomic<uint64_t> taken{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i)
        if (g.takeAt(1000, 0))
          taken += 1000;
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(taken.load(), OverheadBudget::FirstStockNs);
  EXPECT_EQ(g.spentNs(), OverheadBudget::FirstStockNs);
}

} // namespace
