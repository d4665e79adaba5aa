// Large downloads that block: the device is asked first, for the host's side takes milliseconds.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "calls/budget/OverheadBudget.h"
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

TEST_F(LargeDownloads, WithoutBudgetForTheHostNothingIsSaid) {
  spend();
  for (int round = 0; round < 4; ++round)
    step(1);
  EXPECT_EQ(engine.hashes, 4u);
  EXPECT_EQ(figures().verified, 0u);
  EXPECT_TRUE(none("noop-copy proven"));
}

} // namespace
