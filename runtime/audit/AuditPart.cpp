// The audits as a part of the process.
// SPDX-License-Identifier: Apache-2.0
#include "audit/AuditPart.h"
#include "audit/WatchGaps.h"
#include "audit/engine/DeviceHasher.h"
#include "audit/scheduling/CaptureTrust.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/scheduling/KernelShapes.h"
#include "audit/state/Auditor.h"
#include "audit/state/Symbols.h"
#include "audit/state/WasteFindings.h"
#include "calls/CallHooks.h"
#include "calls/code/UnseenCode.h"
#include "calls/sites/ListedSites.h"
#include "cuda/DriverFacts.h"
#include "profile/Profile.h"
#include <algorithm>

namespace gpuinstr::audit {

std::vector<std::string> auditNotes() {
  Auditor &a = auditor();
  std::vector<std::string> notes;
  if (!a.decided) // a first call may be deciding right now
    return notes;
  if (!a.note.empty())
    notes.push_back(a.note);
  Figures f = auditFigures();
  std::string unjudged;
  auto add = [&](uint64_t count, const char *what) {
    if (count)
      unjudged += (unjudged.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(f.arrays, "of arrays");
  add(f.batches, "in batches");
  add(f.variables, "of variables whose address is not known");
  add(f.places, "to or from more places of one allocation than are followed");
  if (a.verifies && !unjudged.empty())
    notes.push_back("audit: copies that were not judged: " + unjudged);
  return notes;
}

namespace {

void fillFigures(profile::Audit &to, double nsPerTick) {
  Figures from = auditFigures();
  auto skipped = [&](SkipReason why) { return from.skipped[unsigned(why)]; };
  to.mode = auditMode();
  to.eligible = from.eligible;
  to.eligible_bytes = from.eligibleBytes;
  to.verified = from.verified;
  to.verified_bytes = from.verifiedBytes;
  to.skipped_budget = skipped(SkipReason::Budget);
  to.skipped_busy = skipped(SkipReason::Busy);
  to.skipped_capture = skipped(SkipReason::Capture);
  to.skipped_full = skipped(SkipReason::Full);
  to.skipped_device = skipped(SkipReason::NoEngine);
  to.skipped_unreadable = skipped(SkipReason::NotLinear);
  auto ns = [&](uint64_t ticks) { return uint64_t(double(ticks) * nsPerTick); };
  to.transfers = from.all.count;
  to.transfer_bytes = from.all.bytes;
  to.transfer_ns = ns(from.all.ticks);
  to.judged = std::min(from.judged.count, from.all.count);
  to.judged_bytes = std::min(from.judged.bytes, from.all.bytes);
  to.judged_ns = std::min(ns(from.judged.ticks), to.transfer_ns);
}

std::vector<FindingRecord> lifetimesFound() {
  if (unseenCodeUsesCuda())
    return {};
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  return a.lifetimes.findings(a.ranges);
}

void doubtOpenCapture() {
  if (!CaptureTrust::isOn())
    return;
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  doubtCapture(a);
}

class AuditPart : public Part {
public:
  void start() override {
    startAuditor();
    Hooks.mayFill = mayFill;
    Hooks.codeGoes = dropSymbolsOf;
  }
  void lock() override {
    auditor().placing.lock();
    auditor().mutex.lock();
    lockSymbols();
    lockKernelShapes();
  }
  void unlock() override {
    unlockKernelShapes();
    unlockSymbols();
    auditor().mutex.unlock();
    auditor().placing.unlock();
  }
  void childAfterFork() override {
    forgetEngines();
    resetAuditor();
    auditor().onlyThread.store(Self); // what was the first one's is another one's by and by
  }
  void reset() override {
    forgetWaste();
    Auditor &a = auditor();
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.lifetimes.clear();
  }
  void findings(std::vector<FindingRecord> &to, Ending ending) override {
    doubtOpenCapture();
    if (ending == Ending::Exit)
      noteUnseenAtTheEnd();
    for (FindingRecord &waste : wasteFound(ending))
      to.push_back(std::move(waste));
    if (ending == Ending::Exit)
      for (FindingRecord &held : lifetimesFound())
        to.push_back(std::move(held));
  }
  void notes(std::vector<std::string> &to, Ending) override {
    for (std::string &note : auditNotes())
      to.push_back(std::move(note));
  }
  void fill(profile::Profile &profile, ProfileScope &scope) override {
    profile.process.own_device_bytes += engineDeviceBytes();
    for (profile::Device &device : profile.devices)
      if (device.simulated)
        device.kernels_not_run = cuda::kernelsNotRun();
    fillFigures(profile.coverage.audit, scope.nsPerTick);
  }
};

} // namespace

Part &auditPart() {
  static Part *part = new AuditPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr::audit
