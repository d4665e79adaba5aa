// Estimates from samples: their intervals hold what they promise.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/Estimate.h"
#include "time/sampled/Sampler.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace gpuinstr::timing;

namespace {

struct Run {
  uint64_t made[Levels] = {};
  Samples all, parts[2];
  double truth[2] = {}; ///< total of each kind
};

using Random = std::mt19937_64;
/// Duration of operation `i` in ns; `kind` is 0 or 1.
using Model = std::function<double(Random &, int i, int &kind)>;

/// Operations 3 us apart, timed as the sampler would.
Run simulate(unsigned seed, int operations, const Model &model) {
  Run run;
  Random random(seed);
  uint64_t due = 0, stride = 1, left = 1;
  unsigned level = 0;
  for (int i = 0; i < operations; ++i) {
    int kind = 0;
    double ns = model(random, i, kind);
    run.truth[kind] += ns;
    if (--left)
      continue;
    run.made[level] += stride;
    run.all.add(level, ns, 0);
    run.parts[kind].add(level, ns, 0);
    level = levelFor(++due, 3000, 3000, 0.005, 16);
    uint64_t mean = uint64_t(1) << level;
    left = stride = level ? 1 + random() % (2 * mean - 1) : 1;
  }
  run.made[level] += stride - left;
  return run;
}

/// In how many of 100 runs the truth of `kind` lies in the interval.
int covered(int operations, const Model &model, int kind, int kinds) {
  int inside = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Run run = simulate(seed, operations, model);
    Estimate e = estimate(run.made, run.all, kinds == 1 ? run.all : run.parts[kind]);
    inside += std::abs(e.totalNs - run.truth[kind]) <= e.ciNs;
  }
  return inside;
}

/// What is known of a run's 390 calls of which one in three is timed; `host` is told of all.
struct HostRun {
  uint64_t made[Levels] = {};
  Samples all;
  HostTimes host;
  double truth = 0;
};
HostRun runOfCalls(unsigned seed, double sharedSigma, double ownSigma) {
  HostRun run;
  Random random(seed);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 390; ++i) {
    const double shared = 3e5 * std::exp(sharedSigma * normal(random));
    const double ns = shared * std::exp(0.03 * normal(random));
    const double hostNs = 2e4 + shared * std::exp(ownSigma * normal(random));
    const unsigned level = i < 32 ? 0 : 2;
    ++run.made[level];
    ++run.host.calls;
    run.host.ns += hostNs;
    run.truth += ns;
    if (level == 0 || random() % 4 == 0)
      run.all.add(level, ns, 0, hostNs);
  }
  return run;
}

double logNormal(Random &random, double median, double sigma) {
  return median * std::exp(sigma * std::normal_distribution<double>()(random));
}

} // namespace

TEST(Estimate, CoversEqualKernelsWithLittleSpread) {
  Model model = [](Random &random, int, int &) { return logNormal(random, 5000, 0.05); };
  EXPECT_GE(covered(100000, model, 0, 1), 90);
}

TEST(Estimate, CoversKernelsOfDifferentLength) {
  Model model = [](Random &random, int, int &) { return logNormal(random, 5000, 0.6); };
  EXPECT_GE(covered(100000, model, 0, 1), 90);
}

TEST(Estimate, CoversKernelsThatGrowWhileTheProgramRuns) {
  Model model = [](Random &random, int i, int &) { return logNormal(random, 2000 + i * 0.1, 0.1); };
  EXPECT_GE(covered(100000, model, 0, 1), 90);
}

TEST(Estimate, CoversKernelsThatRepeatInAPeriod) {
  Model model = [](Random &random, int i, int &) {
    return logNormal(random, i % 8 ? 2000 : 20000, 0.05);
  };
  EXPECT_GE(covered(100000, model, 0, 1), 90);
}

TEST(Estimate, CoversEachOfTwoKernelsOfOneSite) {
  Model model = [](Random &random, int, int &kind) {
    kind = random() % 3 == 0;
    return logNormal(random, kind ? 9000 : 3000, 0.2);
  };
  EXPECT_GE(covered(100000, model, 0, 2), 90);
  EXPECT_GE(covered(100000, model, 1, 2), 90);
}

TEST(Estimate, IsExactWhereAllWereTimed) {
  uint64_t made[Levels] = {3};
  Samples all;
  for (double ns : {1000., 2000., 6000.})
    all.add(0, ns, 0);
  Estimate e = estimate(made, all, all);
  EXPECT_DOUBLE_EQ(e.totalNs, 9000);
  EXPECT_DOUBLE_EQ(e.count, 3);
  EXPECT_DOUBLE_EQ(e.ciNs, 0);
  EXPECT_DOUBLE_EQ(all.minNs, 1000);
  EXPECT_DOUBLE_EQ(all.maxNs, 6000);
}

TEST(Estimate, DoubtOfThePairsDoesNotAverageOut) {
  uint64_t made[Levels] = {400};
  Samples all;
  for (int i = 0; i < 400; ++i)
    all.add(0, 5000, 450);
  EXPECT_NEAR(estimate(made, all, all).ciNs, 400 * 450, 1);
}

