// What is known of a thread is its own, from its first call to its end.
// SPDX-License-Identifier: Apache-2.0
#include "attach/AttachedThread.h"
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpuinstr::attach;

TEST(AttachedThread, OneAfterTheOtherBeginsAnew) {
  for (unsigned i = 0; i < 200; ++i) // the system gives them the same stack again and again
    std::thread([] {
      AttachedThread *own = attachedThread();
      ASSERT_NE(own, nullptr);
      EXPECT_EQ(own->asked, 0u) << "another thread's";
      EXPECT_EQ(own->error, &errno);
      own->asked = 1;
      EXPECT_EQ(attachedThread(), own);
    }).join();
}

TEST(AttachedThread, ManyAtOnceHaveOneEach) {
  constexpr unsigned Many = 100; // more than there are slots
  std::mutex mutex;
  std::set<AttachedThread *> all;
  std::atomic<unsigned> met{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < Many; ++i)
    threads.emplace_back([&] {
      AttachedThread *own = attachedThread();
      {
        std::lock_guard<std::mutex> lock(mutex);
        all.insert(own);
      }
      ++met;
      while (met < Many)
        std::this_thread::yield();
      EXPECT_EQ(attachedThread(), own);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(all.size(), Many);
}

TEST(AttachedThread, AForkedChildKeepsItsOwnAlone) {
  AttachedThread *own = attachedThread();
  std::atomic<bool> begun{false}, end{false};
  std::thread other([&] {
    attachedThread();
    begun = true;
    while (!end)
      usleep(100);
  });
  while (!begun)
    usleep(100);
  pid_t child = fork();
  if (child == 0) {
    bool isSame = attachedThread() == own;
    for (const ThreadSlot &slot : ThreadSlots)
      isSame &= slot.self.load() == 0 || slot.self.load() == ownThread();
    _exit(isSame ? 7 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  end = true;
  other.join();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
