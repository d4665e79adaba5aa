// Start, the ways a process ends, and fork.
// SPDX-License-Identifier: Apache-2.0
#include "process/Lifecycle.h"
#include "audit/state/Auditor.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/CudaState.h"
#include "calls/OneTimeCosts.h"
#include "calls/OverheadBudget.h"
#include "calls/sites/Images.h"
#include "calls/sites/Kernels.h"
#include "calls/threads/Thread.h"
#include "findings/Findings.h"
#include "findings/IgnoredErrors.h"
#include "ledger/Ledger.h"
#include "memory/CustomPools.h"
#include "memory/Leaks.h"
#include "memory/MemoryObserver.h"
#include "nvtx/CaptureRange.h"
#include "options/FailOn.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "process/PeriodicOutput.h"
#include "process/ReportOutput.h"
#include "process/Signals.h"
#include "process/profile/ProfileBuilder.h"
#include "time/TimeObserver.h"
#include "time/TimeStore.h"
#include "time/exact/Exact.h"
#include "time/sampled/Sampler.h"
#include "trace/Trace.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

namespace gpuinstr {

namespace {

std::atomic<bool> Disabled{false}, Reported{false}, Exiting{false}, DestructorsRan{false};
std::atomic<pid_t> Owner{0};
std::atomic<int> ExitStatus{-1};
uint64_t StartNs = 0;
std::atomic<uint64_t> OwnStartupNs{0}, EndingNs{0};
std::atomic<bool> StartCharged{false};
std::atomic<uint64_t> UnchargedNs{0};
bool ExitHandlerRegistered = false;
std::atomic<bool> Confirmed{false};

void lockAll() {
  lockCapture();
  audit::lockAuditor();
  lockSites();
  lockThreads();
  ledger().lock();
  lockFindings();
  lockKernels();
  lockStartUp();
  timing::lockTimes();
}

void unlockAll() {
  timing::unlockTimes();
  unlockStartUp();
  unlockKernels();
  unlockFindings();
  ledger().unlock();
  unlockThreads();
  unlockSites();
  audit::unlockAuditor();
  unlockCapture();
}

/// Of this thread: beside other processes the wall says little of what a start took.
uint64_t processorNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

/// What the budget has to earn. Until the first CUDA call it is only noted: modules may still bring
/// the option.
void chargeStart(uint64_t ns) {
  if (!StartCharged.load())
    UnchargedNs.fetch_add(ns);
  else
    governor().correct(int64_t(ns));
}

void chargeWhatWasNoted() {
  if (!StartCharged.exchange(true))
    governor().correct(int64_t(UnchargedNs.exchange(0)));
}

/// The child reports only its own calls. It starts with no allocations: CUDA does not survive fork.
void inChild() {
  unlockAll();
  Owner.store(getpid());
  StartNs = monotonicNs();
  OwnStartupNs.store(0);
  EndingNs.store(0);
  StartCharged.store(false);
  UnchargedNs.store(0);
  Reported.store(false);
  forgetOtherThreads();
  forgetOtherCaptures();
  forgetState();
  forgetReporter();
  forgetPeriodic();
  options::forgetWrittenFiles();
  forgetLeaks();
  ledger().clear();
  clearFindings();
  clearKernels();
  clearPools();
  timing::forgetTimes();
  audit::forgetEngines();
  audit::resetAuditor();
  resetGovernor();
  startNewEpoch();
}

/// Early among the exit handlers, while CUDA is alive: it was registered after CUDA came up. Only
/// the first of two counts: after the teardown the driver calls everything dead.
void whileCudaIsAlive() {
  if (!isOwnProcess() || !cudaUsed() || Disabled || Confirmed.exchange(true))
    return;
  ThreadState *thread = thisThread();
  if (!thread)
    return;
  BusyScope busy(*thread);
  uint64_t start = monotonicNs();
  guarded(confirmBeforeTeardown);
  guarded(timing::collectTimes);
  timing::stopSampling(); // static destructors run when CUDA is gone
  EndingNs.fetch_add(monotonicNs() - start);
}

void reportAtExit() {
  if (!isOwnProcess())
    return;
  int status = ExitStatus.load();
  int code = report(Ending::Exit, "exit", status);
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
  int wanted = report(Ending::Killed, "quick_exit", status);
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

bool isOwnProcess() { return Owner.load() == getpid(); }
bool isDisabled() { return Disabled.load(std::memory_order_relaxed); }
uint64_t processStartNs() { return StartNs; }
uint64_t startupNs() { return OwnStartupNs.load(); }

OwnStart::OwnStart(bool inCall)
    : InCall(inCall), StartTicks(ticks()), StartNs(monotonicNs()), ProcessorNs(processorNs()) {}

OwnStart::~OwnStart() {
  uint64_t endTicks = ticks();
  OwnStartupNs.fetch_add(monotonicNs() - StartNs);
  if (InCall && Self)
    Self->ownTicks += StartTicks - endTicks;
  chargeStart(processorNs() - ProcessorNs);
}

void startRuntime(uint64_t beforeLoadNs) {
  static std::once_flag once;
  std::call_once(once, [beforeLoadNs] {
    startClock();
    StartNs = clockStartNs();
    constexpr uint64_t LongestLoad = 5000000000, UsualLoad = 500000;
    if (uint64_t load = StartNs - beforeLoadNs; load < LongestLoad) { // else it is no such moment
      OwnStartupNs.fetch_add(load);
      chargeStart(std::min(load, UsualLoad)); // longer ones wait for the disk
    }
    OwnStart start(false);
    Owner.store(getpid());
    addErrorObserver();
    addBoundsObserver();
    addMemoryObserver();
    addStartUpObserver();
    timing::addTimeObserver();
    audit::startAuditor();
    startCapture();
    on_exit(rememberStatus, nullptr);
    at_quick_exit(atQuickExit);
    pthread_atfork(lockAll, unlockAll, inChild);
    trace::startTrace();
    // Before all others: who writes the profile needs their locks.
    pthread_atfork([] { holdPeriodic(); }, releasePeriodic, nullptr);
    const options::Options &options = options::options();
    if (options.help)
      writeToStderr(options::helpText());
    Disabled.store(!options.enabled);
  });
}

void registerModule(gpuinstr_module *module) {
  OwnStart start(false);
  guarded([&] {
    options::addBuiltInDefaults(module->defaults);
    if (!options::options().enabled)
      Disabled.store(true);
    if (!Disabled)
      registerSites(module);
    // CUDA came up in a library's constructor: that handler runs after the destructors.
    if (ExitHandlerRegistered && isInMainProgram(module))
      std::atexit(whileCudaIsAlive);
  });
}

void unregisterModule(gpuinstr_module *module) {
  // In exit() nothing is unmapped any more.
  if (!Disabled && !Exiting.load())
    guarded([&] { unloadSites(module); });
}

void onFirstCudaCall() {
  OwnStart start(false);
  guarded([] {
    for (const std::string &problem : options::optionProblems())
      writeToStderr("gpuinstr: " + problem + "\n");
    if (!options::options().trace.empty() && !trace::isOn())
      writeToStderr("gpuinstr: no trace: trace= works from GPUINSTR_OPTIONS, not built into the "
                    "program\n");
  });
  watchSignals();
  guarded(timing::startExact);
  startPeriodic();
  chargeWhatWasNoted();
}

void onCudaUp() {
  if (!ExitHandlerRegistered) // a forked child inherits it
    ExitHandlerRegistered = std::atexit(whileCudaIsAlive) == 0;
}

int report(Ending ending, const std::string &how, int code) {
  if (Disabled || !cudaUsed())
    return 0;
  if (ending != Ending::Now && Reported.exchange(true))
    return 0;
  if (ending != Ending::Now)
    stopPeriodic();
  ThreadState *thread = thisThread();
  if (!thread)
    return 0;
  BusyScope busy(*thread);
  uint64_t start = monotonicNs();
  int wanted = 0;
  guarded([&] {
    if (ending == Ending::Now)
      timing::collectTimes();
    trace::flush(ending != Ending::Now);
    profile::Profile profile = buildProfile(ending, how, code);
    profile.process.ending_ns = EndingNs.load() + monotonicNs() - start;
    writeReports(profile);
    const options::Options &options = options::options();
    if (options::mustFail(profile, options.fail_on))
      wanted = int(options.exitcode);
  });
  return wanted;
}

void beforeExit(int code) {
  // The child of vfork shares our memory: it has nothing to report and must not touch it.
  if (!isOwnProcess())
    return;
  int status = code & 0xff;
  ExitStatus.store(status);
  if (code & GPUINSTR_QUICK_EXIT)
    return; // its handlers come first, ours last of them
  int wanted = report(Ending::Killed, "_exit", status);
  if (wanted != 0 && status == 0)
    _exit(wanted);
}

} // namespace gpuinstr
