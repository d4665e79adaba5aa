// The numbers that launches get.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/Ranges.h"
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;

namespace {

/// Others take numbers between a launch's guess and its own.
TEST(LaunchOrder, AStreamKnowsTheNumberThatItsLaunchGot) {
  constexpr unsigned Launches = 50000;
  static audit::StreamState streams[2];
  const uint64_t before = audit::Ranges::launches;
  std::atomic<unsigned> wrong{0};
  auto count = [&](audit::StreamState &stream) {
    for (uint64_t i = 0, last = before; i < Launches; ++i) {
      const uint64_t order = stream.countLaunch(true);
      wrong += order <= last || stream.lastLaunch != order || stream.lastWaiting != order;
      last = order;
    }
  };
  std::thread other([&] { count(streams[1]); });
  count(streams[0]);
  other.join();
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(audit::Ranges::launches, before + 2 * Launches) << "no number is given twice";
}

} // namespace
