// What device timing must know of other calls: contexts that go, forks.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimeObserver.h"
#include "core/Driver.h"
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
} // namespace

void addTimeObserver() {
  startSampling();
  addExactObserver();
  addGraphObservers();
  addPairObserver();
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
