// Reads event pairs after calls that wait for the device.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/pairs/PairReader.h"
#include "base/Clock.h"
#include "calls/Observer.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "cuda/Driver.h"
#include "time/sampled/Sampler.h"
#include "time/sampled/pairs/EventPairs.h"

namespace gpuinstr::timing {

namespace {

/// Reads the pairs of contexts that no thread may have current at the end, while one has. Muted
/// until there are such: each call that waits costs four calls of the driver more.
class AfterWaits : public Observer {
public:
  AfterWaits()
      : Observer(0, opBit(GPUINSTR_OP_SYNC_DEVICE) | opBit(GPUINSTR_OP_SYNC_STREAM) |
                        opBit(GPUINSTR_OP_SYNC_EVENT) | opBit(GPUINSTR_OP_FREE) |
                        opBit(GPUINSTR_OP_COPY)) {}
  void after(const Call &call) override {
    const DriverApi *api = driverApi();
    if (call.failed || (call.operands.flags & GPUINSTR_SITE_ASYNC) || !api ||
        !TimedOperations.load(std::memory_order_relaxed))
      return;
    uint64_t before = ticks();
    {
      RelaxedCapture relaxed(*api);
      if (call.operands.op == GPUINSTR_OP_SYNC_DEVICE)
        drainPairs(*api); // all have finished
      else
        pollPairs(*api, PollsPerWait);
    }
    static const double nsOfTick = nsPerTick();
    uint64_t took = uint64_t(double(ticks() - before) * nsOfTick);
    overheadBudget().correct(int64_t(took));
    noteOwnCost(OwnConsumer::DeviceTimes, took);
  }

private:
  static constexpr unsigned PollsPerWait = 4;
};

AfterWaits &afterWaits() {
  static AfterWaits *observer = new AfterWaits; // leaked: used during exit
  return *observer;
}

} // namespace

void addPairReader() {
  addObserver(afterWaits());
  muteObserver(afterWaits());
}

void readAfterWaits() {
  static std::atomic<bool> reads{false};
  if (!reads.exchange(true))
    unmuteObserver(afterWaits());
}

} // namespace gpuinstr::timing
