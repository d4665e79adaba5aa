// Device times as a part of the process.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimePart.h"
#include "base/Guard.h"
#include "calls/CallHooks.h"
#include "calls/sites/Kernels.h"
#include "calls/sites/ListedSites.h"
#include "options/Options.h"
#include "time/Breakdown.h"
#include "time/DeviceTimes.h"
#include "time/TimeObserver.h"
#include "time/exact/CallNotes.h"
#include "time/exact/ExactTimer.h"
#include "time/graphs/GraphLines.h"
#include "time/idle/IdleGaps.h"
#include "time/phases/PhaseRows.h"
#include "time/sampled/Sampler.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

void addHooks() {
  Hooks.beginTimed = beginTimed;
  Hooks.endTimed = endTimed;
  Hooks.dropTimed = dropTimed;
  Hooks.beginExact = beginExact;
  Hooks.endExact = endExact;
  Hooks.exactThreadEnds = endExactThread;
  Hooks.pauseEnded = addPause;
  Hooks.startUpTime = addStartUpTime;
}

/// Of one site descriptor.
void addTimes(SiteIndex index, const SiteCounters &counters, profile::DeviceTime &device,
              const ProfileScope &scope) {
  const profile::DurationStats &host = counters.host;
  addDeviceTime(device, index,
                {counters.sinceTurn(), counters.failed, kernelsOf(index).size(), host.callsInAll(),
                 double(host.totalOfAll()) * scope.nsPerTick});
  std::vector<std::string> &lines = device.captured_from;
  for (SiteIndex line : graphLinesOf(index))
    if (std::string id = isHiddenSite(line) ? "" : scope.sites.idOf(line);
        !id.empty() && std::find(lines.begin(), lines.end(), id) == lines.end())
      lines.push_back(std::move(id));
}

class TimePart : public Part {
public:
  void start() override {
    addHooks();
    addTimeObserver();
    if (options::options().gpu_time != options::GpuTimeMode::Off)
      addIdleObserver();
  }
  void beforeTeardown() override {
    guarded(collectTimes);
    stopTimes(); // static destructors run when CUDA is gone
  }
  void beforeReport(Ending ending) override {
    if (ending == Ending::Now)
      collectTimes();
  }
  void lock() override {
    lockTimes();
    lockIdleGaps();
  }
  void unlock() override {
    unlockIdleGaps();
    unlockTimes();
  }
  void childAfterFork() override {
    forgetTimes();
    clearIdleGaps();
  }
  void reset() override {
    clearTimes();
    clearIdleGaps();
  }
  void findings(std::vector<FindingRecord> &to, Ending) override {
    for (FindingRecord &advice : timingFindings())
      to.push_back(std::move(advice));
  }
  void notes(std::vector<std::string> &to, Ending) override {
    for (std::string &note : timingNotes())
      to.push_back(std::move(note));
  }
  void fill(profile::Profile &profile, ProfileScope &scope) override {
    scope.sites.eachCalled(
        [&](SiteIndex index, const SiteCounters &counters, profile::DeviceTime &device) {
          addTimes(index, counters, device, scope);
        });
    addExactCosts(profile.process);
  }
  void complete(profile::Profile &profile, ProfileScope &scope) override {
    fillBreakdown(profile, scope.hiddenDeviceCalls);
    fillIdleGaps(profile, scope.sites);
    fillPhases(profile, scope.sites);
  }
};

} // namespace

Part &timePart() {
  static Part *part = new TimePart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr::timing