TEST(Estimate, OneSampleOfSeveralPromisesNothing) {
  uint64_t made[Levels] = {4};
  Samples all;
  all.add(0, 20000, 900);
  Estimate e = estimate(made, all, all);
  EXPECT_DOUBLE_EQ(e.totalNs, 80000);
  EXPECT_GE(e.ciNs, e.totalNs); // the report: +-100 % or more
  made[0] = 1;
  e = estimate(made, all, all);
  EXPECT_DOUBLE_EQ(e.ciNs, 900); // timed all there was
}

TEST(Estimate, NothingTimedIsNothing) {
  uint64_t made[Levels] = {10};
  Samples none;
  Estimate e = estimate(made, none, none);
  EXPECT_EQ(e.totalNs, 0);
  EXPECT_EQ(e.count, 0);
}

TEST(Samples, AddUp) {
  Samples all, one, two;
  for (unsigned i = 0; i < 20; ++i) {
    all.add(i % 3, 100 + i, i);
    (i < 7 ? one : two).add(i % 3, 100 + i, i);
  }
  one.add(Samples()); // nothing
  Samples sum;
  sum.add(two);
  sum.add(one);
  EXPECT_EQ(sum.count(), 20u);
  EXPECT_EQ(sum.minNs, 100);
  EXPECT_EQ(sum.maxNs, 119);
  EXPECT_EQ(sum.doubtNs, all.doubtNs);
  for (unsigned l = 0; l < Levels; ++l) {
    EXPECT_EQ(sum.levels[l].samples, all.levels[l].samples);
    EXPECT_EQ(sum.levels[l].sum, all.levels[l].sum);
    EXPECT_EQ(sum.levels[l].squares, all.levels[l].squares);
  }
}

TEST(Estimate, StudentTIsTheTablesValue) {
  EXPECT_NEAR(studentT(1), 12.706, 0.001);
  EXPECT_NEAR(studentT(4), 2.776, 0.001);
  EXPECT_NEAR(studentT(10), 2.228, 0.01);
  EXPECT_NEAR(studentT(1e6), 1.960, 0.001);
}

TEST(SamplingLevel, NewSitesAreTimedEveryTime) {
  for (uint64_t due = 0; due < 16; ++due)
    EXPECT_EQ(levelFor(due, 100, 5000, 0.005, 16), 0u);
}

TEST(SamplingLevel, WhereThereAreManySitesEachIsTimedLess) {
  EXPECT_EQ(denseTurns(0), 16u);
  EXPECT_EQ(denseTurns(32), 16u);
  EXPECT_EQ(denseTurns(60), 8u);
  EXPECT_EQ(denseTurns(100000), 4u);
  EXPECT_EQ(levelFor(7, 100, 5000, 0.005, 8), 0u);
  EXPECT_EQ(levelFor(8, 100, 5000, 0.005, 8), 1u);
}

TEST(SamplingLevel, LongOperationsStayTimedEveryTime) {
  EXPECT_EQ(levelFor(100000, 10e6, 5000, 0.005, 16), 0u); // 5 us each 10 ms
}

TEST(SamplingLevel, HotShortOnesGetRareButOnlyAsTheirShareAsks) {
  EXPECT_LT(levelFor(32, 3000, 3000, 0.005, 16), levelFor(100, 3000, 3000, 0.005, 16));
  EXPECT_EQ(levelFor(1u << 30, 3000, 3000, 0.005, 16), 8u); // 1 in 256: 3 us in 768 us
  EXPECT_LT(levelFor(~uint64_t(0), 0.001, 1e9, 1e-9, 16), Levels);
}

TEST(Estimate, WhatAllCallsTookOfTheHostTellsOfThoseThatWereNotTimed) {
  int inside = 0;
  double with = 0, without = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    HostRun run = runOfCalls(seed, 0.8, 0.1);
    Estimate plain = estimate(run.made, run.all, run.all),
             told = estimate(run.made, run.all, run.all, run.host);
    inside += std::abs(told.totalNs - run.truth) <= told.ciNs;
    with += told.ciNs / run.truth;
    without += plain.ciNs / run.truth;
    EXPECT_DOUBLE_EQ(told.count, plain.count);
  }
  EXPECT_GE(inside, 90);
  EXPECT_LT(with, without / 3);
  EXPECT_LT(with / 100, 0.06);
}

TEST(Estimate, ButNotWhereItHasNothingToDoWithTheDevice) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    HostRun run = runOfCalls(seed, 0.1, 1.2);
    Estimate plain = estimate(run.made, run.all, run.all),
             told = estimate(run.made, run.all, run.all, run.host);
    EXPECT_DOUBLE_EQ(told.totalNs, plain.totalNs);
    EXPECT_DOUBLE_EQ(told.ciNs, plain.ciNs);
  }
}

TEST(Estimate, NorWhereOtherCallsAreAmongThem) {
  HostRun run = runOfCalls(1, 0.8, 0.1);
  Estimate plain = estimate(run.made, run.all, run.all);
  run.host.calls += 100;
  Estimate told = estimate(run.made, run.all, run.all, run.host);
  EXPECT_DOUBLE_EQ(told.totalNs, plain.totalNs);
}
