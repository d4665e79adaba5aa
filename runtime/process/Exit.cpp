// The ways a process ends, and the report of each.
// SPDX-License-Identifier: Apache-2.0
#include "process/Exit.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/OwnMemory.h"
#include "base/ProcessState.h"
#include "base/text/Stderr.h"
#include "calls/CudaState.h"
#include "calls/Entry.h"
#include "calls/budget/WatchWindows.h"
#include "calls/code/Images.h"
#include "calls/sites/Sites.h"
#include "calls/threads/Thread.h"
#include "options/FailOn.h"
#include "options/Options.h"
#include "process/Parts.h"
#include "process/Signals.h"
#include "process/output/PeriodicOutput.h"
#include "process/output/ReportOutput.h"
#include "process/output/Spool.h"
#include "process/profile/ProfileBuilder.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

std::atomic<bool> Reported{false}, Exiting{false}, DestructorsRan{false};
std::atomic<bool> ExitBehindError{false}; ///< known at the call: destructors may call CUDA later
std::atomic<int> ExitStatus{-1};
std::atomic<uint64_t> EndingNs{0};
bool TeardownHandlerAdded = false;
constexpr char InCall[] = "exit in a call"; ///< by a handler of a signal that came there
std::atomic<bool> Confirmed{false};

/// The first thread in exit(). Another one that calls it takes the handlers that are left, under
/// the first one's feet, and then ends the process, be it in the middle of the report: before 2.41
/// the C library keeps nobody waiting. So who is not first waits here until the report is written.
class ExitTurn {
public:
  static void take() {
    pid_t nobody = 0;
    First.compare_exchange_strong(nobody, thisThreadId());
  }
  /// By who writes the report.
  static void takeOver() { First.store(thisThreadId()); }
  static void end() { IsOver.store(true); }
  static void forget() {
    First.store(0);
    IsOver.store(false);
  }
  static bool isOthers() {
    const pid_t first = First.load();
    return first != 0 && first != thisThreadId() && !IsOver.load() && isOwnProcess();
  }
  /// As an exit handler, too. Not for ever: handlers of the first may wait for this thread; nor
  /// where a signal took it out of a call, with the locks that it holds there.
  static void wait() {
    constexpr int Patience = 3000;
    constexpr timespec Millisecond = {0, 1000000};
    if (isOthers() && !isInCall())
      for (int i = 0; i < Patience && isOthers(); ++i)
        nanosleep(&Millisecond, nullptr);
  }
  /// So that as many more threads meet one each, instead of what comes below.
  static void addHandlers() {
    for (int i = 0; i < 4; ++i)
      std::atexit(wait);
  }

private:
  static pid_t thisThreadId() { return pid_t(syscall(SYS_gettid)); }
  static inline std::atomic<pid_t> First{0};
  static inline std::atomic<bool> IsOver{false};
};

/// Early among the exit handlers, while CUDA is alive: it was registered after CUDA came up. Only
/// the first of two counts: after the teardown the driver calls everything dead.
void whileCudaIsAlive() {
  if (!isOwnProcess() || !cudaUsed() || isDisabled())
    return;
  ExitTurn::take();
  ExitTurn::wait();
  if (Confirmed.exchange(true))
    return;
  ThreadState *thread = nullptr;
  guarded([&] { thread = thisThread(); });
  if (!thread)
    return;
  if (isInCall()) { // for good: the call does not come back
    thread->busy = true;
    return;
  }
  BusyScope busy(*thread);
  uint64_t start = monotonicNs();
  eachPart([](Part &part) { guarded([&] { part.beforeTeardown(); }); });
  EndingNs.fetch_add(monotonicNs() - start);
}

/// The runtime's are no sites: they return no status.
bool isErrorText(const gpuinstr_site *site) {
  return site && (std::strcmp(site->callee, "cuGetErrorString") == 0 ||
                  std::strcmp(site->callee, "cuGetErrorName") == 0);
}

/// This thread's last call was the one whose error the program has looked at, but for asking what
/// the error is called.
bool endsByError() {
  ThreadState *thread = nullptr;
  guarded([&] { thread = thisThread(); });
  return thread && thread->errorSeenAt != 0 &&
         (thread->errorSeenAt == thread->root.start || isErrorText(siteAt(thread->root.site)));
}

