// Power, clocks and load of the devices, read now and then by a background thread.
// SPDX-License-Identifier: Apache-2.0
//
// The library may take its time: it is called without a lock that anybody else wants. The last
// reading before the report counts; what the run took after it, at most a pause, is not covered.
#include "time/telemetry/Telemetry.h"
#include "base/Clock.h"
#include "base/Part.h"
#include "calls/budget/OwnCosts.h"
#include "calls/sites/ListedSites.h"
#include "calls/threads/Thread.h"
#include "cuda/Driver.h"
#include "options/Options.h"
#include "profile/Profile.h"
#include "time/telemetry/Nvml.h"
#include "time/telemetry/PowerMeter.h"
#include "trace/Trace.h"
#include <algorithm>
#include <atomic>
#include <ctime>
#include <map>
#include <mutex>

namespace gpuinstr::timing {

namespace {

constexpr uint64_t PeriodNs = 250000000;
constexpr uint64_t EarlyNs = 1000000000,
                   EarlyPeriodNs = 100000000; ///< short runs have two readings
constexpr uint64_t UntilDeviceNs = 25000000;  ///< the pause while none is seen
constexpr uint64_t InAdvanceNs = 5000000;     ///< of cost, for the same
constexpr std::size_t MostDevices = 16;
constexpr uint64_t Share = 4; ///< a quarter of the budget
constexpr uint64_t UntilDriverNs = 100000000;
/// The kernel closes what the library has opened while the process ends, whether the library is
/// shut down or not: 3 to 7 ms of an H200's solver (medians of 31 and 41 runs).
constexpr uint64_t AtEndNs = 4000000;

/// Only the thread that reads touches these.
struct Reader {
  const Nvml *nvml = nullptr;
  bool tried = false;
  uint64_t startNs = 0; ///< that the library, its handles and each device's first reading took
  uint64_t spentNs = 0; ///< that reading took
  std::map<int, void *> handles; ///< by ordinal; null: none to be had
};
Reader &reader() {
  static auto *instance = new Reader; // leaked: used during exit
  return *instance;
}

std::mutex MetersLock;
std::map<int, PowerMeter> &meters() {
  static auto *all = new std::map<int, PowerMeter>; // leaked: used during exit
  return *all;
}

/// In this process, or in the one that it was forked from.
std::atomic<bool> LibraryLoaded{false}, ParentLoaded{false};

uint64_t threadTimeNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

void open(Reader &r) {
  if (r.tried)
    return;
  r.tried = true;
  LibraryLoaded.store(true);
  r.nvml = Nvml::open(driverIsSimulated());
}

void addReading(const DeviceInfo &device, const PowerReading &reading) {
  {
    std::lock_guard<std::mutex> lock(MetersLock);
    meters()[device.ordinal].add(reading);
  }
  trace::addPower(
      {reading.ns, uint32_t(device.ordinal), reading.powerMw, reading.smMhz, reading.busyPercent});
}

/// The first reading takes several times what the others take, and counts as the start.
bool readDevice(Reader &r, const DeviceInfo &info) {
  uint64_t before = threadTimeNs();
  auto [found, isFirst] = r.handles.emplace(info.ordinal, nullptr);
  void *&handle = found->second;
  if (isFirst)
    handle = r.nvml->device(info.busId);
  PowerReading reading;
  bool any = handle && r.nvml->read(handle, reading);
  if (any)
    addReading(info, reading);
  if (isFirst)
    r.startNs += threadTimeNs() - before;
  return any;
}

/// False: the library is not there, or no device says anything.
bool readDevices(Reader &r) {
  uint64_t before = threadTimeNs();
  open(r);
  r.startNs += threadTimeNs() - before;
  if (!r.nvml)
    return false;
  std::vector<DeviceInfo> devices = seenDevices();
  bool any = devices.empty(); // none yet
  for (std::size_t i = 0; i < std::min(devices.size(), MostDevices); ++i)
    any |= readDevice(r, devices[i]);
  return any;
}

} // namespace

bool wantsTelemetry() {
  const options::Options &options = options::options();
  return options.telemetry == options::SwitchMode::On && options.budget && !ParentLoaded.load();
}

uint64_t firstReadingNs(unsigned budgetPercent) {
  return std::max(UntilDriverNs, AtEndNs * 100 * Share / std::max(budgetPercent, 1u));
}

uint64_t telemetryPauseNs(uint64_t runNs, uint64_t spentNs, uint64_t lastNs,
                          unsigned budgetPercent) {
  double earnedPerCost = 100.0 * Share / std::max(budgetPercent, 1u);
  double affordable = double(spentNs + lastNs) * earnedPerCost;
  double earned = double(runNs) + double(InAdvanceNs) * earnedPerCost;
  return std::max(runNs < EarlyNs ? EarlyPeriodNs : PeriodNs,
                  affordable > earned ? uint64_t(affordable - earned) : 0);
}

uint64_t readTelemetry(uint64_t runNs) {
  ThreadState *thread = thisThread();
  if (!thread)
    return NoReading;
  BusyScope busy(*thread);
  Reader &r = reader();
  uint64_t before = threadTimeNs(), startBefore = r.startNs;
  bool any = readDevices(r);
  uint64_t took = threadTimeNs() - before, reading = took - (r.startNs - startBefore);
  r.spentNs += reading;
  // Of a short run it would leave nothing for looks and device times; nobody waits for it, and the
  // pauses keep it small.
  noteCostBeside(OwnConsumer::Telemetry, took);
  if (!any)
    return NoReading;
  return r.handles.empty() ? UntilDeviceNs
                           : telemetryPauseNs(runNs, r.spentNs, reading, options::options().budget);
}

namespace {

class TelemetryPart : public Part {
public:
  void lock() override { MetersLock.lock(); }
  void unlock() override { MetersLock.unlock(); }
  /// The library is the parent's: its locks and files are not to be touched here.
  void childAfterFork() override {
    if (LibraryLoaded.load())
      ParentLoaded.store(true);
    meters().clear();
    reader() = {};
  }
  void reset() override {
    std::lock_guard<std::mutex> lock(MetersLock);
    for (auto &entry : meters())
      entry.second.restart();
  }
  void fill(profile::Profile &profile, ProfileScope &) override {
    std::lock_guard<std::mutex> lock(MetersLock);
    for (const auto &[device, meter] : meters())
      if (profile::Power power = meter.figures(device); power.readings)
        profile.power.push_back(std::move(power));
  }
};

} // namespace

Part &telemetryPart() {
  static Part *part = new TelemetryPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr::timing
