// When the calls that attached programs make in great numbers are watched, and when not.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/WatchWindows.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/Part.h"
#include "calls/CallHooks.h"
#include "cuda/CaptureTracker.h"
#include "options/Options.h"
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <semaphore.h>

namespace gpuinstr {

namespace {

constexpr uint64_t NsPerSecond = 1000000000, MeanWindowNs = 2000000;
/// Windows' lengths. What a look takes others time for cannot be measured: once looks are too dear,
/// there are few.
constexpr double LeastClosed = 15, MostClosed = 63;
constexpr std::size_t StackBytes = 256 * 1024;

struct Windows {
  int (*watch)(int on) = nullptr;
  sem_t wake = {}; ///< posted to stop
  std::atomic<bool> wanted{false}, stopping{false};
  std::atomic<unsigned> turning{0}; ///< threads that the end of the process has to wait for
  std::atomic<bool> ever{false};
  std::atomic<uint64_t> unseenNs{0}, startNs{0};
  uint32_t random = 1;
};
/// Nothing is made when it is first asked for: memory may have run out by then.
Windows &windows() {
  static Windows instance;
  return instance;
}

/// 0.5 to 1.5: they are not to follow the program's own period.
double aboutOne() { return 0.5 + nextRandom(windows().random) % 1024 / 1023.0; }

/// False: it is time to end.
bool pauseFor(uint64_t ns) {
  const uint64_t end = monotonicNs() + ns;
  timespec when{time_t(end / NsPerSecond), long(end % NsPerSecond)};
  while (sem_clockwait(&windows().wake, CLOCK_MONOTONIC, &when) != 0)
    if (errno != EINTR)
      return !windows().stopping.load();
  return !windows().stopping.load();
}

/// Whether anything but the counts is made of each call.
bool mustSeeAll() {
  return options::options().budget >= 100 || NvtxActive.load() || ExactOperations.load();
}

/// Turns nothing once the process ends.
class Turning {
public:
  Turning() {
    windows().turning.fetch_add(1);
    Allowed = !windows().stopping.load();
  }
  Turning(const Turning &) = delete;
  ~Turning() { windows().turning.fetch_sub(1); }
  explicit operator bool() const { return Allowed; }

private:
  bool Allowed;
};

/// Of the threads' time, the most that may go into looks.
double mostLoad() { return options::options().budget / 200.0; }

void turnOff() {
  Turning turning;
  // First of all nothing is begun that has to know of each launch.
  windows().ever.store(true);
  auto mayGo = [] { return !cuda::Captures.anyOpen() && Hooks.mayGoUnseen(); };
  if (!turning || !mayGo())
    return;
  WatchEpoch.fetch_add(1);
  if (!mayGo() || !windows().watch(0))
    WatchEpoch.fetch_add(1);
}

/// False: they were on in spite of it.
bool turnOn() {
  Turning turning;
  return turning && windows().watch && windows().watch(1);
}

/// One window and the time behind it.
class Turns {
public:
  /// False: it is time to end.
  bool take() {
    const auto length = uint64_t(aboutOne() * double(MeanWindowNs));
    const uint64_t from = monotonicNs(), fromTicks = ticks();
    // Unseen, a program has the time for more calls that looks take, unless it waits for others.
    Each = std::clamp(Owed / double(length) / (1 - std::min(Load / 2, 0.15)), 0.0, 255.0);
    HotState.unseenForEach.store(uint32_t(Each * 65536));
    if (goUnseen())
      WatchEpoch.fetch_add(1);
    largestLoad(0);
    if (!pauseFor(length))
      return false;
    const double load = largestLoad(ticks() - fromTicks);
    const uint64_t took = monotonicNs() - from;
    Owed -= Owed * double(took) / double(length);
    // A program that rests now and then goes on as it did.
    Load = Load == 0 ? load : (7 * Load + load) / 8;
    return leaveUnseen(closedFor(double(took)));
  }

private:
  /// How long no call needs to be watched, after a window of that length.
  double closedFor(double window) const {
    const double most = mostLoad(), share = most > 0 ? Load / most : MostClosed;
    return Load <= most || mustSeeAll()
               ? 0
               : aboutOne() * window * std::clamp(share, LeastClosed, MostClosed);
  }
  bool leaveUnseen(double ns) {
    HotState.unseenForEach.store(0);
    if (ns < double(MeanWindowNs) / 2)
      return pauseFor(16 * MeanWindowNs);
    const uint64_t from = monotonicNs();
    turnOff();
    if (!goUnseen()) // asking takes the program's time as well
      return pauseFor(MeanWindowNs << std::min(++Refused, 9u));
    Refused = 0;
    const bool goesOn = pauseFor(uint64_t(ns));
    const uint64_t took = monotonicNs() - from;
    if (goesOn && turnOn()) {
      if (windows().unseenNs.fetch_add(took) == 0)
        Owed = double(took) / 2; // the last time of all goes by without a window behind it
      Owed += double(took);
    }
    return goesOn;
  }

  double Load = 0;      ///< of the windows until now
  double Owed = 0;      ///< ns that no call has stood for yet
  unsigned Refused = 0; ///< in a row
  double Each = 0;      ///< that each call of this window stands for beside itself
};

void *takeTurns(void *) {
  windows().startNs.store(monotonicNs());
  Turns turns;
  while (!windows().stopping.load() && turns.take())
    ;
  return nullptr;
}

class WatchWindowsPart : public Part {
public:
  void beforeTeardown() override { stopWindows(); }
  void notes(std::vector<std::string> &to, Ending) override {
    if (countsAreEstimates())
      to.push_back("launches, events and sets were watched " + percent() +
                   " % of the time, to stay within `budget`: counts with ~ are estimates, and "
                   "waste is likely at most");
  }
  /// The thread is not there, and CUDA does not outlive a fork.
  void childAfterFork() override {
    Windows &w = windows();
    w.watch = nullptr;
    w.wanted.store(true);
    w.turning.store(0);
    w.unseenNs.store(0);
    HotState.unseenForEach.store(0);
  }

private:
  /// Of the time since the first window.
  static std::string percent() {
    const Windows &w = windows();
    const double all = double(monotonicNs() - w.startNs.load()), unseen = double(w.unseenNs.load());
    return std::to_string(std::clamp(int(100 * (1 - unseen / all) + 0.5), 1, 99));
  }
};

} // namespace

bool everUnseen() { return windows().ever.load(std::memory_order_relaxed); }

void watchFrequent(int (*watch)(int on)) {
  Windows &w = windows();
  if (w.watch || sem_init(&w.wake, 0, 0) != 0)
    return;
  w.watch = watch;
  w.random = uint32_t(monotonicNs()) | 1;
}

void wantWindows(ThreadState &thread) {
  Windows &w = windows();
  if (!w.watch || w.wanted.load(std::memory_order_relaxed) || mustSeeAll() ||
      w.wanted.exchange(true))
    return;
  BusyScope busy(thread);
  (void)startBackground(takeTurns, StackBytes); // without it all are watched
}

bool countsAreEstimates() { return windows().unseenNs.load() || goUnseen(); }

void endUnseen() {
  if (goUnseen())
    turnOn();
}

void stopWindows() {
  constexpr int LongestWaitMs = 100;
  Windows &w = windows();
  if (!w.watch || w.stopping.exchange(true))
    return;
  sem_post(&w.wake);
  const timespec pause{0, 1000000};
  for (int ms = 0; ms < LongestWaitMs && w.turning.load(); ++ms)
    nanosleep(&pause, nullptr);
}

Part &watchWindowsPart() {
  static Part *part = new WatchWindowsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
