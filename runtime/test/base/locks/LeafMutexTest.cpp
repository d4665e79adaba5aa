// fork takes all mutexes of this kind together.
// SPDX-License-Identifier: Apache-2.0
#include "base/locks/LeafMutex.h"
#include "cuda/Driver.h"
#include "options/Options.h"
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gpuinstr;

namespace {

/// What the child's `work` leaves with, 0 if all is well; 14 where it hung.
template <class Work> int statusOfChild(Work work) {
  lockLeaves();
  const pid_t child = fork();
  unlockLeaves();
  if (child == 0) {
    alarm(10);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(LeafMutex, AChildFindsNoneTaken) {
  LeafMutex first, second;
  std::atomic<bool> isOver{false};
  unsigned inside = 0;
  std::thread takes([&] {
    while (!isOver) {
      std::lock_guard<std::mutex> one(first);
      inside = 1;
      std::this_thread::yield();
      inside = 0;
    }
  });
  for (unsigned i = 0; i < 50; ++i)
    EXPECT_EQ(statusOfChild([&] {
                std::lock_guard<std::mutex> one(first);
                return inside == 0 && second.try_lock();
              }),
              0);
  isOver = true;
  takes.join();
}

TEST(LeafMutex, OnesThatAreGoneAreNotTaken) {
  auto gone = std::make_unique<LeafMutex>();
  LeafMutex stays;
  gone.reset();
  EXPECT_EQ(statusOfChild([&] { return stays.try_lock(); }), 0);
  EXPECT_TRUE(stays.try_lock());
  stays.unlock();
}

/// The runtime's own: what a thread of the parent's was asking while it forked.
TEST(LeafMutex, AChildAsksWhatAThreadOfItsParentWasAsking) {
  // What is made when it is first asked for is there: a child would wait for the thread that makes
  // it, which it has not got.
  options::setFromApi("json=a.json");
  seenDevices();
  std::atomic<bool> isOver{false};
  std::thread asks([&] {
    while (!isOver) {
      options::setFromApi("json=a.json");
      seenDevices();
    }
  });
  for (unsigned i = 0; i < 50; ++i)
    EXPECT_EQ(statusOfChild([] {
                options::setFromApi("json=b.json");
                return seenDevices().empty();
              }),
              0);
  isOver = true;
  asks.join();
}

} // namespace
