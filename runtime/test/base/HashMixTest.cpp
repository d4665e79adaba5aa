// Keys that are mixed from small numbers, as the indices of sites are, tell them apart.
// SPDX-License-Identifier: Apache-2.0
#include "base/Hash.h"
#include <gtest/gtest.h>
#include <set>

using namespace gpuinstr;

namespace {

TEST(HashMix, PairsOfSmallNumbersAreToldApart) {
  std::set<uint64_t> mixed;
  for (uint64_t first = 0; first < 64; ++first)
    for (uint64_t second = 0; second < 64; ++second)
      mixed.insert(hashMix(first, second));
  EXPECT_EQ(mixed.size(), 64u * 64u);
  EXPECT_NE(hashMix(3, 5), hashMix(5, 3));
  EXPECT_NE(hashMix(3, 5), hashMix(4, 4));
}

TEST(HashMix, TriplesAsWell) {
  std::set<uint64_t> mixed;
  for (uint64_t x = 0; x < 16; ++x)
    for (uint64_t y = 0; y < 16; ++y)
      for (uint64_t z = 0; z < 16; ++z)
        mixed.insert(hashMix(hashMix(x, y), z));
  EXPECT_EQ(mixed.size(), 16u * 16u * 16u);
}

} // namespace
