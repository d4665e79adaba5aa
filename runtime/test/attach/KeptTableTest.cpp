// Tables whose entries are given out in the order of their first use.
// SPDX-License-Identifier: Apache-2.0
#include "attach/source/KeptTable.h"
#include <gtest/gtest.h>

using namespace gpuinstr::attach;

namespace {

constexpr unsigned Bits = 3;
struct Tables {
  KeptTable<int, Bits> table;
  int entries[1 << Bits];
};
constexpr uint64_t hashOf(uint64_t place) { return place << (64 - Bits); }

} // namespace

TEST(KeptTable, EntriesLieInTheOrderOfTheirFirstUse) {
  static Tables t; // zeros
  t.table.lieAt(t.entries);
  for (uint64_t place : {5, 0, 7, 5, 0})
    ++t.table.at(hashOf(place));
  EXPECT_EQ(&t.table.at(hashOf(5)), t.entries);
  EXPECT_EQ(&t.table.at(hashOf(0)), t.entries + 1);
  EXPECT_EQ(&t.table.at(hashOf(7)), t.entries + 2);
  EXPECT_EQ(t.entries[0], 2);
  EXPECT_EQ(t.entries[3], 0);
}

TEST(KeptTable, EachHashHasOne) {
  static Tables t;
  t.table.lieAt(t.entries);
  for (uint64_t round = 0; round < 2; ++round)
    for (uint64_t place = 0; place < 1 << Bits; ++place)
      ++t.table.at(hashOf(place));
  for (int entry : t.entries)
    EXPECT_EQ(entry, 2);
}
