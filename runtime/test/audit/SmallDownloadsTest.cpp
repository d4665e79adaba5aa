// Small downloads that block: the host looks where the device is too dear.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct SmallDownloads : AuditTest {
  char *d = nullptr;
  int value = 0;
  void SetUp() override {
    start("audit=sampled:budget=2");
    engine.launchNs = 200000000; // more than the budget ever gives
    d = alloc(10);
  }
  void step(int what, uint64_t bytes = 4) {
    launch("writer", {parameter(Writes)}, {d});
    memcpy(d, &what, sizeof what);
    download(20, &value, d, bytes);
  }
};

/// Looked at now and then, it would seem to stay the same.
TEST_F(SmallDownloads, EveryOneOfTheFirstIsLookedAt) {
  for (int round = 0; round < 31; ++round)
    step(round >= 5 && round < 10 ? round : 1);
  auto found = finding("noop-copy", "advice");
  EXPECT_EQ(found.count, 24u); // of 30: five others, and the first of the old ones behind them
  EXPECT_TRUE(none("noop-copy likely"));
  EXPECT_EQ(engine.hashes, 0u);
}

TEST_F(SmallDownloads, OnesThatAllBringTheSame) {
  for (int round = 0; round < 31; ++round)
    step(1);
  EXPECT_EQ(finding("noop-copy", "likely").count, 30u);
}

TEST_F(SmallDownloads, WithoutABudgetNothingIs) {
  start("audit=sampled:budget=0");
  engine.launchNs = 200000000;
  d = alloc(10);
  for (int round = 0; round < 31; ++round)
    step(1);
  EXPECT_TRUE(none("noop-copy"));
}

} // namespace
