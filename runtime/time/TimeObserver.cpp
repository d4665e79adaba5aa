// What device timing must know of other calls.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimeObserver.h"
#include "calls/Observer.h"
#include "cuda/Driver.h"
#include "options/Options.h"
#include "time/DeviceTimes.h"
#include "time/exact/CallNotes.h"
#include "time/graphs/GraphLines.h"
#include "time/sampled/SampledTimer.h"
#include "time/sampled/pairs/EventPairs.h"
#include "time/sampled/pairs/Filler.h"
#include "time/sampled/pairs/PairReader.h"

namespace gpuinstr::timing {

namespace {
class TimeObserver : public Observer {
public:
  TimeObserver() : Observer(opBit(GPUINSTR_OP_RESET_DEVICE)) {}
  /// The events die with the context, and its address may come back.
  void before(const Call &call) override {
    constexpr unsigned OneContext = 1;
    collectTimes();
    const DriverApi *api = driverApi();
    bool one = call.operands.detail == OneContext;
    if (!api || (!one && call.site.flags & GPUINSTR_SITE_DRIVER))
      return forgetPairs(); // cuDevicePrimaryCtxReset, of any device
    forgetPairs(*api, one ? asHandle(call.operands.slot(GPUINSTR_SLOT_DST)) : nullptr);
  }
};

} // namespace

void addTimeObserver() {
  if (options::options().gpu_time == options::GpuTimeMode::Sampled)
    sampledTimer().start();
  addCaptureObserver();
  addGraphObservers();
  addPairReader();
  addFillerObserver();
  static TimeObserver *observer = new TimeObserver; // leaked: used during exit
  addObserver(*observer);
}

} // namespace gpuinstr::timing
