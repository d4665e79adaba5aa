// A pool of system threads that run blocks of any launch.
// SPDX-License-Identifier: Apache-2.0
#include "exec/schedule/Workers.h"

#include "common/SimulatorOptions.h"
#include "common/ThreadState.h"
#include "exec/schedule/Faults.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace gpuinstr::sim {

namespace {

struct Job {
  const std::function<void()> *Body;
  uint64_t Wanted; ///< Calls that no thread has begun.
  unsigned Running = 0;
};

struct Workers {
  std::mutex M;
  std::condition_variable Work, Done;
  std::deque<Job *> Jobs;
  unsigned Threads = 0;
};

/// Leaked: its threads outlive exit handlers.
Workers &workers() {
  static auto *All = new Workers;
  return *All;
}

void help() {
  threadState().InHostFunction = true;
  prepareThreadForFaults();
  Workers &All = workers();
  std::unique_lock<std::mutex> L(All.M);
  for (;;) {
    All.Work.wait(L, [&] { return !All.Jobs.empty(); });
    Job &Mine = *All.Jobs.front();
    if (--Mine.Wanted == 0)
      All.Jobs.pop_front();
    ++Mine.Running;
    L.unlock();
    (*Mine.Body)();
    L.lock();
    if (--Mine.Running == 0)
      All.Done.notify_all();
  }
}

/// Starts all threads but one: the caller works too. Needs the lock.
void startThreads(Workers &All) {
  auto Wanted = static_cast<unsigned>(simulatorThreads() - 1);
  // The program's signal handlers must not run on our threads; faults of kernels must.
  sigset_t Blocked, Before;
  sigfillset(&Blocked);
  for (int Signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&Blocked, Signal);
  pthread_sigmask(SIG_SETMASK, &Blocked, &Before);
  for (; All.Threads < Wanted; ++All.Threads)
    std::thread(help).detach();
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

} // namespace

void shareWork(uint64_t Parts, const std::function<void()> &Body) {
  prepareThreadForFaults();
  Workers &All = workers();
  Job Mine{&Body, std::min<uint64_t>(Parts, static_cast<uint64_t>(simulatorThreads())) - 1};
  if (!Mine.Wanted)
    return Body();
  {
    std::lock_guard<std::mutex> L(All.M);
    startThreads(All);
    All.Jobs.push_back(&Mine);
  }
  All.Work.notify_all();
  Body();
  std::unique_lock<std::mutex> L(All.M);
  All.Jobs.erase(std::remove(All.Jobs.begin(), All.Jobs.end(), &Mine), All.Jobs.end());
  All.Done.wait(L, [&] { return !Mine.Running; });
}

} // namespace gpuinstr::sim
