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

TEST_F(LargeDownloads, WithoutBudgetForTheHostNothingIsSaid) {
  spend();
  for (int round = 0; round < 4; ++round)
    step(1);
  EXPECT_EQ(engine.hashes, 4u);
  EXPECT_EQ(figures().verified, 0u);
  EXPECT_TRUE(none("noop-copy proven"));
}

} // namespace
