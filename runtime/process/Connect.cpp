// The one exported symbol, and what gpuinstr.h's functions do.
// SPDX-License-Identifier: Apache-2.0
#include "audit/transfers/Deliveries.h"
#include "base/Guard.h"
#include "base/ProcessState.h"
#include "base/text/Stderr.h"
#include "calls/Entry.h"
#include "calls/budget/WatchWindows.h"
#include "calls/threads/Thread.h"
#include "ledger/Ledger.h"
#include "ledger/UserNames.h"
#include "memory/CustomPools.h"
#include "memory/Leaks.h"
#include "nvtx/CaptureNvtx.h"
#include "nvtx/CaptureRange.h"
#include "nvtx/Nvtx.h"
#include "nvtx/PhaseRanges.h"
#include "options/Options.h"
#include "process/Exit.h"
#include "process/Lifecycle.h"
#include "process/Parts.h"
#include "trace/Hooks.h"
#include "trace/Trace.h"
#include <algorithm>
#include <atomic>
#include <string>
#include <type_traits>

namespace gpuinstr {

namespace {

/// Runs what a user asked for, with the runtime's own allocations out of sight.
template <class Work> void asRuntime(Work work) {
  ThreadState *thread = isDisabled() ? nullptr : thisThread();
  if (!thread || thread->busy)
    return;
  BusyScope busy(*thread);
  UncancelledScope uncancelled;
  guarded(work);
}

void pushRange(const char *name) {
  if (capturesNamedRange())
    captureRangePushed(name);
  if (NvtxActive && name)
    nvtxPushName(name);
  phasePushed(name);
}
void popRange() {
  phasePopped();
  if (NvtxActive)
    nvtxPop();
  if (capturesNamedRange())
    captureRangePopped();
}
void pause() { setPaused(PauseReason::User, true); }
void resume() { setPaused(PauseReason::User, false); }
void reportNow() {
  asRuntime([] { makeReport(Ending::Now, "report_now", -1); });
}
void reset() {
  asRuntime([] { eachPart([](Part &part) { part.reset(); }); });
}
uint64_t mark() { return isDisabled() ? 0 : ledger().lastSequence(); }
uint64_t leaksSince(uint64_t since, uint64_t *bytes) {
  LiveTotals totals;
  asRuntime([&] { totals = liveSince(since); });
  if (bytes)
    *bytes = totals.bytes;
  return totals.count;
}
void nameAllocation(const void *pointer, const char *text) {
  asRuntime([&] {
    uint32_t number = userNameNumber(text);
    ledger().change(reinterpret_cast<uint64_t>(pointer), [&](Allocation &a) { a.name = number; });
  });
}
void ignoreAllocation(const void *pointer) {
  asRuntime([&] {
    ledger().change(reinterpret_cast<uint64_t>(pointer), [](Allocation &a) { a.ignored = true; });
  });
}
void poolAllocEntry(const void *pool, const void *pointer, uint64_t bytes) {
  asRuntime([&] { poolAlloc(pool, pointer, bytes); });
}
void poolFreeEntry(const void *pool, const void *pointer) {
  asRuntime([&] { poolFree(pool, pointer); });
}
void memoryAsked(uint64_t address) {
  asRuntime([&] { audit::noteAsked(*thisThread(), address); });
}

/// What the program calls throws nothing into it. enter, leave and count see to that themselves.
template <auto Function> struct Guarded;
template <class Result, class... Arguments, Result (*Function)(Arguments...)>
struct Guarded<Function> {
  static Result call(Arguments... arguments) {
    if constexpr (std::is_void_v<Result>) {
      guarded([&] { Function(arguments...); });
    } else {
      Result result{};
      guarded([&] { result = Function(arguments...); });
      return result;
    }
  }
};

constexpr gpuinstr_table FullTable = {sizeof(gpuinstr_table),
                                      GPUINSTR_ABI_VERSION,
                                      enter,
                                      leave,
                                      count,
                                      Guarded<registerModule>::call,
                                      Guarded<unregisterModule>::call,
                                      Guarded<beforeExit>::call,
                                      Guarded<pushRange>::call,
                                      Guarded<popRange>::call,
                                      Guarded<pause>::call,
                                      Guarded<resume>::call,
                                      Guarded<reportNow>::call,
                                      Guarded<reset>::call,
                                      Guarded<mark>::call,
                                      Guarded<leaksSince>::call,
                                      Guarded<nameAllocation>::call,
                                      Guarded<ignoreAllocation>::call,
                                      Guarded<poolAllocEntry>::call,
                                      Guarded<poolFreeEntry>::call,
                                      noteNvtx,
                                      mayEnter,
                                      Guarded<memoryAsked>::call,
                                      callBegins,
                                      Guarded<watchFrequent>::call,
                                      enterLaunch,
                                      leaveLaunch};

/// trace=PATH: other functions, so that the trace is free while it is off.
constexpr gpuinstr_table tracedTable() {
  gpuinstr_table table = FullTable;
  table.enter = trace::enter;
  table.leave = trace::leave;
  table.watch_frequent = [](int (*)(int)) {}; // each one is in the trace
  table.enter_launch = trace::enterLaunch;
  table.leave_launch = trace::leaveLaunch;
  table.push_range = [](const char *name) {
    pushRange(name);
    trace::pushRange(name);
  };
  table.pop_range = [] {
    trace::popRange();
    popRange();
  };
  return table;
}
constexpr gpuinstr_table TracedTable = tracedTable();

/// enabled=0: nothing is looked at, not even the thread.
constexpr gpuinstr_table EmptyTable = {
    sizeof(gpuinstr_table),
    GPUINSTR_ABI_VERSION,
    [](gpuinstr_frame *) {},
    [](gpuinstr_frame *, int64_t) {},
    [](const gpuinstr_site *) {},
    [](gpuinstr_module *) {},
    [](gpuinstr_module *) {},
    [](int) {},
    [](const char *) {},
    [] {},
    [] {},
    [] {},
    [] {},
    [] {},
    []() -> uint64_t { return 0; },
    [](uint64_t, uint64_t *bytes) -> uint64_t {
      if (bytes)
        *bytes = 0;
      return 0;
    },
    [](const void *, const char *) {},
    [](const void *) {},
    [](const void *, const void *, uint64_t) {},
    [](const void *, const void *) {},
    [](uint32_t, const void *, uint64_t) -> uint64_t { return 0; },
    [] { return -1; },
    [](uint64_t) {},
    [] { return -1; },
    [](int (*)(int)) {},
    [](gpuinstr_frame *, gpuinstr_frame *) {},
    [](gpuinstr_frame *, gpuinstr_frame *, int64_t) {}};

/// The first CUDA call says why nothing is looked at.
void tellOfSanitizer() {
  static std::atomic<bool> told{false};
  if (!told.load(std::memory_order_relaxed) && !told.exchange(true))
    writeToStderr("gpuinstr: " + std::string(strictSanitizer()) +
                  " is in the program, which runs uninstrumented\n");
}

constexpr gpuinstr_table besideSanitizer() {
  gpuinstr_table table = EmptyTable;
  table.enter = [](gpuinstr_frame *) { tellOfSanitizer(); };
  table.enter_launch = [](gpuinstr_frame *, gpuinstr_frame *) { tellOfSanitizer(); };
  table.count = [](const gpuinstr_site *) { tellOfSanitizer(); };
  return table;
}
constexpr gpuinstr_table SanitizerTable = besideSanitizer();

} // namespace
} // namespace gpuinstr

extern "C" __attribute__((visibility("default"))) const gpuinstr_table *
gpuinstr_connect(uint32_t abiVersion, uint32_t size, uint64_t beforeLoadNs) {
  using namespace gpuinstr;
  if (abiVersion != GPUINSTR_ABI_VERSION || size < offsetof(gpuinstr_table, push_range))
    return nullptr;
  startRuntime(beforeLoadNs);
  if (isDisabled())
    return strictSanitizer() ? &SanitizerTable : &EmptyTable;
  return gpuinstr::trace::isOn() ? &TracedTable : &FullTable;
}
