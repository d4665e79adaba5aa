// The replay of lifetimes: what the peak would be, and which lines it takes.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/PeakReplay.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::audit;

namespace {

Life life(SiteIndex site, uint64_t bytes, Event begin, Event first, Event last, Event end) {
  Life l;
  l.site = site;
  l.bytes = bytes;
  l.begin = begin;
  l.first = first;
  l.last = last;
  l.end = end;
  return l;
}

TEST(PeakReplay, NothingIdle) {
  Peaks p = replay({life(1, 100, 1, 1, 9, 9), life(2, 50, 2, 2, 8, 8)});
  EXPECT_EQ(p.held, 150u);
  EXPECT_EQ(p.lean, 150u);
  EXPECT_TRUE(p.idle.empty());
  EXPECT_EQ(replay({}).held, 0u);
}

TEST(PeakReplay, TwoPhases) {
  // The first is used in 3..4 and freed at 20, the second made at 2 and used in 10..11.
  Peaks p = replay({life(1, 100, 1, 3, 4, 20), life(2, 80, 2, 10, 11, 21)});
  EXPECT_EQ(p.held, 180u);
  EXPECT_EQ(p.lean, 100u);
  ASSERT_EQ(p.idle.size(), 2u); // one alone would not do
  for (const IdleLife &idle : p.idle)
    EXPECT_EQ(idle.early, idle.life == 1);
}

TEST(PeakReplay, OnlyTheLinesThatItTakes) {
  // The third is made just before its use: moving it would help nobody.
  Peaks p =
      replay({life(1, 100, 1, 50, 60, 61), life(2, 100, 2, 3, 10, 11), life(3, 100, 4, 5, 10, 12)});
  EXPECT_EQ(p.held, 300u);
  EXPECT_EQ(p.lean, 200u);
  ASSERT_EQ(p.idle.size(), 1u);
  EXPECT_EQ(p.idle[0].life, 0u);
  EXPECT_TRUE(p.idle[0].early);
  EXPECT_TRUE(p.idle[0].atPeak);
}

TEST(PeakReplay, IdleWhereThePeakIsNotHelpsNobody) {
  Peaks p = replay({life(1, 10, 1, 5, 6, 7), life(2, 100, 10, 11, 12, 13)});
  EXPECT_EQ(p.held, p.lean);
  EXPECT_TRUE(p.idle.empty());
}

TEST(PeakReplay, UsedTogetherIsHeldTogether) {
  Peaks p = replay({life(1, 100, 1, 5, 5, 9), life(2, 100, 2, 5, 5, 9)});
  EXPECT_EQ(p.lean, 200u);
}

TEST(PeakReplay, NeverFreed) {
  Peaks p = replay({life(1, 100, 1, 2, 3, UINT64_MAX), life(2, 100, 4, 5, 6, UINT64_MAX)});
  EXPECT_EQ(p.held, 200u);
  EXPECT_EQ(p.lean, 100u);
  ASSERT_EQ(p.idle.size(), 1u);
  EXPECT_FALSE(p.idle[0].early);
  EXPECT_EQ(p.idle[0].life, 0u);
}

TEST(PeakReplay, ManyLivesOfManyLines) {
  std::vector<Life> lives;
  for (uint64_t i = 0; i < 20000; ++i)
    lives.push_back(
        life(SiteIndex(1 + i % 300), 10, 10 * i + 1, 10 * i + 2, 10 * i + 3, 10 * i + 4));
  lives.push_back(life(1000, 500, 1, 300000, 300001, 300002));
  Peaks p = replay(lives);
  EXPECT_EQ(p.held, 510u);
  EXPECT_EQ(p.lean, 500u);
}

} // namespace
