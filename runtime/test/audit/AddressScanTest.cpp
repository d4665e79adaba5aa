// The search of arguments by value finds what a plain one finds.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/AddressScan.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace gpuinstr::audit {
namespace {

std::vector<uint64_t> plain(const char *at, uint32_t bytes, uint64_t low, uint64_t span) {
  std::vector<uint64_t> found;
  for (uint32_t offset = 0; offset + 8 <= bytes; offset += 4) {
    uint64_t value;
    std::memcpy(&value, at + offset, sizeof value);
    if (value - low <= span)
      found.push_back(value);
  }
  return found;
}

std::vector<uint64_t> searched(const char *at, uint32_t bytes, uint64_t low, uint64_t span) {
  std::vector<uint64_t> found;
  eachPossibleAddress(at, bytes, low, span, [&](uint64_t value) { found.push_back(value); });
  return found;
}

TEST(AddressScan, FindsWhatAPlainSearchFinds) {
  std::mt19937_64 random(7);
  const struct {
    uint64_t low, span;
  } ranges[] = {{0x7f1234000000, 0x2000000},
                {0x7ffffff00000, 0x300000000},
                {0x302000000, 64},
                {0, 0xffffffff},
                {0xfffffffffff00000, 0xfffff},
                {0xfffffffffff00000, 0x200000},
                {0x80000000, 0x80000000},
                {1, ~uint64_t(0) - 1}};
  size_t hits = 0;
  for (const auto &range : ranges)
    for (uint32_t bytes = 0; bytes < 200; ++bytes) {
      std::vector<char> data(bytes + 1);
      char *at = data.data() + bytes % 2; // anywhere
      for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        uint64_t value = random() % 4 ? range.low + random() % (range.span + 1) : random();
        uint64_t near = range.low + range.span + random() % 3 - 1; // just inside, just outside
        value = random() % 5 ? value : near;
        std::memcpy(at + i, &value, std::min<uint32_t>(random() % 3 ? 8 : 4, bytes - i));
      }
      std::vector<uint64_t> want = plain(at, bytes, range.low, range.span);
      hits += want.size();
      EXPECT_EQ(searched(at, bytes, range.low, range.span), want)
          << std::hex << range.low << "+" << range.span << std::dec << " in " << bytes;
    }
  EXPECT_GT(hits, 4000u);
}

} // namespace
} // namespace gpuinstr::audit
