// The report of a process that a signal ends.
// SPDX-License-Identifier: Apache-2.0
//
// Taken are the signals that end a process by default and that a process gets from outside or from
// a limit; only where their action is the default one, and raised again with it, so that the wait
// status is the same. Faults are left alone: a handler would be seen by the program's own ones and
// would change core dumps.
#include "process/Signals.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/OwnMemory.h"
#include "base/ProcessState.h"
#include "process/Exit.h"
#include "process/LastThreads.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace gpuinstr {

namespace {

constexpr int Watched[] = {SIGABRT, SIGTERM,   SIGINT,  SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
                           SIGPIPE, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO,   SIGPWR};
constexpr size_t ReporterStack = 1 << 20;
/// The interrupted thread may hold a lock that the reporter needs: then there is no report.
constexpr int PatienceMs = 3000;

sem_t Wake;
std::atomic<int> Signal{0};
std::atomic<uint64_t> FirstNs{0};
std::atomic<bool> Done{false}, Waiting{false};
std::atomic<const char *> AskedHow{nullptr}; ///< what reportElsewhere() asks for, with the next
std::atomic<int> AskedCode{0}, Wanted{0};

/// How often the reporter looks whether it alone is left: once the main thread has left, and where
/// nobody says when it does.
constexpr long LeftTickMs = 20, UnwatchedTickMs = 1000;

std::atomic<bool> MainWatched{false}, MainLeft{false};

void mainLeaves() {
  MainLeft.store(true);
  if (Waiting.load())
    sem_post(&Wake);
}

/// Until somebody posts, or the next look is due.
void waitForWork() {
  bool left = MainLeft.load();
  if (!left && MainWatched.load()) {
    sem_wait(&Wake);
    return;
  }
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (left ? LeftTickMs : UnwatchedTickMs) * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  sem_clockwait(&Wake, CLOCK_MONOTONIC, &until);
}

void *reporter(void *) {
  while (!Signal.load() && !AskedHow.load()) {
    waitForWork();
    if (!Signal.load() && !AskedHow.load() && onlyBackgroundThreadsRemain()) {
      endAsLastThread();
      return nullptr;
    }
  }
  int signal = Signal.load();
  leaveTheAllocator();
  if (const char *asked = AskedHow.load()) {
    Wanted.store(makeReport(Ending::Early, asked, AskedCode.load()));
    Done.store(true);
    return nullptr;
  }
  char how[32] = "abort";
  if (signal != SIGABRT)
    std::snprintf(how, sizeof how, "signal %d", signal);
  makeReport(Ending::Early, how, 128 + signal);
  Done.store(true);
  return nullptr;
}

/// A thread gets these for what it does itself: several may get the same one at once. Of others a
/// second one means that somebody is in a hurry.
bool isOfThread(int signal) { return signal == SIGPIPE || signal == SIGXFSZ || signal == SIGABRT; }

/// `timeout`, launchers and shells send one to the process and to its group: that is no hurry.
bool isEchoOfFirst(int signal, int reported) {
  constexpr uint64_t LongestNs = 1000000000;
  return reported == signal && !isOfThread(signal) && !Done.load() &&
         monotonicNs() - FirstNs.load() < LongestNs;
}

void waitUntilDone() {
  for (int ms = 0; ms < PatienceMs && !Done.load(); ++ms) {
    timespec pause{0, 1000000};
    nanosleep(&pause, nullptr);
  }
}

void onSignal(int signal) {
  int savedErrno = errno, reported = 0;
  uint64_t none = 0;
  FirstNs.compare_exchange_strong(none, monotonicNs());
  bool first = Waiting.load() && isOwnProcess() && Signal.compare_exchange_strong(reported, signal);
  if (first) {
    sem_post(&Wake);
  } else if (isEchoOfFirst(signal, reported)) {
    errno = savedErrno;
    return;
  }
  if (first || (reported == signal && isOfThread(signal)))
    waitUntilDone();
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  errno = savedErrno;
  raise(signal); // delivered when this handler returns
}

bool startReporter() {
  if (Waiting.load())
    return true;
  if (sem_init(&Wake, 0, 0) != 0)
    return false;
  bool started = startBackground(reporter, ReporterStack);
  Waiting.store(started);
  return started;
}

} // namespace

void watchSignals() {
  if (!MainWatched.load())
    MainWatched.store(watchMainThread(mainLeaves));
  if (!startReporter())
    return;
  for (int signal : Watched) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) ||
        now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours = {};
    ours.sa_handler = onSignal;
    ours.sa_flags = SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

int reportElsewhere(const char *how, int code) {
  if (!Waiting.load() || Signal.load() || AskedHow.load())
    return 0;
  AskedCode.store(code);
  AskedHow.store(how);
  sem_post(&Wake);
  waitUntilDone();
  return Wanted.load();
}

namespace {
class SignalsPart : public Part {
public:
  void start() override { MainWatched.store(watchMainThread(mainLeaves)); }
  /// The reporting thread is not there, and the main thread is the one that forked.
  void childAfterFork() override {
    MainLeft.store(false);
    MainWatched.store(watchMainThread(mainLeaves));
    Waiting.store(false);
    Done.store(false);
    Signal.store(0);
    AskedHow.store(nullptr);
    FirstNs.store(0);
  }
};
} // namespace

Part &signalsPart() {
  static Part *part = new SignalsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
