// Memory with many transfers: which of them touch given bytes, and how many are kept.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include <random>
#include <set>

namespace gpuinstr::test {

namespace {

using audit::KeyIndex;
using audit::KeyPlace;

std::set<uintptr_t> found(KeyIndex &index, uint64_t lo, uint64_t hi) {
  std::set<uintptr_t> keys;
  index.any(lo, hi, [&](const KeyPlace &place) {
    EXPECT_TRUE(keys.insert(reinterpret_cast<uintptr_t>(place.key)).second) << "twice";
    return false;
  });
  return keys;
}

TEST(KeyIndex, FindsWhatOverlaps) {
  std::mt19937_64 random(7);
  KeyIndex index;
  std::vector<KeyPlace> all;
  for (uintptr_t i = 1; i <= 3000; ++i) {
    uint64_t lo = 0x7f0000000000 + random() % 100000, span = 1 + random() % (1u << random() % 17);
    all.push_back({lo, lo + span, reinterpret_cast<audit::Key *>(i)});
    index.reserve(all.back());
    index.add(all.back());
  }
  for (int i = 0; i < 3000; ++i) {
    uint64_t lo = 0x7f0000000000 + random() % 100000, hi = lo + 1 + random() % 1000;
    std::set<uintptr_t> wanted;
    for (const KeyPlace &place : all)
      if (place.overlaps(lo, hi))
        wanted.insert(reinterpret_cast<uintptr_t>(place.key));
    ASSERT_EQ(found(index, lo, hi), wanted) << std::hex << lo << " to " << hi;
  }
  EXPECT_EQ(found(index, 0, ~uint64_t(0)).size(), all.size());
}

TEST(KeyIndex, TheFirstOfEqualOnesComesFirst) {
  KeyIndex index;
  for (uintptr_t i = 1; i <= 4; ++i)
    index.add({0x1000, 0x1400, reinterpret_cast<audit::Key *>(i)});
  uintptr_t first = 0;
  EXPECT_TRUE(index.any(0x1000, 0x1400, [&](const KeyPlace &place) {
    first = reinterpret_cast<uintptr_t>(place.key);
    return true;
  }));
  EXPECT_EQ(first, 1u);
}

TEST(KeyIndex, WhoAlwaysAsksForAllOverrunsIt) {
  KeyIndex index;
  for (uint64_t i = 0; i < 1000; ++i)
    index.add({i * 1024, i * 1024 + 1024, reinterpret_cast<audit::Key *>(i + 1)});
  for (uint64_t i = 0; i < 100000; ++i)
    found(index, i % 1000 * 1024, i % 1000 * 1024 + 1024);
  EXPECT_FALSE(index.isOverrun());
  for (int i = 0; i < 100; ++i)
    found(index, 0, ~uint64_t(0));
  EXPECT_TRUE(index.isOverrun());
}

struct ManyPlaces : VariedBytes {
  static constexpr uint64_t Piece = 2048, Pieces = 200;
  std::vector<char> source = std::vector<char>(Piece * Pieces);
  char *arena = nullptr;

  void SetUp() override {
    VariedBytes::SetUp();
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = char(i * 7 + i / 251);
    arena = alloc(10, source.size());
  }
  void uploadAll() {
    for (uint64_t i = 0; i < Pieces; ++i)
      upload(20, arena + i * Piece, source.data() + i * Piece, Piece);
  }
  /// All are followed once some have come again.
  static uint64_t repeats(uint64_t rounds) {
    return (rounds - 1) * KeyIndex::From + (rounds - 2) * (Pieces - KeyIndex::From);
  }
  size_t keys() { return audit::auditor().keys.size(); }
};

TEST_F(ManyPlaces, EachIsJudged) {
  for (int i = 0; i < 5; ++i)
    uploadAll();
  profile::Finding noop = finding("noop-copy");
  EXPECT_EQ(noop.grade.text(), "proven");
  EXPECT_EQ(noop.count, repeats(5));
  free(30, arena);
  EXPECT_EQ(finding("noop-copy").count, repeats(5));
  EXPECT_EQ(keys(), 0u);
}

TEST_F(ManyPlaces, AChangeOfOneIsItsOwn) {
  for (int i = 0; i < 5; ++i) {
    source[150 * Piece] = char(i);
    uploadAll();
  }
  EXPECT_EQ(finding("noop-copy", "proven").count, repeats(5) - 3);
}

/// The set overwrites all of them: it does not look at each one every time.
TEST_F(ManyPlaces, OfMemoryThatIsUsedAsAWholeFewAreKept) {
  uploadAll();
  EXPECT_EQ(keys(), KeyIndex::From);
  uploadAll();
  EXPECT_EQ(keys(), Pieces);
  for (int i = 0; i < 2000; ++i)
    set(21, arena, i % 2, source.size());
  EXPECT_LE(keys(), audit::KeyIndex::From);
  for (int i = 0; i < 5; ++i)
    uploadAll();
  EXPECT_LE(keys(), audit::KeyIndex::From);
  EXPECT_GE(finding("noop-copy").count, 4 * 60u);
}

/// As gpuinstr_pool_alloc() says of memory that was filled before: its pieces change all the time.
TEST_F(ManyPlaces, OfMemoryThatBecomesAPools) {
  uploadAll();
  uploadAll();
  EXPECT_EQ(keys(), Pieces);
  ledger().markPool(reinterpret_cast<uint64_t>(arena), false);
  audit::Range *range = audit::auditor().ranges.find(reinterpret_cast<uint64_t>(arena));
  auto isKnown = [&](audit::Key *key) {
    return std::any_of(range->keys.begin(), range->keys.end(),
                       [&](const KeyPlace &place) { return place.key == key; });
  };
  for (uint64_t i = 0; i + 1 < Pieces; ++i) {
    upload(23, arena + i * Piece + 512, source.data() + i * Piece, Piece);
    range->eachKey(0, ~uint64_t(0),
                   [&](const KeyPlace &place) { ASSERT_TRUE(isKnown(place.key)) << i; });
  }
  EXPECT_LE(keys(), audit::KeyIndex::From);
  set(21, arena, 1, source.size());
  free(30, arena);
  EXPECT_EQ(keys(), 0u);
}

/// One who does so now and then has all of them.
TEST_F(ManyPlaces, AWholeDownloadBehindEachRound) {
  std::vector<char> back(source.size());
  for (int i = 0; i < 300; ++i) {
    uploadAll();
    download(22, back.data(), arena, back.size());
  }
  EXPECT_EQ(keys(), Pieces + 1);
}

TEST_F(ManyPlaces, SmallOnesAreLimited) {
  for (int round = 0; round < 3; ++round)
    for (uint64_t i = 0; i < Pieces; ++i)
      upload(20, arena + i * Piece, source.data() + i * Piece, 512);
  EXPECT_EQ(keys(), audit::KeyIndex::From);
}

/// The thread's entries: there are more than it has at first.
TEST_F(ManyPlaces, EachHasAFastPath) {
  auto entries = [] {
    const audit::FastPaths &paths = audit::auditStateOf(*Self).paths;
    return paths.end() - paths.begin();
  };
  start("audit=sampled");
  arena = alloc(10, source.size());
  EXPECT_EQ(entries(), 64);
  for (int i = 0; i < 100; ++i)
    uploadAll();
  EXPECT_GE(entries(), 1024);
}

} // namespace

} // namespace gpuinstr::test
