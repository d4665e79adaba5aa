// The background thread looks for unseen code before anybody asks.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "calls/code/UnseenCode.h"
#include "options/Options.h"
#include "process/output/PeriodicOutput.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;

namespace {

TEST(BackgroundSearch, IsDoneOnceThatThreadRuns) {
  test::table();
  options::setFromApi("audit=sampled"); // nobody else asks
  const unsigned before = searchesForUnseenCode();
  startPeriodic(); // as the first CUDA call does, where nothing has started it yet
  for (int ms = 0; ms < 10000 && searchesForUnseenCode() == before; ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(searchesForUnseenCode(), before + 1);
  unseenCodeUsesCuda();
  EXPECT_EQ(searchesForUnseenCode(), before + 1) << "the answer stands";
}

} // namespace
