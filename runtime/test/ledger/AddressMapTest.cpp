// What AddressMap finds is what a sorted map of the same entries would.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/AddressMap.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

using namespace gpuinstr;

namespace {

class Compared {
public:
  void set(uint64_t address, int *value) {
    Map.set(address, value);
    Known[address] = value;
  }
  void take(uint64_t address) {
    auto known = Known.find(address);
    EXPECT_EQ(Map.take(address), known == Known.end() ? nullptr : known->second);
    if (known != Known.end())
      Known.erase(known);
  }
  void look(uint64_t address) const {
    auto above = Known.upper_bound(address);
    auto next = Map.above(address);
    ASSERT_EQ(bool(next), above != Known.end());
    if (next)
      EXPECT_EQ(next.address, above->first);
    auto last = Map.floor(address);
    ASSERT_EQ(bool(last), above != Known.begin());
    if (last) {
      EXPECT_EQ(last.address, std::prev(above)->first);
      EXPECT_EQ(last.value, std::prev(above)->second);
    }
    auto known = Known.find(address);
    EXPECT_EQ(Map.find(address), known == Known.end() ? nullptr : known->second);
  }
  void lookAtAll() const {
    ASSERT_EQ(Map.size(), Known.size());
    auto known = Known.begin();
    Map.each([&](int &value) { EXPECT_EQ(&value, (known++)->second); });
  }
  uint64_t anyKnown(uint64_t random) const {
    auto at = Known.lower_bound(random);
    return at == Known.end() ? random : at->first;
  }

private:
  AddressMap<int> Map;
  std::map<uint64_t, int *> Known;
};

int Values[64];

/// Grows to `most`, shrinks to nothing, and again; `spread`: addresses lie below.
void fillAndDrain(std::size_t most, uint64_t spread) {
  std::mt19937_64 random(most);
  Compared map;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < most; ++i) {
      map.set(random() % spread, &Values[random() % 64]);
      map.look(random() % spread);
      if (i % 4 == 0)
        map.take(map.anyKnown(random() % spread));
    }
    map.lookAtAll();
    for (std::size_t i = 0; i < 4 * most; ++i) {
      map.take(map.anyKnown(random() % spread));
      map.look(random() % spread);
    }
    for (uint64_t at = 0; spread < 1000 && at < spread; ++at)
      map.take(at);
    map.lookAtAll();
  }
}

TEST(AddressMap, FindsWhatASortedMapFinds) {
  fillAndDrain(10, 16);
  fillAndDrain(300, 200);
  fillAndDrain(20000, uint64_t(1) << 47);
}

TEST(AddressMap, EndsOfTheAddressSpaceAreOrdinary) {
  AddressMap<int> map;
  EXPECT_FALSE(map.floor(~uint64_t(0)));
  EXPECT_FALSE(map.above(0));
  map.set(0, &Values[0]);
  map.set(~uint64_t(0), &Values[1]);
  EXPECT_EQ(map.floor(~uint64_t(0) - 1).value, &Values[0]);
  EXPECT_EQ(map.find(~uint64_t(0)), &Values[1]);
  EXPECT_FALSE(map.above(~uint64_t(0)));
  map.set(0, &Values[2]);
  EXPECT_EQ(map.size(), 2u) << "in place of what was there";
  EXPECT_EQ(map.take(0), &Values[2]);
  EXPECT_FALSE(map.floor(5));
}

TEST(AddressMap, OrderedInsertionAndRemovalFromEitherEnd) {
  AddressMap<int> map;
  for (uint64_t i = 0; i < 5000; ++i)
    map.set(i * 64, &Values[i % 64]);
  for (uint64_t i = 0; i < 2500; ++i) {
    ASSERT_EQ(map.take(i * 64), &Values[i % 64]);
    ASSERT_EQ(map.take((4999 - i) * 64), &Values[(4999 - i) % 64]);
    ASSERT_EQ(map.floor(~uint64_t(0)).value, i < 2499 ? &Values[(4998 - i) % 64] : nullptr);
  }
  EXPECT_TRUE(map.empty());
}

} // namespace
