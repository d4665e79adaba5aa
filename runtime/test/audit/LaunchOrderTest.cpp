// The numbers that launches get.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/Ranges.h"
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;

namespace {

/// `mayWait`: of kernels that are not known to end.
struct LaunchOrder : ::testing::TestWithParam<bool> {
  void SetUp() override { audit::AuditHot.severalThreads = true; }
  void TearDown() override { audit::AuditHot.severalThreads = false; }
};

/// Others take numbers between a launch's guess and its own.
TEST_P(LaunchOrder, AStreamKnowsTheNumberThatItsLaunchGot) {
  constexpr unsigned Launches = 50000;
  const bool mayWait = GetParam();
  audit::StreamState streams[2];
  const uint64_t before = audit::Ranges::launches;
  std::atomic<unsigned> wrong{0};
  auto count = [&](audit::StreamState &stream) {
    for (uint64_t i = 0, last = before; i < Launches; ++i) {
      const uint64_t order = stream.countLaunch(mayWait);
      wrong += order <= last || stream.lastLaunch != order ||
               stream.lastWaiting != (mayWait ? order : 0);
      last = order;
    }
  };
  std::thread other([&] { count(streams[1]); });
  count(streams[0]);
  other.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(audit::Ranges::launches, before + 2 * Launches) << "no number is given twice";
}
INSTANTIATE_TEST_SUITE_P(Kernels, LaunchOrder, ::testing::Bool());

TEST(LaunchOrderAlone, NumbersFollowEachOtherWhetherKernelsEndOrNot) {
  audit::StreamState stream;
  const uint64_t before = audit::Ranges::launches;
  for (uint64_t i = 1; i <= 1000; ++i)
    ASSERT_EQ(stream.countLaunch(i % 3 == 0), before + i);
  EXPECT_EQ(stream.lastLaunch, before + 1000);
  EXPECT_EQ(stream.lastWaiting, before + 999);
}

} // namespace
