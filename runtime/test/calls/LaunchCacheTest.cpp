// What a thread remembers of its last launches.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/LaunchCache.h"
#include <gtest/gtest.h>

namespace gpuinstr {

namespace {

constexpr uint64_t PartBytes = uint64_t(1) << 21, First = 0x7f0000000000;

TEST(LaunchCache, ManyPartsFindRoomInTheLargeTable) {
  LaunchCache cache;
  constexpr unsigned Parts = 1000;
  auto fill = [&] {
    for (unsigned i = 0; i < Parts; ++i) {
      cache.noteMiss();
      cache.spanOf(First + i * PartBytes, true) = &cache;
    }
  };
  auto known = [&] {
    unsigned found = 0;
    for (unsigned i = 0; i < Parts; ++i)
      found += cache.spanOf(First + i * PartBytes, true) != nullptr;
    return found;
  };
  EXPECT_FALSE(cache.usesLarge);
  fill();
  EXPECT_TRUE(cache.usesLarge);
  EXPECT_GT(known(), Parts * 3 / 4);
  cache.forgetRanges(7);
  EXPECT_EQ(cache.generation, 7u);
  EXPECT_EQ(known(), 0u);
  EXPECT_FALSE(cache.usesLarge) << "a program that allocates all the time pays for the small one";
  for (unsigned i = 0; i < 200; ++i)
    cache.noteMiss();
  EXPECT_TRUE(cache.usesLarge);
  EXPECT_EQ(known(), 0u) << "what it held before is gone";
}

TEST(LaunchCache, NumbersInAGapAreNoAddresses) {
  LaunchCache cache;
  EXPECT_FALSE(cache.isInGap(First));
  cache.noteGap(First, First + 100);
  cache.noteGap(0, 50);
  EXPECT_TRUE(cache.isInGap(First) && cache.isInGap(First + 99) && cache.isInGap(0));
  EXPECT_FALSE(cache.isInGap(First + 100) || cache.isInGap(First - 1) || cache.isInGap(50));
  cache.noteGap(200, 300);
  EXPECT_FALSE(cache.isInGap(First)) << "two are remembered";
  cache.forgetRanges(1);
  EXPECT_FALSE(cache.isInGap(200));
}

} // namespace

} // namespace gpuinstr
