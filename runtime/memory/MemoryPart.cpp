// Memory as a part of the process: allocations, leaks, bounds, custom pools.
// SPDX-License-Identifier: Apache-2.0
#include "memory/MemoryPart.h"
#include "base/Clock.h"
#include "base/ProcessState.h"
#include "base/text/Printable.h"
#include "memory/CustomPools.h"
#include "memory/Leaks.h"
#include "memory/MemoryObserver.h"
#include "memory/ProfileMemory.h"
#include "profile/Profile.h"
#include <algorithm>

namespace gpuinstr {

namespace {

uint64_t sinceStart(uint64_t stamp, double nsPerTick) {
  double ns = double(int64_t(stamp - clockStartTicks())) * nsPerTick + double(clockStartNs());
  return ns > double(processStartNs()) ? uint64_t(ns - double(processStartNs())) : 0;
}

/// By ordinal; added where nothing else is known of it.
profile::Device &deviceOf(std::vector<profile::Device> &devices, int ordinal) {
  auto at = std::lower_bound(devices.begin(), devices.end(), ordinal,
                             [](const profile::Device &d, int o) { return d.ordinal < o; });
  if (at == devices.end() || at->ordinal != ordinal)
    at = devices.insert(at, profile::Device());
  at->ordinal = ordinal;
  return *at;
}

void fillPeaks(profile::Profile &p, ProfileScope &scope) {
  for (const DevicePeak &peak : ledger().peaks()) {
    profile::Device &device = deviceOf(p.devices, peak.device);
    device.peak_bytes = peak.bytes;
    device.peak_at_ns = sinceStart(peak.atTicks, scope.nsPerTick);
  }
  for (const profile::Device &device : p.devices)
    addHolders(p.peak_holders, ledger().holdersAtPeak(device.ordinal), scope.sites);
}

class MemoryPart : public Part {
public:
  void start() override {
    addBoundsObserver();
    addMemoryObserver();
    addVendorHandleObserver();
  }
  void beforeTeardown() override { confirmBeforeTeardown(); }
  void childAfterFork() override {
    forgetLeaks();
    forgetPools();
    forgetForeignOperations();
  }
  void reset() override {
    forgetForeignOperations();
    forgetLeaksOfResets();
  }
  void findings(std::vector<FindingRecord> &to, Ending ending) override {
    for (FindingRecord &leak : ending == Ending::Exit ? leaksAtExit() : leaksOfResets())
      to.push_back(std::move(leak));
  }
  void notes(std::vector<std::string> &to, Ending ending) override {
    LiveTotals live =
        ending == Ending::Killed || ending == Ending::Early ? liveTotals() : LiveTotals();
    if (live.count)
      to.push_back("live when killed: " + std::to_string(live.count) +
                   (live.count == 1 ? " allocation or handle, " : " allocations and handles, ") +
                   bytesText(live.bytes, Zeros::Kept) + " (not judged as leaks)");
    for (std::string &note : leakNotes())
      to.push_back(std::move(note));
    for (std::string &note : poolNotes())
      to.push_back(std::move(note));
  }
  void fill(profile::Profile &profile, ProfileScope &scope) override {
    fillPeaks(profile, scope);
    profile.coverage.foreign_operations = foreignOperations();
    profile.allocations = allocationsOf(scope.sites, scope.ending == Ending::Exit);
  }
};

} // namespace

Part &memoryPart() {
  static Part *part = new MemoryPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
