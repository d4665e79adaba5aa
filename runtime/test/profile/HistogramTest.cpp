// Duration statistics: buckets, percentiles, spread, merging, concurrent reading.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Histogram.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace gpuinstr::profile {

constexpr uint64_t Top = uint64_t(1) << Histogram::TopBit;

TEST(Histogram, BucketsAreContiguous) {
  EXPECT_EQ(Histogram::lowest(0), 0u);
  for (unsigned i = 0; i < Histogram::Buckets; ++i) {
    EXPECT_EQ(Histogram::bucket(Histogram::lowest(i)), i);
    EXPECT_EQ(Histogram::bucket(Histogram::highest(i)), i);
    if (i) {
      EXPECT_EQ(Histogram::highest(i - 1) + 1, Histogram::lowest(i));
    }
    uint64_t width = Histogram::highest(i) - Histogram::lowest(i) + 1;
    if (width > 1) {
      EXPECT_LE(width * 16, Histogram::lowest(i));
    }
  }
  EXPECT_EQ(Histogram::highest(Histogram::Buckets - 1), Top - 1);
  EXPECT_EQ(Histogram::bucket(Top), Histogram::Buckets - 1);
  EXPECT_EQ(Histogram::bucket(UINT64_MAX), Histogram::Buckets - 1);
}

TEST(Histogram, FixedSize) { EXPECT_LE(sizeof(DurationStats), 5200u); }

TEST(Histogram, EmptyAndOneValue) {
  auto h = std::make_unique<Histogram>();
  EXPECT_EQ(h->count(), 0u);
  EXPECT_EQ(h->percentile(0.5), 0u);
  h->add(7);
  for (double fraction : {-1.0, 0.0, 0.5, 1.0, 2.0})
    EXPECT_EQ(h->percentile(fraction), 7u);
}

TEST(Histogram, PercentilesAreWithinOneSixteenth) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> shape(9, 3);
  std::vector<uint64_t> values;
  auto h = std::make_unique<Histogram>();
  for (int i = 0; i < 20001; ++i) {
    uint64_t value = static_cast<uint64_t>(std::min(shape(random), 4e12));
    values.push_back(value);
    h->add(value);
  }
  std::sort(values.begin(), values.end());
  for (double fraction : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    double rank = std::ceil(fraction * static_cast<double>(values.size()));
    double exact = static_cast<double>(values[static_cast<std::size_t>(rank) - 1]);
    EXPECT_NEAR(static_cast<double>(h->percentile(fraction)), exact, exact / 16) << fraction;
  }
}

TEST(Histogram, MergeIsAddition) {
  auto a = std::make_unique<Histogram>(), b = std::make_unique<Histogram>(),
       all = std::make_unique<Histogram>();
  for (uint64_t v = 1; v < 100000; v = v * 3 / 2 + 1) {
    (v % 2 ? a : b)->add(v, v);
    all->add(v, v);
  }
  a->merge(*b);
  EXPECT_EQ(a->count(), all->count());
  for (double fraction : {0.0, 0.25, 0.5, 0.75, 1.0})
    EXPECT_EQ(a->percentile(fraction), all->percentile(fraction));
  a->reset();
  EXPECT_EQ(a->count(), 0u);
}

TEST(DurationStats, FirstCallIsKeptOut) {
  auto s = std::make_unique<DurationStats>();
  Duration none = s->figures();
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.first_ns, 0u);
  s->addFirst(500000000);
  EXPECT_EQ(s->figures().count, 0u);
  EXPECT_EQ(s->figures().first_ns, 500000000u);
  for (uint64_t ns : {2u, 4u, 4u, 4u, 5u, 5u, 7u, 9u})
    s->add(ns);
  Duration d = s->figures();
  EXPECT_EQ(d.count, 8u);
  EXPECT_EQ(d.total_ns, 40u);
  EXPECT_DOUBLE_EQ(d.mean_ns, 5);
  EXPECT_DOUBLE_EQ(d.stddev_ns, std::sqrt(32.0 / 7));
  EXPECT_EQ(d.min_ns, 2u);
  EXPECT_EQ(d.max_ns, 9u);
  EXPECT_EQ(d.median_ns, 4u);
  EXPECT_EQ(d.first_ns, 500000000u);
  s->reset();
  EXPECT_EQ(s->figures().count, 0u);
  EXPECT_EQ(s->figures().first_ns, 0u);
}

TEST(DurationStats, SmallSpreadOfLongCallsSurvives) {
  // Sums of squares in double would give 0 or NaN here: 10^12 squared is 10^24.
  auto s = std::make_unique<DurationStats>();
  for (int i = 0; i < 100000; ++i)
    s->add(1000000000000 + (i % 2 ? 1 : 0));
  EXPECT_NEAR(s->figures().stddev_ns, 0.5, 0.001);
}

TEST(DurationStats, MedianStaysWithinWhatWasSeen) {
  auto s = std::make_unique<DurationStats>();
  for (int i = 0; i < 3; ++i)
    s->add(1000);
  EXPECT_EQ(s->figures().median_ns, 1000u);
  EXPECT_EQ(s->figures().stddev_ns, 0);
}

TEST(DurationStats, MergeEqualsOneSeries) {
  std::mt19937_64 random(2);
  auto a = std::make_unique<DurationStats>(), b = std::make_unique<DurationStats>(),
       all = std::make_unique<DurationStats>(), empty = std::make_unique<DurationStats>();
  for (int i = 0; i < 5000; ++i) {
    uint64_t ns = 1000000 + random() % 5000;
    (i % 3 ? a : b)->add(ns);
    all->add(ns);
  }
  a->merge(*b);
  a->merge(*empty);
  empty->merge(*a);
  for (const DurationStats *s : {a.get(), empty.get()}) {
    Duration d = s->figures(), e = all->figures();
    EXPECT_EQ(d.count, e.count);
    EXPECT_EQ(d.total_ns, e.total_ns);
    EXPECT_EQ(d.min_ns, e.min_ns);
    EXPECT_EQ(d.max_ns, e.max_ns);
    EXPECT_EQ(d.median_ns, e.median_ns);
    EXPECT_NEAR(d.stddev_ns, e.stddev_ns, e.stddev_ns * 1e-9);
  }
}

TEST(DurationStats, SecondFirstCallIsAnOrdinaryOne) {
  auto a = std::make_unique<DurationStats>(), b = std::make_unique<DurationStats>();
  a->addFirst(100);
  b->addFirst(300);
  a->merge(*b);
  EXPECT_EQ(a->figures().first_ns, 100u);
  EXPECT_EQ(a->figures().count, 1u);
  EXPECT_EQ(a->figures().total_ns, 300u);
  auto c = std::make_unique<DurationStats>();
  c->merge(*b);
  EXPECT_EQ(c->figures().first_ns, 300u);
  EXPECT_EQ(c->figures().count, 0u);
}

TEST(DurationStats, ReadWhileAnotherThreadAdds) {
  auto s = std::make_unique<DurationStats>();
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (uint64_t i = 0; !stop; ++i)
      s->add(1000 + i % 64);
  });
  for (int i = 0; i < 200; ++i) {
    auto copy = std::make_unique<DurationStats>();
    copy->merge(*s);
    Duration d = copy->figures();
    EXPECT_TRUE(d.max_ns <= 1063 && (d.count == 0 || d.min_ns >= 1000 || d.min_ns == 0));
    EXPECT_LT(d.stddev_ns, 2000);
  }
  stop = true;
  writer.join();
  EXPECT_EQ(s->histogram().count(), s->figures().count);
}

} // namespace gpuinstr::profile
