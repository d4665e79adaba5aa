// How much of the wall time was recorded.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Recording.h"
#include "base/Clock.h"
#include "calls/threads/Thread.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace gpuinstr {

namespace {
constexpr uint64_t MsInNs = 1000000;
void sleepMs(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
} // namespace

TEST(Recording, PausesAreTakenOff) {
  uint64_t start = monotonicNs();
  EXPECT_FALSE(wasPaused());
  setPaused(PauseReason::User, true);
  setPaused(PauseReason::OutsideCapture, true);
  sleepMs(20);
  setPaused(PauseReason::User, false);
  EXPECT_NE(pausedSinceNs(), 0u) << "the other reason stays";
  sleepMs(20);
  setPaused(PauseReason::OutsideCapture, false);
  EXPECT_EQ(pausedSinceNs(), 0u);
  sleepMs(10);
  uint64_t now = monotonicNs(), recorded = recordedNs(start, now);
  EXPECT_TRUE(wasPaused());
  EXPECT_LE(recorded, now - start - 40 * MsInNs);
  EXPECT_GE(recorded, 10 * MsInNs);
}

TEST(Recording, ThePauseInProgressCounts) {
  uint64_t start = monotonicNs();
  sleepMs(10);
  setPaused(PauseReason::User, true);
  uint64_t first = monotonicNs();
  sleepMs(10);
  uint64_t now = monotonicNs(), recorded = recordedNs(start, now);
  EXPECT_GE(recorded, 10 * MsInNs);
  EXPECT_LE(recorded, first - start);
  EXPECT_EQ(recordedNs(start, now + 50 * MsInNs), recorded);
}

TEST(Recording, AResetBeginsAnew) {
  uint64_t start = monotonicNs();
  setPaused(PauseReason::User, true);
  sleepMs(10);
  startNewEpoch();
  EXPECT_TRUE(wasPaused()) << "it still rests";
  uint64_t reset = monotonicNs();
  EXPECT_EQ(recordedNs(start, monotonicNs()), 0u);
  setPaused(PauseReason::User, false);
  startNewEpoch();
  EXPECT_FALSE(wasPaused());
  sleepMs(10);
  uint64_t now = monotonicNs();
  EXPECT_GE(recordedNs(start, now), 10 * MsInNs);
  EXPECT_LE(recordedNs(start, now), now - reset);
}

} // namespace gpuinstr
