// Tests of the interval that the benchmarks report.
// SPDX-License-Identifier: Apache-2.0
#include "statistics/Statistics.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace gpuinstr::bench;

static std::vector<double> upTo(int n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(medianInterval({3, 1, 2}).median, 2);
  EXPECT_EQ(medianInterval({4, 1, 3, 2}).median, 2.5);
}

// The tables of the sign test: n = 30 takes the 10th and 21st value, n = 6 the smallest and
// largest.
TEST(Statistics, IntervalMatchesTheSignTest) {
  Interval thirty = medianInterval(upTo(30));
  EXPECT_EQ(thirty.low, 10);
  EXPECT_EQ(thirty.high, 21);
  Interval six = medianInterval(upTo(6));
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
}

TEST(Statistics, FewValuesGiveTheWholeRange) {
  Interval two = medianInterval({1, 5});
  EXPECT_EQ(two.low, 1);
  EXPECT_EQ(two.high, 5);
  Interval one = medianInterval({7});
  EXPECT_EQ(one.low, 7);
  EXPECT_EQ(one.high, 7);
}

TEST(Statistics, CoversTheTrueMedianAtLeastAsOftenAsItSays) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 1); // true median 1
  int covered = 0;
  const int trials = 2000;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> values(31);
    for (double &v : values)
      v = noise(random);
    Interval i = medianInterval(values);
    covered += i.low <= 1 && 1 <= i.high;
  }
  EXPECT_GE(covered, trials * 94 / 100);
  EXPECT_LT(covered, trials);
}
