// The content hash as a random function: avalanche, and collisions at the rate of chance.
// SPDX-License-Identifier: Apache-2.0
#include "HashInputs.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::audit;
using test::Bytes;
using test::equalPairs;

namespace {

ContentHash hashOf(const Bytes &bytes) { return hashHost(bytes.data(), bytes.size()); }

// 49152 pairs of bits, each seen 4000 times: a standard deviation is 0.0079, so that chance stays
// within 0.05 (6.3 deviations) of one half in all of them.
TEST(HashQualityTest, EachInputBitFlipsEachOutputBitHalfTheTime) {
  constexpr unsigned Size = 48, Rounds = 4000;
  static unsigned flips[Size * 8][128];
  std::mt19937_64 random(1);
  Bytes data(Size);
  for (unsigned round = 0; round < Rounds; ++round) {
    for (unsigned char &b : data) // every second one sparse: most of real data is not random
      b = round % 2 ? static_cast<unsigned char>(random())
                    : static_cast<unsigned char>(random() % 16 ? 0 : random());
    ContentHash base = hashOf(data);
    for (unsigned bit = 0; bit < Size * 8; ++bit) {
      data[bit / 8] ^= 1u << bit % 8;
      ContentHash flipped = hashOf(data);
      data[bit / 8] ^= 1u << bit % 8;
      uint64_t first = base.first ^ flipped.first, second = base.second ^ flipped.second;
      for (unsigned out = 0; out < 64; ++out) {
        flips[bit][out] += first >> out & 1;
        flips[bit][64 + out] += second >> out & 1;
      }
    }
  }
  for (unsigned bit = 0; bit < Size * 8; ++bit)
    for (unsigned out = 0; out < 128; ++out) {
      double share = double(flips[bit][out]) / Rounds;
      ASSERT_GE(share, 0.45) << bit << " " << out;
      ASSERT_LE(share, 0.55) << bit << " " << out;
    }
}

TEST(HashQualityTest, RandomPairsOf32BitsCollideByChance) {
  constexpr unsigned Pairs = 10'000'000; // 0.0023 expected in each quarter
  std::mt19937_64 random(2);
  unsigned together = 0;
  for (unsigned i = 0; i < Pairs; ++i) {
    uint64_t one[2] = {random(), random()}, two[2] = {one[0], one[1] ^ (1u + random() % 1000)};
    ContentHash a = hashHost(one, 16), b = hashHost(two, 16);
    together += uint32_t(a.first) == uint32_t(b.first);
    together += a.first >> 32 == b.first >> 32;
    together += uint32_t(a.second) == uint32_t(b.second);
    together += a.second >> 32 == b.second >> 32;
  }
  EXPECT_LE(together, 2u);
}

/// Inputs that differ: how many pairs agree in 32 bits, in each quarter of the hash.
void expectChance(const char *what, size_t count,
                  const std::function<void(size_t, Bytes &)> &make) {
  std::vector<uint32_t> quarters[4];
  std::vector<uint64_t> first, second;
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    make(i, bytes);
    ContentHash h = hashOf(bytes);
    first.push_back(h.first);
    second.push_back(h.second);
    quarters[0].push_back(uint32_t(h.first));
    quarters[1].push_back(uint32_t(h.first >> 32));
    quarters[2].push_back(uint32_t(h.second));
    quarters[3].push_back(uint32_t(h.second >> 32));
  }
  double expected = double(count) * double(count - 1) / 2 / 4294967296.0;
  for (auto &quarter : quarters)
    EXPECT_NEAR(double(equalPairs(quarter)), expected, 6 * std::sqrt(expected) + 3) << what;
  EXPECT_EQ(equalPairs(first), 0u) << what;
  EXPECT_EQ(equalPairs(second), 0u) << what;
}

constexpr size_t Count = 400'000; // 18.6 pairs expected

TEST(HashQualityTest, CountersAndSmallIntegers) {
  expectChance("a counter in the first word", Count, [](size_t i, Bytes &b) {
    b.assign(16, 0);
    std::memcpy(b.data(), &i, 8);
  });
  expectChance("a counter in the upper half", Count, [](size_t i, Bytes &b) {
    b.assign(16, 0);
    std::memcpy(b.data() + 8, &i, 8);
  });
  expectChance("two small floats", Count, [](size_t i, Bytes &b) {
    b.assign(64, 0);
    float x = float(i % 1000), y = float(i / 1000);
    std::memcpy(b.data() + 4, &x, 4);
    std::memcpy(b.data() + 44, &y, 4);
  });
}

TEST(HashQualityTest, OneValueAnywhere) {
  expectChance("a 1.0f somewhere in zeroes", 2000, [](size_t i, Bytes &b) {
    b.assign(2000 * 4, 0);
    float one = 1;
    std::memcpy(b.data() + 4 * i, &one, 4);
  });
  expectChance("two bits somewhere", 512 * 511 / 2, [](size_t i, Bytes &b) {
    size_t high = size_t((1 + std::sqrt(1 + 8 * double(i))) / 2);
    while (high * (high - 1) / 2 > i)
      --high;
    while (high * (high + 1) / 2 <= i)
      ++high;
    size_t low = i - high * (high - 1) / 2;
    b.assign(64, 0);
    b[high / 8] ^= 1u << high % 8;
    b[low / 8] ^= 1u << low % 8;
  });
}

// Sums forget order: what is added here must be missing there in a way that the keys tell.
TEST(HashQualityTest, ChangesThatCancelInASum) {
  expectChance("+d here, -d there", Count, [](size_t i, Bytes &b) {
    b.assign(256, 0);
    uint64_t d = 1 + i / 240, words[2] = {1000000 + d, 1000000 - d};
    size_t at = i % 16, other = (at + 1 + i / 16 % 15) % 16;
    for (size_t w = 0; w < 16; ++w)
      std::memcpy(&b[16 * w], w == at ? &words[0] : w == other ? &words[1] : &d, 8);
    for (size_t w = 0; w < 16; ++w)
      if (w != at && w != other)
        std::memset(&b[16 * w], 7, 8);
  });
  expectChance("one permutation of eight words each", 40320, [](size_t i, Bytes &b) {
    unsigned order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t n = 8, rest = i; n > 1; rest /= n, --n)
      std::swap(order[n - 1], order[rest % n]);
    b.assign(128, 0);
    for (size_t w = 0; w < 8; ++w)
      b[16 * w] = static_cast<unsigned char>(order[w]);
  });
  expectChance("the second difference: +1 -1 -1 +1", 4096, [](size_t i, Bytes &b) {
    b.assign(16 * 4100, 100);
    b[16 * i] += 1;
    b[16 * i + 16] -= 1;
    b[16 * i + 32] -= 1;
    b[16 * i + 48] += 1;
  });
}

} // namespace
