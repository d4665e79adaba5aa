// Device times from samples: event pairs around some of the operations.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/SampledTimer.h"
#include "calls/threads/Recording.h"
#include "calls/threads/Thread.h"
#include "time/sampled/Sampler.h"
#include "time/sampled/TimedStreams.h"
#include "time/sampled/pairs/EventPairs.h"
#include "time/sampled/pairs/Filler.h"
#include "time/sampled/totals/SampledProfile.h"
#include "time/sampled/totals/SampledShare.h"
#include "time/sampled/totals/TimeStore.h"

namespace gpuinstr::timing {

namespace {

class SampledTimer : public DeviceTimer {
public:
  std::string start() override { return startSampling() ? "" : "budget=0"; }
  void collect() override { collectSamples(); }
  void stop() override { stopSampling(); }

  bool addTimes(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known) override {
    addSampledTime(to, site, known);
    return true;
  }
  void fillShares(profile::Profile &profile, uint64_t leftOut) override {
    SampledFacts facts;
    facts.severalStreams = severalStreamsTimed;
    facts.hostThreads = threadsWithCalls();
    facts.paused = wasPaused();
    facts.leftOut = leftOut;
    countUntimed(profile);
    profile.breakdown.gpus = sampledShares(profile, facts);
    profile.process.own_device_bytes += Filler::heldBytes();
  }
  std::vector<std::string> notes() override { return samplingNotes(); }

  void lock() override { lockTimeStore(); }
  void unlock() override { unlockTimeStore(); }
  void childAfterFork() override {
    forgetDependents();
    reset();
    forgetPairs();
    Filler::forgetHeld();
  }
  void reset() override {
    clearTimeStore();
    clearTimedStreams();
  }
};

} // namespace

DeviceTimer &sampledTimer() {
  static auto *timer = new SampledTimer; // leaked: used during exit
  return *timer;
}

} // namespace gpuinstr::timing
