// The start of the runtime, and the modules that come and go.
// SPDX-License-Identifier: Apache-2.0
#include "process/Lifecycle.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/OwnMemory.h"
#include "base/ProcessState.h"
#include "base/system/GivenStreams.h"
#include "base/text/Stderr.h"
#include "calls/CallHooks.h"
#include "calls/budget/OwnStart.h"
#include "nvtx/Nvtx.h"
#include "options/Options.h"
#include "options/PathPattern.h"
#include "process/Exit.h"
#include "process/Fork.h"
#include "process/Parts.h"
#include "process/Signals.h"
#include "process/output/PeriodicOutput.h"
#include "time/DeviceTimes.h"
#include "trace/Trace.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace gpuinstr {

namespace {

void onFirstCudaCall() {
  guarded(startNvtx);
  OwnStart start(false);
  guarded([] {
    for (const std::string &problem : options::optionProblems())
      writeToStderr("gpuinstr: " + problem + "\n");
    if (!options::options().trace.empty() && !trace::isOn())
      writeToStderr("gpuinstr: no trace: trace= works from GPUINSTR_OPTIONS, not built into the "
                    "program\n");
  });
  watchSignals();
  guarded(timing::startDeviceTimes);
  startPeriodic();
  guarded(chargeStartToBudget);
}

void startParts(uint64_t beforeLoadNs) {
  startClock();
  constexpr uint64_t LongestLoad = 5000000000;
  if (uint64_t load = clockStartNs() - beforeLoadNs; load < LongestLoad) // else no such moment
    noteLoad(load);
  OwnStart own(false);
  ownProcess(clockStartNs());
  rememberGivenStreams();
  reserveOwnMemory();
  options::rememberStartFolder();
  Hooks.firstCudaCall = onFirstCudaCall;
  Hooks.cudaCameUp = addTeardownHandler;
  eachPart([](Part &part) { part.start(); });
  addExitHandlers();
  addForkHandlers();
  const options::Options &options = options::options();
  if (options.help)
    writeToStderr(options::helpText());
  disable(!options.enabled);
}

/// Without memory for a start there is nothing to watch with: off as a whole.
void start(uint64_t beforeLoadNs) noexcept {
  if (strictSanitizer())
    return disable();
  // Where there is no memory at all, not even an exception can be thrown.
  constexpr size_t Least = 256 << 10;
  void *volatile probe = std::malloc(Least); // volatile: or the compiler knows better
  std::free(probe);
  if (!probe || !guarded([&] { startParts(beforeLoadNs); })) {
    disable();
    guarded([] {
      writeToStderr("gpuinstr: no memory to start with; the program runs uninstrumented\n");
    });
  }
}

} // namespace

const char *strictSanitizer() {
#ifndef __SANITIZE_THREAD__
  if (dlsym(RTLD_DEFAULT, "__tsan_init"))
    return "ThreadSanitizer";
#endif
  return dlsym(RTLD_DEFAULT, "__msan_init") ? "MemorySanitizer" : nullptr;
}

void startRuntime(uint64_t beforeLoadNs) {
  static std::once_flag once;
  std::call_once(once, [beforeLoadNs] { start(beforeLoadNs); });
}

void registerModule(gpuinstr_module *module) {
  OwnStart start(false);
  guarded([&] {
    options::addBuiltInDefaults(module->defaults);
    if (!options::options().enabled)
      disable();
    if (!isDisabled())
      registerSites(module);
    addTeardownHandlerOf(module);
  });
}

void unregisterModule(gpuinstr_module *module) {
  if (!isDisabled() && !isExiting())
    guarded([&] {
      Hooks.codeGoes(module);
      unloadSites(module);
    });
}

} // namespace gpuinstr
