// The content hash: what it tells apart, and that every walk of a region gives the same value.
// SPDX-License-Identifier: Apache-2.0
#include "HashInputs.h"
#include "audit/hash/HashRegion.h"
#include "audit/hash/HashWork.h"
#include "audit/hash/HostHash.h"
#include "audit/hash/HostHashWords.h"
#include <gtest/gtest.h>
#include <random>

using namespace gpuinstr;
using namespace gpuinstr::audit;
using test::Bytes;
using test::Distinct;
using test::randomBytes;

namespace {

/// The definition, word for word.
ContentHash defined(const Bytes &bytes) {
  hash::Sums sums;
  for (size_t i = 0; i < bytes.size(); i += 16) {
    unsigned char word[16] = {};
    std::memcpy(word, bytes.data() + i, std::min<size_t>(16, bytes.size() - i));
    uint64_t low, high;
    std::memcpy(&low, word, 8);
    std::memcpy(&high, word + 8, 8);
    sums.add(low, high, hash::Keys::at(i / 16));
  }
  return hash::finish(sums, bytes.size());
}

/// What a grid of this shape does with a region; memory of the host.
ContentHash byGrid(const cuda::Region &region, uint32_t threads, uint32_t blocks) {
  hash::Work work;
  HashKernel kernel;
  EXPECT_TRUE(makeWork(region, work, kernel));
  hash::Sums sums;
  for (uint32_t block = 0; block < blocks; ++block)
    for (uint32_t thread = 0; thread < threads; ++thread) {
      hash::Place p{thread, threads, block, blocks};
      switch (kernel) {
      case HashKernel::Aligned:
        sums.add(hash::hashFlat<true>(work, p));
        break;
      case HashKernel::Unaligned:
        sums.add(hash::hashFlat<false>(work, p));
        break;
      case HashKernel::AlignedRows:
        sums.add(hash::hashAlignedRows(work, p));
        break;
      case HashKernel::Rows:
        sums.add(hash::hashRows(work, p));
        break;
      }
    }
  return hash::finish(sums, work.bytes);
}

cuda::Region flat(const void *data, uint64_t bytes) {
  cuda::Region region;
  region.address = uint64_t(data);
  region.width = bytes;
  return region;
}

TEST(HashTest, HostIsTheDefinition) {
  for (size_t bytes = 0; bytes < 600; ++bytes) {
    Bytes data = randomBytes(bytes, unsigned(bytes));
    ASSERT_EQ(hashHost(data.data(), bytes), defined(data)) << bytes;
  }
  Bytes data = randomBytes(300001, 1);
  EXPECT_EQ(hashHost(data.data(), data.size()), defined(data));
}

TEST(HashTest, HostTakesAnyPieces) {
  Bytes data = randomBytes(5000, 2);
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    HostHash pieces;
    for (size_t at = 0; at < data.size();) {
      size_t take = std::min<size_t>(data.size() - at, random() % (round % 2 ? 7 : 700));
      pieces.add(data.data() + at, take);
      at += take;
    }
    ASSERT_EQ(pieces.value(), defined(data));
  }
}

TEST(HashTest, EveryGridGivesTheSame) {
  Bytes data = randomBytes(70000, 4);
  auto *base = data.data() + (16 - uint64_t(data.data()) % 16) % 16;
  for (uint32_t threads : {1u, 3u, 32u, 256u})
    for (uint32_t blocks : {1u, 2u, 7u})
      for (uint64_t offset : {0u, 1u, 8u, 15u, 32u})
        for (uint64_t bytes : {0u, 1u, 15u, 16u, 31u, 32u, 33u, 48u, 4096u, 16384u, 16385u, 60001u})
          ASSERT_EQ(byGrid(flat(base + offset, bytes), threads, blocks),
                    hashHost(base + offset, bytes))
              << threads << " x " << blocks << ", " << bytes << " bytes at " << offset;
}

TEST(HashTest, PitchedEqualsContiguous) {
  Bytes data = randomBytes(1 << 20, 5);
  auto *base = data.data() + (16 - uint64_t(data.data()) % 16) % 16;
  std::mt19937 random(6);
  for (int i = 0; i < 300; ++i) {
    cuda::Region r = flat(base + (i % 3 ? random() % 100 : 0), random() % 300 + 1);
    r.rows = random() % 40 + 1;
    r.pitch = r.width + random() % 50;
    r.slices = random() % 4 + 1;
    r.slicePitch = r.rows * r.pitch + random() % 100;
    if (i % 4 == 0) { // whole words
      r.address = uint64_t(base);
      r.width = (r.width + 15) / 16 * 16;
      r.pitch = r.width + 16 * (random() % 3);
      r.slicePitch = r.rows * r.pitch + 16 * (random() % 3);
    }
    Bytes joined;
    for (uint64_t slice = 0; slice < r.slices; ++slice)
      for (uint64_t row = 0; row < r.rows; ++row) {
        auto *at =
            reinterpret_cast<unsigned char *>(r.address + slice * r.slicePitch + row * r.pitch);
        joined.insert(joined.end(), at, at + r.width);
      }
    ContentHash expected = defined(joined);
    ASSERT_EQ(hashHost(r), expected);
    ASSERT_EQ(byGrid(r, 32, 3), expected) << r.width << " x " << r.rows << " x " << r.slices;
  }
}

