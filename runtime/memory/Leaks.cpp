// What was never freed: judged when the process ends or a device is reset.
// SPDX-License-Identifier: Apache-2.0
#include "memory/Leaks.h"
#include "base/Clock.h"
#include "base/locks/LeafMutex.h"
#include "calls/code/UnseenCode.h"
#include "calls/sites/Sites.h"
#include "calls/threads/StackRoom.h"
#include "cuda/Driver.h"
#include "ledger/Ledger.h"
#include "memory/GlobalPointerScan.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

namespace gpuinstr {

namespace {

constexpr uint64_t ConfirmBudgetNs = 1000000000;
constexpr size_t MaxOfResets = 65536;

/// Never freed when its device was reset. It may be yet, which comes too late.
struct OfReset {
  FindingKey key;
  uint64_t bytes = 0;
};

struct Verdicts {
  LeafMutex mutex;
  std::vector<Allocation> reset; ///< judged, waiting for the reset to succeed
  std::map<std::pair<unsigned, uint64_t>, OfReset> ofResets; ///< by resource and address
  std::vector<FindingRecord> settled; ///< those of resets that nobody can free any more
  bool askedAll = true, scannedAll = true;
};
Verdicts &verdicts() {
  static Verdicts *instance = new Verdicts; // leaked: used during exit
  return *instance;
}

/// Kinds whose loss is a leak; graphs, textures and mappings hold nothing of size by themselves.
bool canLeak(const Allocation &a) {
  if (a.graphOwned || a.ignored || a.gone)
    return false;
  const gpuinstr_site *site = siteAt(a.site);
  if (!site || (site->flags & GPUINSTR_SITE_EXCLUDED))
    return false;
  return (a.resource >= GPUINSTR_RES_DEVICE && a.resource <= GPUINSTR_RES_EVENT) ||
         isVendorHandle(a.resource);
}

constexpr uint64_t NoneMade = ~uint64_t(0);
/// How many libraries had gone when the first stream or event was made.
std::atomic<uint64_t> GoneThen{NoneMade};

/// The program may destroy them through a pointer that it has looked up.
bool areDestroyedByPointer() {
  auto destroys = [](const std::string &name) {
    return name.find("StreamDestroy") != std::string::npos ||
           name.find("EventDestroy") != std::string::npos;
  };
  const std::vector<ModuleInfo> modules = registeredModules();
  return std::any_of(modules.begin(), modules.end(), [&](const ModuleInfo &module) {
    return std::any_of(module.addressesTaken.begin(), module.addressesTaken.end(), destroys);
  });
}

/// Nobody unseen can have destroyed a stream or event; nor a library that is not there any more,
/// which nobody can ask.
bool allHandlesAreSeen() {
  return unseenCudaUsers(loadedImages()).empty() && !callsWithoutRoom() &&
         !areDestroyedByPointer() && (GoneThen == NoneMade || GoneThen == librariesGone());
}

/// Whether the same allocation lives: the driver's ids are never reused. Of streams and events it
/// has none to give, so the ledger's word stands unless unseen code may have destroyed them.
void confirm(Allocation &a, bool allSeen) {
  if (a.resource == GPUINSTR_RES_STREAM || a.resource == GPUINSTR_RES_EVENT) {
    a.confirmed = allSeen;
  } else if (isMemory(a.resource)) {
    Life life = lifeOf(a.address, a.bufferId);
    a.confirmed = life == Life::Alive;
    // With the context gone all is dead, leaks too.
    a.gone = life == Life::Dead && currentContext();
  }
}

/// Sets confirmed, gone and held.
void judge(std::vector<Allocation> &candidates) {
  uint64_t deadline = monotonicNs() + ConfirmBudgetNs;
  bool asked = true, allSeen = allHandlesAreSeen();
  for (Allocation &a : candidates) {
    if (monotonicNs() > deadline) {
      asked = false;
      break;
    }
    confirm(a, allSeen);
  }
  bool scanned = markHeld(candidates);
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  verdicts().askedAll &= asked;
  verdicts().scannedAll &= scanned;
}

std::vector<Allocation> candidates(const std::function<bool(const Allocation &)> &which) {
  std::vector<Allocation> all;
  for (Allocation &a : ledger().snapshot())
    if (canLeak(a) && which(a))
      all.push_back(a);
  return all;
}

FindingKey keyOf(const Allocation &a) {
  FindingKey key;
  bool held = a.held || a.poolBacking;
  key.pattern = held ? Pattern::HeldAtExit : Pattern::Leak;
  bool surely = a.confirmed && !a.pointedBefore;
  key.grade = held ? Grade::Information : surely ? Grade::Proven : Grade::Likely;
  if (!held)
    key.related = a.pointedBefore;
  key.site = a.site;
  key.caller = a.caller;
  key.resource = a.resource;
  key.name = a.name;
  return key;
}

void noteOfReset(const Allocation &a) {
  OfReset lost{keyOf(a), a.bytes};
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  auto &known = verdicts().ofResets;
  auto [at, isNew] = known.try_emplace({a.resource, a.address}, lost);
  if (isNew && known.size() <= MaxOfResets)
    return;
  if (isNew)
    known.erase(at);
  else
    std::swap(at->second, lost); // the address has served again
  addToRecords(verdicts().settled, lost.key, lost.bytes);
}

bool isOfOneContext(const Call &call) { return call.operands.detail == 1; }

/// Which device a reset is about; -1: what has gone tells. cuDevicePrimaryCtxReset names any, and
/// cudaDeviceReset in a thread without a context does nothing (CUDA 13.0).
int resetDevice(const Call &call) {
  const bool namesOne = call.site.flags & GPUINSTR_SITE_DRIVER && !isOfOneContext(call);
  return namesOne ? -1 : currentDevice();
}

/// A vendor library's handle outlives the device's memory: it can be, and should be, destroyed
/// later. `device`: -1 any.
bool isHit(const Call &call, const Allocation &a, int device) {
  if (isVendorHandle(a.resource))
    return false;
  if (isOfOneContext(call))
    return a.context == call.operands.dst.address;
  return device < 0 || a.device == device || a.device < 0;
}

/// The devices that were reset: some of their memory has gone since it was judged, and none has
/// stayed.
std::set<int> resetOf(const std::vector<Allocation> &judged) {
  std::set<int> gone, stay;
  const uint64_t deadline = monotonicNs() + ConfirmBudgetNs;
  for (const Allocation &a : judged) {
    if (a.device < 0 || !a.confirmed || !isMemory(a.resource))
      continue;
    if (monotonicNs() > deadline)
      return {};
    (lifeOf(a.address, a.bufferId) == Life::Dead ? gone : stay).insert(a.device);
  }
  for (int device : stay)
    gone.erase(device);
  return gone;
}

} // namespace

void noteHandleMade() {
  uint64_t none = NoneMade;
  if (GoneThen == none)
    GoneThen.compare_exchange_strong(none, librariesGone());
}

void confirmBeforeTeardown() {
  std::vector<Allocation> all = candidates([](const Allocation &) { return true; });
  judge(all);
  std::unordered_map<uint64_t, const Allocation *> bySequence;
  for (const Allocation &a : all)
    bySequence[a.sequence] = &a;
  ledger().changeAll([&](Allocation &a) {
    auto it = bySequence.find(a.sequence);
    if (it == bySequence.end())
      return;
    a.confirmed = it->second->confirmed;
    a.gone = it->second->gone;
    a.held = it->second->held;
    a.pointedBefore = it->second->pointedBefore;
  });
}

std::vector<FindingRecord> leaksOfResets() {
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  std::vector<FindingRecord> records = verdicts().settled;
  for (const auto &[place, lost] : verdicts().ofResets)
    addToRecords(records, lost.key, lost.bytes);
  return records;
}

void dropLeakOfReset(unsigned resource, uint64_t address) {
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  verdicts().ofResets.erase({resource, address});
}

void forgetLeaksOfResets() {
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  verdicts().ofResets.clear();
  verdicts().settled.clear();
}

std::vector<FindingRecord> leaksAtExit() {
  std::vector<FindingRecord> records = leaksOfResets();
  for (const Allocation &a : candidates([](const Allocation &) { return true; }))
    addToRecords(records, keyOf(a), a.bytes);
  return records;
}

LiveTotals liveTotals() {
  LiveTotals totals;
  for (const Allocation &a : candidates([](const Allocation &) { return true; })) {
    ++totals.count;
    totals.bytes += a.bytes;
  }
  return totals;
}

LiveTotals liveSince(uint64_t sequence) {
  LiveTotals totals;
  for (const Allocation &a : ledger().snapshot())
    if (a.sequence > sequence && !a.graphOwned && !a.ignored) {
      ++totals.count;
      totals.bytes += a.bytes;
    }
  return totals;
}

void beforeDeviceReset(const Call &call) {
  int device = resetDevice(call);
  std::vector<Allocation> all =
      candidates([&](const Allocation &a) { return isHit(call, a, device); });
  judge(all);
  call.thread.resetDevice = device;
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  verdicts().reset = std::move(all);
}

void afterDeviceReset(const Call &call) {
  std::vector<Allocation> judged;
  {
    std::lock_guard<std::mutex> lock(verdicts().mutex);
    judged = std::move(verdicts().reset);
    verdicts().reset.clear();
  }
  if (call.result != 0)
    return;
  std::unordered_map<uint64_t, const Allocation *> bySequence;
  for (const Allocation &a : judged)
    bySequence[a.sequence] = &a;
  const int device = call.thread.resetDevice;
  std::set<int> known;
  const bool areAsked = device < 0 && !isOfOneContext(call);
  if (areAsked)
    known = resetOf(judged);
  Freed by;
  by.site = call.chargedSite;
  by.caller = call.caller;
  auto isEnded = [&](const Allocation &a) {
    return isHit(call, a, device) && (!areAsked || known.count(a.device));
  };
  for (const Allocation &a : ledger().takeIf(isEnded, &by)) {
    auto it = bySequence.find(a.sequence);
    if (it != bySequence.end() && !it->second->gone)
      noteOfReset(*it->second);
  }
}

std::vector<std::string> leakNotes() {
  std::vector<std::string> notes;
  std::lock_guard<std::mutex> lock(verdicts().mutex);
  if (!verdicts().askedAll)
    notes.push_back(
        "leaks: too many allocations to ask the driver about each at exit; the rest are "
        "listed as likely");
  if (!verdicts().scannedAll)
    notes.push_back("held-at-exit: global variables too large to search whole; what they hold may "
                    "be listed as leaks");
  return notes;
}

void forgetLeaks() {
  verdicts().reset.clear();
  verdicts().ofResets.clear();
  verdicts().settled.clear();
  verdicts().askedAll = verdicts().scannedAll = true;
}

} // namespace gpuinstr
