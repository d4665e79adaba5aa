// Handles that come and go.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/HandleTable.h"
#include <cstdint>
#include <gtest/gtest.h>

using namespace gpuinstr;

namespace {

using Table = HandleTable<uint64_t, int>;

int sumOf(Table &table) {
  int sum = 0;
  table.each([&](uint64_t, int value) { sum += value; });
  return sum;
}

TEST(HandleTable, WhatWasErasedIsGone) {
  Table table;
  table.at(1) = 10;
  table.at(2) = 20;
  table.erase(1);
  table.erase(1);
  table.erase(7);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_FALSE(table.find(1));
  EXPECT_EQ(sumOf(table), 20);
  EXPECT_EQ(table.at(1), 0) << "as new";
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.at(2), 20) << "as it was";
}

TEST(HandleTable, ManyGoAtOnce) {
  Table table;
  for (int i = 0; i < 1000; ++i)
    table.at(uint64_t(i)) = i;
  table.eraseIf([](uint64_t, int value) { return value >= 3; });
  EXPECT_EQ(table.size(), 3u);
  EXPECT_EQ(sumOf(table), 0 + 1 + 2);
  EXPECT_TRUE(table.find(2));
  table.clear();
  EXPECT_TRUE(table.empty());
  EXPECT_FALSE(table.find(2));
}

TEST(HandleTable, ForgetsPlacesThatAreNotUsedAgain) {
  Table table;
  table.at(0) = 7;
  const int *place = table.find(0);
  for (uint64_t i = 1; i < 100000; ++i) {
    table.at(i);
    table.erase(i);
    ASSERT_LT(table.places(), 200u);
  }
  EXPECT_EQ(table.find(0), place);
  EXPECT_EQ(*place, 7);
}

} // namespace