TEST(HashTest, QuotientsAreExact) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint64_t x = random() >> (4 + random() % 60), n = (random() >> (random() % 64)) | 1;
    n = i % 7 ? n : uint64_t(1) << (random() % 60);
    ASSERT_EQ(hash::quotient(x, n, hash::reciprocal(n)), x / n) << x << " / " << n;
  }
}

TEST(HashTest, RegionsThatAreNotMemory) {
  hash::Work work;
  HashKernel kernel;
  cuda::Region r = flat(reinterpret_cast<void *>(4096), 64);
  EXPECT_TRUE(makeWork(r, work, kernel));
  r.rows = 3;
  r.pitch = 63; // rows overlap
  EXPECT_FALSE(makeWork(r, work, kernel));
  r.pitch = 64;
  EXPECT_TRUE(makeWork(r, work, kernel));
  EXPECT_EQ(kernel, HashKernel::Aligned) << "no gaps: one row";
  r.slices = 2;
  r.slicePitch = 191;
  EXPECT_FALSE(makeWork(r, work, kernel));
  r.slices = uint64_t(1) << 62;
  EXPECT_FALSE(makeWork(r, work, kernel));
  r = flat(nullptr, 64);
  EXPECT_FALSE(makeWork(r, work, kernel));
  r = flat(reinterpret_cast<void *>(4096), uint64_t(1) << 60);
  EXPECT_FALSE(makeWork(r, work, kernel));
}

TEST(HashTest, BlocksFollowTheWork) {
  EXPECT_EQ(blocksFor(0, 132), 1u);
  EXPECT_EQ(blocksFor(4096, 132), 1u);
  EXPECT_EQ(blocksFor(1 << 20, 132), 64u);
  EXPECT_EQ(blocksFor(16 << 20, 132), 132u * 4);
  EXPECT_EQ(blocksFor(uint64_t(1) << 40, 132), 132u * 32);
  EXPECT_EQ(blocksFor(uint64_t(1) << 40, 0), 8u);
}

TEST(HashTest, SealsFitOnlyTheirHashAndUse) {
  ContentHash h{1, 2};
  uint64_t seal = hash::seal(h, 5);
  EXPECT_NE(seal, hash::seal(h, 6));
  EXPECT_NE(seal, hash::seal({1, 3}, 5));
  EXPECT_NE(seal, hash::seal({0, 2}, 5));
  EXPECT_NE(hash::seal({0, 0}, 1), 0u) << "memory that nobody has written";
}

TEST(HashTest, EverySingleBitFlip) {
  for (size_t bytes : {1, 2, 7, 8, 15, 16, 17, 31, 33, 100, 257, 4096})
    for (unsigned char fill : {0x00, 0xff, 0x5a}) {
      Distinct seen;
      Bytes data(bytes, fill);
      seen.add(data);
      for (size_t bit = 0; bit < bytes * 8; ++bit) {
        data[bit / 8] ^= 1u << bit % 8;
        seen.add(data);
        data[bit / 8] ^= 1u << bit % 8;
      }
      EXPECT_EQ(seen.collisions(), 0u) << bytes;
    }
}

TEST(HashTest, SwapsOfEqualBlocks) {
  for (size_t block : {1, 2, 4, 8, 12, 16, 32, 64, 256}) {
    Bytes data = randomBytes(2048, unsigned(block));
    for (size_t i = 0; i < data.size(); i += block)          // no two blocks alike
      std::memcpy(&data[i], &i, std::min<size_t>(block, 2)); // little endian: differs
    Distinct seen;
    seen.add(data);
    for (size_t i = 0; i + block <= data.size(); i += block)
      for (size_t j = i + block; j + block <= data.size() && j < i + 20 * block; j += block) {
        if (!std::memcmp(&data[i], &data[j], block))
          continue;
        Bytes swapped = data;
        std::swap_ranges(swapped.begin() + long(i), swapped.begin() + long(i + block),
                         swapped.begin() + long(j));
        seen.add(swapped);
      }
    EXPECT_EQ(seen.collisions(), 0u) << block;
  }
}

TEST(HashTest, ShiftsZeroTailsAndParts) {
  Distinct shifted, zeroes, tails, parts;
  Bytes data = randomBytes(1000, 8);
  for (size_t shift = 0; shift < data.size(); ++shift) {
    Bytes turned = data;
    std::rotate(turned.begin(), turned.begin() + long(shift), turned.end());
    shifted.add(turned);
  }
  EXPECT_EQ(shifted.collisions(), 0u);
  for (size_t count = 0; count < 3000; ++count) {
    zeroes.add(Bytes(count, 0));
    Bytes tail = data;
    tail.resize(data.size() + count, 0);
    tails.add(tail);
  }
  EXPECT_EQ(zeroes.collisions(), 0u);
  EXPECT_EQ(tails.collisions(), 0u);
  for (size_t from = 0; from < 100; ++from)
    for (size_t to = from + 1; to <= 100; ++to)
      if (to - from > 3) // shorter ones may be the same bytes
        parts.add(Bytes(data.begin() + long(from), data.begin() + long(to)));
  EXPECT_EQ(parts.collisions(), 0u);
}

} // namespace
