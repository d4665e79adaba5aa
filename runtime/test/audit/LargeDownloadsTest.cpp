// Large downloads: the device is asked first, for the host's side takes milliseconds, or the bus.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "calls/budget/OverheadBudget.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <vector>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct LargeDownloads : AuditTest {
  static constexpr uint64_t Large = 128 << 20; ///< 16 ms of the host's: more than is given ahead
  char *d = nullptr;
  std::vector<char> host = std::vector<char>(Large);
  void SetUp() override {
    start("audit=sampled:budget=2");
    d = alloc(10, Large);
  }
  /// All but a millisecond, which is enough for some looks at the device.
  static void spend() {
    overheadBudget().correct(OverheadBudget::MaxStockNs);
    ASSERT_TRUE(overheadBudget().takeFirst(OverheadBudget::FirstLooksNs - 1000000));
  }
  void step(int what) {
    launch("writer", {parameter(Writes)}, {d});
    d[Large / 2] = char(what);
    download(20, host.data(), d, Large);
  }
};

TEST_F(LargeDownloads, OtherBytesAreKnownWithoutTheHosts) {
  spend();
  for (int round = 0; round < 3; ++round)
    step(round);
  EXPECT_EQ(figures().verified, 2u);
  EXPECT_EQ(engine.hashes, 3u);
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(LargeDownloads, TheSameBytesAreLookedAtOnTheHost) {
  for (int round = 0; round < 4; ++round) {
    earn();
    step(1);
  }
  EXPECT_EQ(finding("noop-copy", "likely").count, 3u);
}

TEST_F(LargeDownloads, TheHostMayHaveChangedThemMeanwhile) {
  for (int round = 0; round < 4; ++round) {
    earn();
    step(1);
    host[7] = char(round + 1);
  }
  EXPECT_EQ(figures().verified, 3u);
  EXPECT_TRUE(none("noop-copy"));
}

/// Of 60 that all bring news some 12 are looked at. One that brings none is met behind them, and
/// those that follow it are looked at as often as others.
TEST_F(LargeDownloads, NewsIsLookedAtEverMoreRarely) {
  std::vector<char> small(4 << 20);
  char *e = alloc(11, small.size());
  for (int round = 0; round < 60; ++round) {
    earn();
    launch("writer", {parameter(Writes)}, {e});
    e[7] = char(round);
    download(21, small.data(), e, small.size());
  }
  EXPECT_GE(figures().verified, 8u);
  EXPECT_LE(figures().verified, 18u);
  EXPECT_TRUE(none("noop-copy"));
  const uint64_t before = figures().verified;
  for (int round = 0; round < 150; ++round) {
    earn();
    launch("writer", {parameter(Writes)}, {e});
    download(21, small.data(), e, small.size());
  }
  EXPECT_GE(figures().verified, before + 4)
      << "the first that brings the same is met, and then others";
  EXPECT_GE(finding("noop-copy", "advice").count + finding("noop-copy", "likely").count, 4u);
}

/// Pages that nobody has touched: to look at them would make them, and the copy make them again.
struct FreshDestination : LargeDownloads {
  static constexpr uint64_t Page = 4096;
  char *fresh = static_cast<char *>(mmap(nullptr, Large, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  size_t there = 0; ///< pages that were, when the last copy began

  void TearDown() override {
    LargeDownloads::TearDown();
    munmap(fresh, Large);
  }
  void fetch(int what) {
    earn();
    launch("writer", {parameter(Writes)}, {d});
    d[Large / 2] = char(what);
    constexpr uint32_t Slots = bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) |
                               bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_KIND);
    f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(fresh);
    f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(d);
    f.frame.slot[GPUINSTR_SLOT_BYTES] = Large;
    f.frame.slot[GPUINSTR_SLOT_KIND] = 2;
    f.call(site(GPUINSTR_OP_COPY, "cudaMemcpy", 22, Slots), [&] {
      std::vector<unsigned char> pages(Large / Page);
      EXPECT_EQ(mincore(fresh, Large, pages.data()), 0);
      there = size_t(std::count(pages.begin(), pages.end(), 1));
      std::memcpy(fresh, d, Large);
      return 0;
    });
  }
};

TEST_F(FreshDestination, IsLeftAloneWhereTheDeviceAloneIsAsked) {
  ASSERT_NE(fresh, MAP_FAILED);
  for (int round = 0; round < 3; ++round) {
    fetch(round);
    EXPECT_EQ(there, 0u) << round;
    madvise(fresh, Large, MADV_DONTNEED);
  }
  EXPECT_EQ(figures().verified, 2u);
  fetch(2); // the same: what the host has is asked
  EXPECT_EQ(there, Large / Page);
}

TEST_F(LargeDownloads, WithoutBudgetForTheHostNothingIsSaid) {
  spend();
  for (int round = 0; round < 4; ++round)
    step(1);
  EXPECT_EQ(engine.hashes, 4u);
  EXPECT_EQ(figures().verified, 0u);
  EXPECT_TRUE(none("noop-copy proven"));
}

/// Asynchronous ones into pinned memory: that is read over the bus, before the copy and behind it.
struct LargeAsynchronousDownloads : AuditTest {
  static constexpr uint64_t Large = 1 << 20;
  char *d = nullptr, *host = nullptr;
  uint64_t stream = 0;
  void SetUp() override {
    start("audit=sampled:budget=2");
    d = alloc(10, Large);
    host = alloc(11, Large, GPUINSTR_RES_PINNED);
    stream = makeStream(true);
  }
  /// Hashes that it took.
  unsigned step(int what) {
    earn();
    const unsigned before = engine.hashes;
    launch("writer", {parameter(Writes)}, {d}, stream);
    d[Large / 2] = char(what);
    syncStream(stream);
    downloadAsync(20, host, d, stream, Large);
    syncStream(stream);
    return engine.hashes - before;
  }
};

TEST_F(LargeAsynchronousDownloads, OtherBytesAreKnownWithoutTheHosts) {
  for (int round = 0; round < 4; ++round)
    EXPECT_EQ(step(round), 1u) << round;
  figures();
  EXPECT_EQ(figures().verified, 3u);
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(LargeAsynchronousDownloads, TheSameBytesAreLookedAtOnTheHost) {
  for (unsigned hashes : {1u, 1u, 2u, 2u, 2u, 2u})
    EXPECT_EQ(step(1), hashes);
  EXPECT_EQ(finding("noop-copy").count, 5u);
  EXPECT_EQ(step(2), 2u);
  EXPECT_EQ(step(3), 1u) << "the device brings news again";
}

TEST_F(LargeAsynchronousDownloads, TheHostMayHaveChangedThemMeanwhile) {
  for (int round = 0; round < 6; ++round) {
    step(1);
    host[7] = char(round + 1);
  }
  EXPECT_EQ(figures().verified, 4u);
  EXPECT_TRUE(none("noop-copy"));
}

TEST_F(LargeAsynchronousDownloads, ABroughtBackUploadIsAskedForAtOnce) {
  host[5] = 1;
  upload(30, d, host, Large);
  downloadAsync(20, host, d, stream, Large);
  syncStream(stream);
  EXPECT_EQ(figures().verified, 1u);
}

} // namespace
