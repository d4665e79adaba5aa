// Lists of things that are known by their number.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Numbered.h"
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <unordered_map>
#include <vector>

using gpuinstr::placeOf;

namespace {

/// The allocation of that number from now on is refused; 0: none.
unsigned RefusedIn = 0;

template <class T> struct Refusing {
  using value_type = T;
  Refusing() = default;
  template <class U> Refusing(const Refusing<U> &) {}
  T *allocate(size_t n) {
    if (RefusedIn && --RefusedIn == 0)
      throw std::bad_alloc();
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T *p, size_t n) { std::allocator<T>().deallocate(p, n); }
  bool operator==(const Refusing &) const { return true; }
  bool operator!=(const Refusing &) const { return false; }
};

using Items = std::vector<std::string, Refusing<std::string>>;
using Numbers = std::unordered_map<std::string, unsigned, std::hash<std::string>, std::equal_to<>,
                                   Refusing<std::pair<const std::string, unsigned>>>;

size_t numberOf(Items &items, Numbers &numbers, const std::string &name) {
  return placeOf(items, numbers, name, name);
}

} // namespace

TEST(Numbered, TheSameAgain) {
  Items items;
  Numbers numbers;
  EXPECT_EQ(numberOf(items, numbers, "a"), 0u);
  EXPECT_EQ(numberOf(items, numbers, "b"), 1u);
  EXPECT_EQ(numberOf(items, numbers, "a"), 0u);
  EXPECT_EQ(items.size(), 2u);
}

/// Whichever allocation it is: what is asked for later has a place of its own.
TEST(Numbered, NothingIsHalfNoted) {
  for (unsigned refused = 1; refused < 12; ++refused) {
    Items items;
    Numbers numbers;
    RefusedIn = refused;
    for (const char *name : {"a", "a", "b", "c", "b"})
      try {
        numberOf(items, numbers, name);
      } catch (const std::bad_alloc &) {
      }
    RefusedIn = 0;
    for (const char *name : {"a", "b", "c", "a"}) {
      const size_t place = numberOf(items, numbers, name);
      ASSERT_LT(place, items.size()) << refused;
      EXPECT_EQ(items[place], name) << refused;
    }
    EXPECT_EQ(items.size(), 3u) << refused;
  }
}