void reportAtExit() {
  if (!isOwnProcess())
    return;
  ExitTurn::take();
  ExitTurn::addHandlers(); // those of the teardown are used up by now
  int status = ExitStatus.load();
  int code = ExitBehindError.load() || (status != 0 && endsByError())
                 ? makeReport(Ending::Early, "error", status)
                 : makeReport(Ending::Exit, "exit", status);
  if (code != 0 && status == 0) {
    std::fflush(nullptr); // exit() would do so after us
    _exit(code);
  }
}

/// Where the constructor of a library that the program links loaded the runtime, this handler is
/// older than the dynamic linker's own, which runs the destructors: it is then the last one.
void rememberStatus(int status, void *) {
  ExitStatus.store(status & 0xff);
  Exiting.store(true);
  if (DestructorsRan.load())
    reportAtExit();
}

/// Registered first, so it runs last. The status is known where the call is instrumented.
void atQuickExit() {
  if (!isOwnProcess())
    return;
  int status = ExitStatus.load();
  int wanted = makeReport(Ending::Killed, "quick_exit", status);
  if (wanted != 0 && status == 0)
    _exit(wanted);
}

/// After the destructors of static objects: the runtime is never unloaded. Exit handlers that are
/// still to come, see rememberStatus.
__attribute__((destructor)) void atLast() {
  DestructorsRan.store(true);
  if (Exiting.load())
    reportAtExit();
}

} // namespace

void addExitHandlers() {
  on_exit(rememberStatus, nullptr);
  at_quick_exit(atQuickExit);
}

void addTeardownHandler() {
  if (TeardownHandlerAdded) // a forked child inherits it
    return;
  ExitTurn::addHandlers();
  TeardownHandlerAdded = std::atexit(whileCudaIsAlive) == 0;
}

void addTeardownHandlerOf(const gpuinstr_module *module) {
  if (TeardownHandlerAdded && isInMainProgram(module))
    std::atexit(whileCudaIsAlive);
}

bool isExiting() { return Exiting.load(); }

void forgetReport() {
  EndingNs.store(0);
  Reported.store(false);
  ExitTurn::forget();
}

static int writeReport(Ending ending, const std::string &how, int code, uint64_t start) {
  eachPart([&](Part &part) { part.beforeReport(ending); });
  profile::Profile profile = buildProfile(ending, how, code);
  profile.process.ending_ns = EndingNs.load() + monotonicNs() - start;
  writeReports(profile);
  const options::Options &options = options::options();
  return options::mustFail(profile, options.fail_on) ? int(options.exitcode) : 0;
}

int makeReport(Ending ending, const char *how, int code) {
  if (isDisabled() || !cudaUsed())
    return 0;
  if (ending != Ending::Now && isInCall())
    return Reported.load() ? 0 : reportElsewhere(ending == Ending::Exit ? InCall : how, code);
  if (ending != Ending::Now && Reported.exchange(true)) {
    ExitTurn::wait();
    return 0;
  }
  if (ending != Ending::Now) {
    ExitTurn::takeOver();
    stopPeriodic();
    stopWindows();
  }
  UncancelledScope uncancelled;
  int wanted = 0;
  auto work = [&] {
    ThreadState *thread = thisThread();
    if (!thread)
      throw std::bad_alloc();
    BusyScope busy(*thread);
    wanted = writeReport(ending, how, code, monotonicNs());
  };
  RescueScope rescue(ending == Ending::Now ? RescueScope::AllocatorFirst
                                           : RescueScope::MappingFirst);
  if (guarded(work)) {
    if (ending != Ending::Now)
      guarded(removeSpool);
  } else {
    constexpr char Line[] = "gpuinstr: no memory for the report\n";
    guarded([&] { writeToStderr({Line, sizeof Line - 1}); });
    wanted = 0;
  }
  if (ending != Ending::Now && wanted == 0) // else this thread ends the process now
    ExitTurn::end();
  return wanted;
}

void beforeExit(int code) {
  // The child of vfork shares our memory: it has nothing to report and must not touch it.
  if (!isOwnProcess())
    return;
  if (code & GPUINSTR_PLAIN_EXIT)
    ExitTurn::wait();
  int status = code & 0xff;
  ExitStatus.store(status);
  if (code & GPUINSTR_PLAIN_EXIT && endsByError())
    ExitBehindError.store(true);
  if (code & GPUINSTR_QUICK_EXIT)
    return; // its handlers come first, ours last of them
  int wanted = makeReport(Ending::Killed, "_exit", status);
  if (wanted != 0 && status == 0)
    _exit(wanted);
}

} // namespace gpuinstr
