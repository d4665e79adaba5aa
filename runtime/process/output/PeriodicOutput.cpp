// json_every=SECONDS: the profile rewritten in the middle of a run.
// SPDX-License-Identifier: Apache-2.0
//
// A job that is killed at its time limit leaves the state of a moment before. The file is replaced
// in one step, so that a reader never meets half of one.
#include "process/output/PeriodicOutput.h"
#include "base/BackgroundThread.h"
#include "base/Guard.h"
#include "base/OwnMemory.h"
#include "base/Part.h"
#include "calls/threads/Thread.h"
#include "options/Options.h"
#include "process/output/ReportOutput.h"
#include "process/profile/ProfileBuilder.h"
#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace gpuinstr {

namespace {

constexpr size_t WriterStack = 1 << 20;

sem_t Wake; ///< posted once: stop
std::atomic<bool> Started{false}, Stopping{false}, Writing{false};
std::atomic<int> Held{0};        ///< forks in progress
std::atomic<uint64_t> Period{0}; ///< s

void sleepMs(long ms) {
  timespec pause{0, ms * 1000000};
  nanosleep(&pause, nullptr);
}

void writeNow() {
  ThreadState *thread = thisThread();
  if (!thread)
    return;
  BusyScope busy(*thread);
  RescueScope rescue;
  guarded([] {
    profile::Profile profile = buildProfile(Ending::Now, "running", -1);
    if (!Stopping.load())
      writeJson(profile);
  });
}

/// False: it is time to end.
bool sleepUntil(const timespec &when) {
  int result;
  do
    result = sem_clockwait(&Wake, CLOCK_MONOTONIC, &when);
  while (result != 0 && errno == EINTR);
  return result != 0 && errno == ETIMEDOUT;
}

void *writer(void *) {
  timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  next.tv_sec += time_t(Period.load());
  while (sleepUntil(next)) {
    Writing.store(true);
    while (Held.load()) { // it looks at Writing after Held, this the other way round
      Writing.store(false);
      sleepMs(1);
      Writing.store(true);
    }
    if (!Stopping.load())
      writeNow();
    Writing.store(false);
    // A period after the end of this one: a slow disk must not make it write all the time.
    clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_sec += time_t(Period.load());
  }
  return nullptr;
}

} // namespace

void startPeriodic() {
  const options::Options &options = options::options();
  if (!options.json_every || options.json.empty() || Started.exchange(true))
    return;
  Period.store(options.json_every);
  Stopping.store(false);
  if (sem_init(&Wake, 0, 0) != 0)
    return;
  (void)startBackground(writer, WriterStack);
}

void stopPeriodic(int waitMs) {
  if (!Started.load() || Stopping.exchange(true))
    return;
  sem_post(&Wake);
  for (int ms = 0; ms < waitMs && Writing.load(); ++ms)
    sleepMs(1);
}

namespace {

class PeriodicOutputPart : public Part {
public:
  /// None is begun, and one in progress is waited for. The child then finds no lock taken that its
  /// own report needs.
  void lock() override {
    constexpr int LongestWaitMs = 100;
    Held.fetch_add(1);
    for (int ms = 0; ms < LongestWaitMs && Writing.load(); ++ms)
      sleepMs(1);
  }
  void unlock() override { Held.fetch_sub(1); }
  /// The thread is not there.
  void childAfterFork() override {
    Started.store(false);
    Stopping.store(false);
    Writing.store(false);
    Held.store(0);
  }
};

} // namespace

Part &periodicOutputPart() {
  static Part *part = new PeriodicOutputPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
