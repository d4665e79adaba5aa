// The program's own ranges: what happened inside each.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Phases.h"
#include "base/Clock.h"
#include "base/Part.h"
#include "calls/threads/Thread.h"
#include <map>
#include <mutex>

namespace gpuinstr {

namespace {

constexpr std::size_t MostNames = 256, MostOpen = 256, LongestName = 120;
/// So many of each name are looked at, then one in RareStride.
constexpr uint64_t AlwaysLooked = 64;
constexpr uint32_t RareStride = 16;

/// Raised by a reset.
uint32_t phaseEpoch() { return uint32_t(GlobalState.load(std::memory_order_relaxed)) >> 1; }

struct Phases {
  std::mutex mutex;
  std::map<std::string, PhaseTotals, std::less<>> byName; ///< never erased: ranges point into it
};
Phases &phases() {
  static auto *all = new Phases; // leaked: used during exit
  return *all;
}

PhaseTotals &totalsOf(Phases &all, std::string_view name) {
  name = name.substr(0, LongestName);
  auto found = all.byName.find(name);
  if (found != all.byName.end())
    return found->second;
  if (all.byName.size() >= MostNames)
    name = OtherRanges;
  return all.byName[std::string(name)];
}

/// Calls of the thread's sites so far, and the time in them.
template <class Visit> uint64_t countCalls(ThreadState &thread, Visit visit) {
  countAll(thread);
  uint64_t ticks = 0;
  thread.counters.each([&](SiteIndex site, const SiteCounters &counters) {
    if (counters.epoch != thread.epoch || !counters.calls)
      return;
    ticks += counters.host.allTicks();
    visit(site, counters.calls);
  });
  return ticks;
}

/// A gap in progress belongs to the range in which it passes.
std::array<uint64_t, 2> idleSoFar(const ThreadState &thread, uint64_t now) {
  std::array<uint64_t, 2> idle = thread.idleTicks;
  if (thread.drainedTicks && now > thread.drainedTicks)
    idle[thread.drainedOneStream] += now - thread.drainedTicks;
  return idle;
}

void begin(ThreadState &thread, OpenPhase &phase, std::string_view name) {
  Phases &all = phases();
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    phase.totals = &totalsOf(all, name);
    phase.looked = phase.totals->looked < AlwaysLooked || nextRandom(thread) % RareStride == 0;
  }
  if (phase.looked)
    phase.callTicks = countCalls(
        thread, [&](SiteIndex site, uint64_t calls) { phase.callsOf.emplace_back(site, calls); });
}

void end(ThreadState &thread, OpenPhase &phase, uint64_t now) {
  std::array<uint64_t, 2> idle = idleSoFar(thread, now);
  std::vector<std::pair<SiteIndex, uint64_t>> made;
  uint64_t callTicks = 0;
  if (phase.looked) {
    std::size_t next = 0; // both lists are in the order of the sites
    callTicks = countCalls(thread, [&](SiteIndex site, uint64_t calls) {
      while (next < phase.callsOf.size() && phase.callsOf[next].first < site)
        ++next;
      bool known = next < phase.callsOf.size() && phase.callsOf[next].first == site;
      uint64_t before = known ? phase.callsOf[next].second : 0;
      if (calls > before)
        made.emplace_back(site, calls - before);
    });
  }
  std::lock_guard<std::mutex> lock(phases().mutex);
  PhaseTotals &totals = *phase.totals;
  uint64_t ticks = now > phase.startTicks ? now - phase.startTicks : 0;
  ++totals.instances;
  totals.ticks += ticks;
  for (std::size_t i = 0; i < idle.size(); ++i)
    totals.idleTicks[i] += idle[i] > phase.idleTicks[i] ? idle[i] - phase.idleTicks[i] : 0;
  if (!phase.looked)
    return;
  ++totals.looked;
  totals.lookedTicks += ticks;
  totals.callTicks += callTicks > phase.callTicks ? callTicks - phase.callTicks : 0;
  for (auto [site, calls] : made)
    totals.callsOf[site] += calls;
}

} // namespace

void beginPhase(ThreadState &thread, std::string_view name, uint64_t domain) {
  uint64_t before = ticks();
  if (thread.phases.size() >= MostOpen) {
    ++thread.deeperPhases;
    return;
  }
  OpenPhase phase;
  phase.domain = domain;
  phase.epoch = phaseEpoch();
  if (!isPaused() && thread.depth == 0)
    begin(thread, phase, name.empty() ? UnnamedRange : name);
  thread.phases.push_back(std::move(phase));
  OpenPhase &open = thread.phases.back();
  open.startTicks = ticks();
  open.idleTicks = idleSoFar(thread, open.startTicks);
  thread.ownTicks += open.startTicks - before;
}

void endPhase(ThreadState &thread, uint64_t domain) {
  uint64_t now = ticks();
  if (thread.deeperPhases) {
    --thread.deeperPhases;
    return;
  }
  for (std::size_t i = thread.phases.size(); i-- > 0;) {
    if (thread.phases[i].domain != domain)
      continue;
    OpenPhase phase = std::move(thread.phases[i]);
    thread.phases.erase(thread.phases.begin() + std::ptrdiff_t(i));
    if (phase.totals && !isPaused() && phase.epoch == phaseEpoch())
      end(thread, phase, now);
    break;
  }
  thread.ownTicks += ticks() - now;
}

std::vector<std::pair<std::string, PhaseTotals>> endedPhases() {
  std::vector<std::pair<std::string, PhaseTotals>> ended;
  Phases &all = phases();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (const auto &[name, totals] : all.byName)
    if (totals.instances)
      ended.emplace_back(name, totals);
  return ended;
}

namespace {

class PhasesPart : public Part {
public:
  void lock() override { phases().mutex.lock(); }
  void unlock() override { phases().mutex.unlock(); }
  /// What is open began in the parent.
  void childAfterFork() override {
    forget();
    if (Self)
      for (OpenPhase &phase : Self->phases)
        phase.totals = nullptr;
  }
  /// Ranges that are open belong to an older epoch.
  void reset() override {
    std::lock_guard<std::mutex> lock(phases().mutex);
    forget();
  }

private:
  static void forget() {
    for (auto &entry : phases().byName)
      entry.second = {};
  }
};

} // namespace

Part &phasesPart() {
  static Part *part = new PhasesPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
