// The report of a process that a signal ends.
// SPDX-License-Identifier: Apache-2.0
#include "process/Signals.h"
#include "base/BackgroundThread.h"
#include "base/ProcessState.h"
#include "process/Exit.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>

namespace gpuinstr {

namespace {

constexpr int Watched[] = {SIGABRT, SIGTERM, SIGINT};
constexpr size_t ReporterStack = 1 << 20;
/// The interrupted thread may hold a lock that the reporter needs: then there is no report.
constexpr int PatienceMs = 3000;

sem_t Wake;
std::atomic<int> Signal{0};
std::atomic<bool> Done{false}, Waiting{false};

void *reporter(void *) {
  while (sem_wait(&Wake) != 0 && errno == EINTR)
    ;
  int signal = Signal.load();
  report(Ending::Killed, signal == SIGABRT ? "abort" : "signal " + std::to_string(signal),
         128 + signal);
  Done.store(true);
  return nullptr;
}

void onSignal(int signal) {
  int savedErrno = errno, none = 0;
  if (Waiting.load() && isOwnProcess() && Signal.compare_exchange_strong(none, signal)) {
    sem_post(&Wake);
    for (int ms = 0; ms < PatienceMs && !Done.load(); ++ms) {
      timespec pause{0, 1000000};
      nanosleep(&pause, nullptr);
    }
  }
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

namespace {
class SignalsPart : public Part {
public:
  /// The reporting thread is not there.
  void childAfterFork() override {
    Waiting.store(false);
    Done.store(false);
    Signal.store(0);
  }
};
} // namespace

Part &signalsPart() {
  static Part *part = new SignalsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
