// The replay of lifetimes: what the peak would be, and which lines it takes.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/PeakReplay.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::audit;

namespace {

audit::Life life(SiteIndex site, uint64_t bytes, Event begin, Event first, Event last, Event end) {
  audit::Life l;
  l.site = site;
  l.bytes = bytes;
  l.begin = begin;
  l.first = first;
  l.last = last;
  l.end = end;
  return l;
}

struct Outcome : Peaks {
  std::vector<IdleLife> idle;
};

Outcome outcome(const std::vector<audit::Life> &lives) {
  Outcome o;
  static_cast<Peaks &>(o) = replay(lives);
  o.idle = idleLives(lives, o);
  return o;
}

TEST(PeakReplay, NothingIdle) {
  Outcome p = outcome({life(1, 100, 1, 1, 9, 9), life(2, 50, 2, 2, 8, 8)});
  EXPECT_EQ(p.held, 150u);
  EXPECT_EQ(p.lean, 150u);
  EXPECT_TRUE(p.idle.empty());
  EXPECT_EQ(outcome({}).held, 0u);
}

TEST(PeakReplay, TwoPhases) {
  // The first is used in 3..4 and freed at 20, the second made at 2 and used in 10..11.
  Outcome p = outcome({life(1, 100, 1, 3, 4, 20), life(2, 80, 2, 10, 11, 21)});
  EXPECT_EQ(p.held, 180u);
  EXPECT_EQ(p.lean, 100u);
  ASSERT_EQ(p.idle.size(), 2u); // one alone would not do
  for (const IdleLife &idle : p.idle)
    EXPECT_EQ(idle.early, idle.life == 1);
}

TEST(PeakReplay, OnlyTheLinesThatItTakes) {
  // The third is made just before its use: moving it would help nobody.
  Outcome p = outcome(
      {life(1, 100, 1, 50, 60, 61), life(2, 100, 2, 3, 10, 11), life(3, 100, 4, 5, 10, 12)});
  EXPECT_EQ(p.held, 300u);
  EXPECT_EQ(p.lean, 200u);
  ASSERT_EQ(p.idle.size(), 1u);
  EXPECT_EQ(p.idle[0].life, 0u);
  EXPECT_TRUE(p.idle[0].early);
  EXPECT_TRUE(p.idle[0].atPeak);
}

TEST(PeakReplay, IdleWhereThePeakIsNotHelpsNobody) {
  Outcome p = outcome({life(1, 10, 1, 5, 6, 7), life(2, 100, 10, 11, 12, 13)});
  EXPECT_EQ(p.held, p.lean);
  EXPECT_TRUE(p.idle.empty());
}

TEST(PeakReplay, UsedTogetherIsHeldTogether) {
  Outcome p = outcome({life(1, 100, 1, 5, 5, 9), life(2, 100, 2, 5, 5, 9)});
  EXPECT_EQ(p.lean, 200u);
}

TEST(PeakReplay, NeverFreed) {
  Outcome p = outcome({life(1, 100, 1, 2, 3, UINT64_MAX), life(2, 100, 4, 5, 6, UINT64_MAX)});
  EXPECT_EQ(p.held, 200u);
  EXPECT_EQ(p.lean, 100u);
  ASSERT_EQ(p.idle.size(), 1u);
  EXPECT_FALSE(p.idle[0].early);
  EXPECT_EQ(p.idle[0].life, 0u);
}

TEST(PeakReplay, ManyLivesOfManyLines) {
  std::vector<audit::Life> lives;
  for (uint64_t i = 0; i < 20000; ++i)
    lives.push_back(
        life(SiteIndex(1 + i % 300), 10, 10 * i + 1, 10 * i + 2, 10 * i + 3, 10 * i + 4));
  lives.push_back(life(1000, 500, 1, 300000, 300001, 300002));
  Outcome p = outcome(lives);
  EXPECT_EQ(p.held, 510u);
  EXPECT_EQ(p.lean, 500u);
  ASSERT_EQ(p.idle.size(), 1u);
  EXPECT_EQ(p.idle[0].life, 20000u);
}

TEST(PeakReplay, TheSameAgainAndAgain) {
  std::vector<audit::Life> lives;
  for (uint64_t i = 0; i < 1000; ++i) {
    uint64_t at = 100 * i;
    lives.push_back(life(1, 100, at + 1, at + 2, at + 10, at + 90)); // freed late
    lives.push_back(life(2, 100, at + 20, at + 21, at + 80, at + 81));
  }
  Outcome p = outcome(lives);
  EXPECT_EQ(p.held, 200u);
  EXPECT_EQ(p.lean, 100u);
  ASSERT_EQ(p.idle.size(), 1000u);
  for (const IdleLife &idle : p.idle)
    EXPECT_TRUE(!idle.early && lives[idle.life].site == 1);
}

/// Against a replay of each moment, on random lives.
TEST(PeakReplay, WhatItPromisesIsSo) {
  uint64_t seed = 1;
  auto random = [&](uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<audit::Life> lives;
    for (uint64_t i = 0, n = 1 + random(20); i < n; ++i) {
      Event at[4];
      for (Event &e : at)
        e = 1 + random(60);
      std::sort(at, at + 4);
      lives.push_back(
          life(SiteIndex(1 + random(6)), 1 + random(50), at[0], at[1], at[2], at[3] + 1));
    }
    Outcome p = outcome(lives);
    std::vector<audit::Life> advised = lives;
    for (const IdleLife &idle : p.idle)
      (idle.early ? advised[idle.life].begin = advised[idle.life].first
                  : advised[idle.life].end = advised[idle.life].last);
    uint64_t held = 0, lean = 0;
    for (Event t = 0; t < 70; ++t) {
      uint64_t now = 0, then = 0;
      for (size_t i = 0; i < lives.size(); ++i) {
        now += lives[i].begin <= t && t <= lives[i].end ? lives[i].bytes : 0;
        then += advised[i].begin <= t && t <= advised[i].end ? lives[i].bytes : 0;
      }
      held = std::max(held, now);
      lean = std::max(lean, then);
    }
    ASSERT_EQ(p.held, held) << round;
    ASSERT_EQ(p.lean, lean) << round;
  }
}

} // namespace
