// The mutex of the hot path: one holder at a time, and nobody sleeps for ever.
// SPDX-License-Identifier: Apache-2.0
#include "base/locks/InlineMutex.h"
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpuinstr;

namespace {

TEST(InlineMutex, OneHolderAtATime) {
  InlineMutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(InlineMutex, NothingIsLostAmongManyThreads) {
  constexpr unsigned Threads = 8, Rounds = 20000;
  InlineMutex mutex;
  uint64_t sum = 0; // no atomic: the mutex orders it
  std::vector<std::thread> all;
  for (unsigned i = 0; i < Threads; ++i)
    all.emplace_back([&] {
      for (unsigned j = 0; j < Rounds; ++j) {
        std::lock_guard<InlineMutex> lock(mutex);
        ++sum;
      }
    });
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(sum, uint64_t(Threads) * Rounds);
}

/// All of them sleep before the first is woken, and each wakes the next.
TEST(InlineMutex, WhoWaitsIsWokenAndKeepsItsErrno) {
  InlineMutex mutex;
  std::atomic<unsigned> kept{0};
  std::vector<std::thread> all;
  mutex.lock();
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      errno = ERANGE;
      std::lock_guard<InlineMutex> lock(mutex);
      kept += errno == ERANGE;
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(kept, 0u);
  errno = EDOM;
  mutex.unlock();
  EXPECT_EQ(errno, EDOM);
  for (std::thread &thread : all)
    thread.join();
  EXPECT_EQ(kept, 4u);
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(InlineMutex, ChildOfAForkGivesItBack) {
  static InlineMutex mutex;
  mutex.lock();
  std::thread waits([&] { std::lock_guard<InlineMutex> lock(mutex); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // as waited for, too
  pid_t child = fork();
  if (child == 0) {
    mutex.unlock();
    _exit(mutex.try_lock() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  mutex.unlock();
  waits.join();
}

} // namespace
