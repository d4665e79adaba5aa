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

constexpr uint64_t Ms = 1000000, Second = 1000 * Ms;

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
  EXPECT_TRUE(g.takeAt(3 * Ms, Second));
  EXPECT_TRUE(g.takeAt(2 * Ms, Second));
  EXPECT_FALSE(g.takeAt(1, Second)) << "all of it is spent";
  EXPECT_EQ(g.spentNs(), 5 * Ms);
  EXPECT_EQ(g.refusals(), 1u);
}

TEST(OverheadBudget, FirstSamplesHaveAPurseOfTheirOwn) {
  OverheadBudget g(2, Second * 1000000);
  while (g.take(Ms)) // nothing is earned before that time
    ;
  while (g.takeFirst(Ms))
    ;
  int64_t taken = 0;
  while (g.takeFirstSample(Ms / 4))
    taken += Ms / 4;
  EXPECT_EQ(taken, OverheadBudget::FirstSamplesNs);
  OverheadBudget off(0, Second);
  EXPECT_FALSE(off.takeFirstSample(1));
}

TEST(OverheadBudget, TokensGrowWithWallTime) {
  OverheadBudget g(2, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  EXPECT_FALSE(g.takeAt(Ms, 49 * Ms)) << "2 % of 49 ms is less than 1 ms";
  EXPECT_TRUE(g.takeAt(Ms, 50 * Ms));
  EXPECT_FALSE(g.takeAt(Ms, 99 * Ms));
  EXPECT_TRUE(g.takeAt(Ms, 100 * Ms));
}

TEST(OverheadBudget, OverAnyLongRunTheBudgetHolds) {
  OverheadBudget g(2, 0);
  for (uint64_t now = 0; now < 10 * Second; now += Ms / 10)
    g.takeAt(30000, now);
  EXPECT_LE(g.spentNs(), 10 * Second / 50 + OverheadBudget::FirstStockNs);
  EXPECT_GE(g.spentNs(), 10 * Second / 50 - Ms) << "what the budget gives is used";
}

TEST(OverheadBudget, SavingsAreBounded) {
  OverheadBudget g(2, 0);
  uint64_t spent = 0;
  while (g.takeAt(Ms, 1000 * Second))
    spent += Ms;
  EXPECT_EQ(spent, OverheadBudget::MaxStockNs) << "not the 20 s that 1000 s would give";
  EXPECT_FALSE(g.takeAt(OverheadBudget::MaxStockNs + 1, 100000 * Second));
}

TEST(OverheadBudget, CorrectionsCount) {
  OverheadBudget g(10, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  g.correct(int64_t(Ms));
  EXPECT_FALSE(g.takeAt(Ms, 10 * Ms)) << "the debt comes first";
  EXPECT_TRUE(g.takeAt(Ms, 20 * Ms));
  g.correct(-int64_t(Ms));
  EXPECT_TRUE(g.takeAt(Ms, 20 * Ms));
  EXPECT_EQ(g.spentNs(), OverheadBudget::FirstStockNs + 2 * Ms);
}

TEST(OverheadBudget, SomeIsSpentBeforeItIsEarned) {
  OverheadBudget g(2, 0);
  ASSERT_TRUE(g.takeAt(OverheadBudget::FirstStockNs, 0));
  EXPECT_FALSE(g.takeAt(1, 0));
  EXPECT_TRUE(g.takeAt(3 * Ms, 0, OverheadBudget::AheadNs));
  EXPECT_FALSE(g.takeAt(3 * Ms, 0, OverheadBudget::AheadNs)) << "no more than that";
  EXPECT_TRUE(g.takeAt(2 * Ms, 0, OverheadBudget::AheadNs));
  EXPECT_FALSE(g.takeAt(Ms, 299 * Ms)) << "the 5 ms come first";
  EXPECT_TRUE(g.takeAt(Ms, 300 * Ms));
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
