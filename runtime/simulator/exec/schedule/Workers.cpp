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
  const std::function<void()> *body;
  uint64_t wanted; ///< Calls that no thread has begun.
  unsigned running = 0;
};

struct Workers {
  std::mutex m;
  std::condition_variable work, done;
  std::deque<Job *> jobs;
  unsigned threads = 0;
};

/// Leaked: its threads outlive exit handlers.
Workers &workers() {
  static auto *all = new Workers;
  return *all;
}

void help() {
  threadState().inHostFunction = true;
  prepareThreadForFaults();
  Workers &all = workers();
  std::unique_lock<std::mutex> l(all.m);
  for (;;) {
    all.work.wait(l, [&] { return !all.jobs.empty(); });
    Job &mine = *all.jobs.front();
    if (--mine.wanted == 0)
      all.jobs.pop_front();
    ++mine.running;
    l.unlock();
    (*mine.body)();
    l.lock();
    if (--mine.running == 0)
      all.done.notify_all();
  }
}

/// Starts all threads but one: the caller works too. Needs the lock.
void startThreads(Workers &all) {
  auto wanted = static_cast<unsigned>(simulatorThreads() - 1);
  // The program's signal handlers must not run on our threads; faults of kernels must.
  sigset_t blocked, before;
  sigfillset(&blocked);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  for (; all.threads < wanted; ++all.threads)
    std::thread(help).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace

void shareWork(uint64_t parts, const std::function<void()> &body) {
  prepareThreadForFaults();
  Workers &all = workers();
  Job mine{&body, std::min<uint64_t>(parts, static_cast<uint64_t>(simulatorThreads())) - 1};
  if (!mine.wanted)
    return body();
  {
    std::lock_guard<std::mutex> l(all.m);
    startThreads(all);
    all.jobs.push_back(&mine);
  }
  all.work.notify_all();
  body();
  std::unique_lock<std::mutex> l(all.m);
  all.jobs.erase(std::remove(all.jobs.begin(), all.jobs.end(), &mine), all.jobs.end());
  all.done.wait(l, [&] { return !mine.running; });
}

} // namespace gpuinstr::sim
