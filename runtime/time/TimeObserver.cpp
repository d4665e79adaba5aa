// What device timing must know of other calls: contexts that go, calls that wait, forks.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimeObserver.h"
#include "core/Clock.h"
#include "core/Driver.h"
#include "core/Governor.h"
#include "core/Observer.h"
#include "time/EventPairs.h"
#include "time/Exact.h"
#include "time/GraphLines.h"
#include "time/Sampler.h"
#include "time/TimeStore.h"

namespace gpuinstr::timing {

namespace {
class TimeObserver : public core::Observer {
public:
  TimeObserver() : Observer(core::opBit(GPUINSTR_OP_RESET_DEVICE)) {}
  /// The events die with the context, and its address may come back.
  void before(const core::Call &call) override {
    constexpr unsigned OneContext = 1;
    collectTimes();
    const core::DriverApi *api = core::driverApi();
    bool one = call.operation.detail == OneContext;
    if (!api || (!one && call.site.flags & GPUINSTR_SITE_DRIVER))
      return forgetPairs(); // cuDevicePrimaryCtxReset, of any device
    forgetPairs(*api, one ? asHandle(call.operation.slot(GPUINSTR_SLOT_DST)) : nullptr);
  }
};

/// Reads the pairs of contexts that no thread may have current at the end, while one has. Muted
/// until there are such: each call that waits costs four calls of the driver more.
class AfterWaits : public core::Observer {
public:
  AfterWaits()
      : Observer(core::opBit(GPUINSTR_OP_SYNC_DEVICE) | core::opBit(GPUINSTR_OP_SYNC_STREAM) |
                 core::opBit(GPUINSTR_OP_SYNC_EVENT) | core::opBit(GPUINSTR_OP_FREE) |
                 core::opBit(GPUINSTR_OP_COPY)) {}
  void after(const core::Call &call) override {
    const core::DriverApi *api = core::driverApi();
    if (call.failed || (call.operation.flags & GPUINSTR_SITE_ASYNC) || !api ||
        !TimedOperations.load(std::memory_order_relaxed))
      return;
    uint64_t before = core::ticks();
    {
      core::RelaxedCapture relaxed(*api);
      if (call.operation.op == GPUINSTR_OP_SYNC_DEVICE)
        drainPairs(*api); // all have finished
      else
        pollPairs(*api, PollsPerWait);
    }
    static const double NsOfTick = core::nsPerTick();
    core::governor().correct(int64_t(double(core::ticks() - before) * NsOfTick));
  }

private:
  static constexpr unsigned PollsPerWait = 4;
};

AfterWaits &afterWaits() {
  static AfterWaits *observer = new AfterWaits; // leaked: used during exit
  return *observer;
}
} // namespace

void readAfterWaits() {
  static std::atomic<bool> Reads{false};
  if (!Reads.exchange(true))
    core::unmuteObserver(afterWaits());
}

void addTimeObserver() {
  startSampling();
  addExactObserver();
  addGraphObservers();
  core::addObserver(afterWaits());
  core::muteObserver(afterWaits());
  static TimeObserver *observer = new TimeObserver; // leaked: used during exit
  core::addObserver(*observer);
}

void forgetTimes() {
  forgetExact();
  forgetDependents();
  forgetGraphLines();
  clearTimes();
  forgetPairs();
}

} // namespace gpuinstr::timing
