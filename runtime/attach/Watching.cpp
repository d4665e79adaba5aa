// Turns CUPTI's callbacks around frequent calls off and on while the program makes them.
// SPDX-License-Identifier: Apache-2.0
#include "attach/Watching.h"
#include "attach/HandedOver.h"
#include "attach/driver/CuptiCallbacks.h"
#include "base/Clock.h"
#include <ctime>
#include <mutex>
#include <pthread.h>

namespace gpuinstr::attach {

GPUINSTR_HOT_DATA std::atomic<Watching> WatchingNow{Watching::On};

namespace {

/// Held while callbacks are turned off or on.
std::mutex &turning() {
  static std::mutex *mutex = [] {
    auto *made = new std::mutex; // leaked: used during exit
    pthread_atfork([] { turning().lock(); }, [] { turning().unlock(); },
                   [] { turning().unlock(); });
    return made;
  }();
  return *mutex;
}

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

bool isFrequent(uint32_t number) {
  const DriverCall *call = driverCall(number);
  return call && call->flags & GPUINSTR_SITE_FREQUENT;
}

bool WatchesAny = true; ///< watchCalls()'s

/// Launches first: who comes in between most often makes one.
void turnFrequent(bool on) {
  for (bool launches : {true, false})
    for (uint32_t number = 0; number < MostCalls && WatchesAny; ++number)
      if (isFrequent(number) && (driverCall(number)->op == GPUINSTR_OP_LAUNCH) == launches)
        watchCall(number, on);
}

bool replace(Watching from, Watching to) { return WatchingNow.compare_exchange_strong(from, to); }

/// Waits for calls in progress, if they take no longer than a launch does. With the lock held.
void turnOff() {
  constexpr uint64_t LongestNs = 20000;
  WatchingNow.store(Watching::Closing);
  const uint64_t end = monotonicNs() + LongestNs;
  while (anyInFrequent() && WatchingNow.load() == Watching::Closing && monotonicNs() < end)
    relax();
  // One that enters behind the last question finds Turning, and waits for the lock.
  if (anyInFrequent() || !replace(Watching::Closing, Watching::Turning)) {
    replace(Watching::Closing, Watching::On);
    return;
  }
  turnFrequent(false);
  WatchingNow.store(Watching::Off);
}

} // namespace

/// False: they were on.
static bool turnOn() {
  std::lock_guard<std::mutex> lock(turning());
  if (WatchingNow.load() != Watching::Off)
    return false;
  turnFrequent(true);
  WatchingNow.store(Watching::On);
  return true;
}

int watchFrequentCalls(int on) {
  constexpr unsigned Most = 16;
  constexpr timespec Between{0, 20000};
  if (on)
    return turnOn();
  for (unsigned i = 0; i < Most; ++i) {
    {
      std::lock_guard<std::mutex> lock(turning());
      turnOff();
    }
    nanosleep(&Between, nullptr); // who was called back a moment before has said so by then
    if (WatchingNow.load() == Watching::Off)
      return 1;
  }
  return 0;
}

void keepWatching() {
  if (!replace(Watching::Closing, Watching::On) && WatchingNow.load() != Watching::On)
    turnOn();
}

void waitForClosing() {
  constexpr unsigned Most = 2000;
  auto isUnderWay = [] {
    const Watching now = WatchingNow.load();
    return now == Watching::Closing || now == Watching::Turning;
  };
  for (unsigned i = 0; i < Most && isUnderWay(); ++i)
    relax();
}

int watchCalls(bool on) {
  std::lock_guard<std::mutex> lock(turning());
  const bool isOff = WatchingNow.load() == Watching::Off;
  WatchesAny = on;
  int count = 0;
  for (uint32_t number = 0; number < MostCalls; ++number)
    count += driverCall(number) && watchCall(number, on && !(isOff && isFrequent(number)));
  watchCall(PointerQuestion, on);
  return count;
}

} // namespace gpuinstr::attach
