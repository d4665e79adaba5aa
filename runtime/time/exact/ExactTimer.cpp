// Exact device times: CUPTI's records joined to the calls that asked for them.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/ExactTimer.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/threads/Thread.h"
#include "options/Options.h"
#include "time/common/Occupancy.h"
#include "time/exact/CallNotes.h"
#include "time/exact/CuptiSession.h"
#include "time/exact/ExactProfile.h"
#include "time/exact/cupti/Cupti.h"
#include <dlfcn.h>

namespace gpuinstr::timing {

namespace {

/// Why there can be no exact times; "" where they are on now.
std::string begin() {
  std::string why;
  const options::Options &options = options::options();
  // The program is about to load it.
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver)
    return "no driver";
  if (dlsym(driver, "gpuinstr_simulator_version"))
    return "the simulated device has no CUPTI";
  CuptiApi api;
  if (cuptiIsTaken(why) || !loadCupti(options.cupti, api, why))
    return why;
  cuptiSession().begin(api);
  if (!startCupti(api, requestBuffer, completeBuffer, why)) {
    cuptiSession().end();
    return why;
  }
  return "";
}

class ExactTimer : public DeviceTimer {
public:
  std::string start() override {
    std::string why = begin();
    if (why.empty())
      startNotes();
    return why;
  }
  void collect() override { cuptiSession().flush(false); }
  void stop() override {
    stopNotes();
    if (!exactIsOn())
      return;
    cuptiSession().stop();
    cuptiSession().withStore([](const RecordStore &store) {
      for (const auto &device : store.timelines())
        limitsOf(int(device.first)); // remembered: the driver answers no more at the report
    });
  }

  bool addTimes(profile::DeviceTime &to, SiteIndex site, const KnownOperations &) override {
    return addExactTime(to, site);
  }
  void fillShares(profile::Profile &profile, uint64_t) override {
    fillExactShares(profile, monotonicNs());
  }
  void addCosts(profile::Process &process) override { addCuptiCosts(process); }
  std::vector<FindingRecord> findings() override { return serialisedWork(monotonicNs()); }
  std::vector<std::string> notes() override { return cuptiSession().notes(); }

  void lock() override { cuptiSession().mutex.lock(); }
  void unlock() override { cuptiSession().mutex.unlock(); }
  void childAfterFork() override {
    stopNotes();
    forgetCuptiSession();
  }
  void reset() override { cuptiSession().restart(); }
};

} // namespace

DeviceTimer &exactTimer() {
  static auto *timer = new ExactTimer; // leaked: used during exit
  return *timer;
}

bool exactIsOn() { return cuptiSession().isOn(); }

void addStartUpTime(uint64_t startTicks, uint64_t endTicks) {
  if (exactIsOn())
    guarded([&] { cuptiSession().addHost(Activity::StartUp, startTicks, endTicks); });
}

void addPause(const Pause &pause) {
  if (options::options().gpu_time != options::GpuTimeMode::Exact && !exactIsOn())
    return;
  auto add = [&] { guarded([&] { cuptiSession().addPause(pause); }); };
  if (!Self)
    return add();
  BusyScope busy(*Self);
  add();
}

} // namespace gpuinstr::timing
