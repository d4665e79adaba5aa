// The quick search of machine code misses no number that the slow one finds.
// SPDX-License-Identifier: Apache-2.0
#include "calls/code/NearNumbers.h"
#include <gtest/gtest.h>
#include <random>

using namespace gpuinstr;

namespace {

constexpr size_t Bytes = 16384;
uint8_t Code[Bytes];

/// Random code with numbers put into it that lead into [low, low + span], and just beside it.
void fillCode(uint64_t low, uint32_t span, bool isFixed) {
  std::mt19937 random(7);
  for (uint8_t &byte : Code)
    byte = uint8_t(random());
  for (size_t at = 0; at + 4 < Bytes; at += 5 + random() % 400) {
    const uint64_t to = low - 2 + random() % (span + 5);
    const bool isAbsolute = isFixed && random() % 2;
    const uint32_t number = uint32_t(isAbsolute ? to : to - uint64_t(Code + at) - 4);
    std::memcpy(&Code[at], &number, sizeof number);
  }
}

void expectNoneMissed(uint64_t low, uint32_t span, bool isFixed) {
  fillCode(low, span, isFixed);
  const NearNumbers near(low, span, isFixed);
  size_t found = 0, passed = 0;
  for (size_t at = 0; at + NearNumbers::Step + 3 < Bytes; ++at) {
    bool any = false;
    for (int i = 0; i < NearNumbers::Step; ++i)
      any |= near.relative(&Code[at + i]) || near.absolute(&Code[at + i]);
    found += any;
    passed += !any && !near.mayBeAt(&Code[at]);
    EXPECT_TRUE(!any || near.mayBeAt(&Code[at])) << at;
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(passed, 100u) << "it says so of all";
}

TEST(NearNumbers, NoneIsMissed) {
  for (uint32_t span : {0u, 1u, 300u, 1000000u}) {
    expectNoneMissed(uint64_t(Code) + 123456, span, false);
    expectNoneMissed(0x401000, span, true);
    expectNoneMissed(0x7fffff00, span, true);
    expectNoneMissed(0xffe00000, span, true);
  }
}

} // namespace
