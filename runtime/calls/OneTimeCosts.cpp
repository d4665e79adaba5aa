// CUDA's one-time costs as the host sees them: contexts, and each kernel's first launch.
// SPDX-License-Identifier: Apache-2.0
#include "calls/OneTimeCosts.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "calls/sites/Kernels.h"
#include "calls/sites/ListedSites.h"
#include "profile/Profile.h"
#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace gpuinstr {

namespace {

/// 0.2 to 1 ms, whatever a tick is.
constexpr uint64_t SlowTicks = 1000000;

struct Store {
  std::mutex mutex;
  uint64_t contextTicks = 0, countedUntil = 0;
  SiteIndex longestSite = 0;
  uint64_t longestTicks = 0;
  std::unordered_set<uint64_t> kernels; ///< that were launched: as many as the program has
  std::unordered_map<SiteIndex, FirstLaunches> launches;

  /// Calls of several threads wait for one start: it counts once. When what counts began.
  uint64_t addContext(const RootCall &root, uint64_t end) {
    uint64_t start = std::max(root.start, countedUntil);
    if (end <= start)
      return end;
    contextTicks += end - start;
    countedUntil = end;
    if (end - start > longestTicks) {
      longestTicks = end - start;
      longestSite = root.site;
    }
    return start;
  }
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

void addContext(const RootCall &root, uint64_t end) {
  uint64_t start;
  {
    std::lock_guard<std::mutex> lock(store().mutex);
    start = store().addContext(root, end);
  }
  if (start < end)
    Hooks.startUpTime(start, end);
}

std::atomic<uint64_t> ContextTicks{0};
std::atomic<uint64_t> Devices{0}; ///< bit i: device i was made current

/// What a call that overlaps the first context's making took is in there already.
bool isAfterContext(const RootCall &root) {
  uint64_t up = ContextTicks.load(std::memory_order_relaxed);
  return up && root.start >= up;
}

/// cudaSetDevice, which makes the contexts of further devices; cudaDeviceReset.
class OneTimeCostsObserver : public Observer {
public:
  OneTimeCostsObserver()
      : Observer(opBit(GPUINSTR_OP_SET_DEVICE) | opBit(GPUINSTR_OP_RESET_DEVICE)) {}
  void after(const Call &call) override {
    if (call.failed)
      return;
    if (call.operands.op == GPUINSTR_OP_RESET_DEVICE) {
      // Contexts and code are made anew.
      Devices.store(0);
      std::lock_guard<std::mutex> lock(store().mutex);
      store().kernels.clear();
      forgetNotedKernels();
      return;
    }
    uint64_t bit = uint64_t(1) << (call.operands.slot(GPUINSTR_SLOT_KIND) & 63);
    if ((Devices.load(std::memory_order_relaxed) & bit) || (Devices.fetch_or(bit) & bit))
      return;
    const RootCall &root = call.thread.root;
    if (call.thread.paused || !isAfterContext(root))
      return;
    addContext(root, root.end);
  }
};

} // namespace

bool noteBeforeContext(const ThreadState &thread) {
  const RootCall &root = thread.root;
  bool slow = root.end > root.start && root.end - root.start >= SlowTicks;
  if (slow && !thread.paused && !root.untimed)
    addContext(root, root.end);
  return slow;
}

void noteContext(const ThreadState &thread) {
  const RootCall &root = thread.root;
  ContextTicks.store(root.end);
  if (!thread.paused && !root.untimed)
    addContext(root, root.end);
}

uint64_t contextTicks() { return ContextTicks.load(std::memory_order_relaxed); }

void noteFirstLaunch(const ThreadState &thread, uint64_t function) {
  const RootCall &root = thread.root;
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (!s.kernels.insert(function).second || thread.paused || root.untimed ||
      !isAfterContext(root) || root.end <= root.start)
    return;
  FirstLaunches &launches = s.launches[root.site];
  launches.site = root.site;
  ++launches.kernels;
  launches.ticks += root.end - root.start;
}

OneTimeCosts oneTimeCosts() {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  OneTimeCosts facts;
  facts.contextTicks = s.contextTicks;
  facts.contextSite = s.longestSite;
  for (const auto &entry : s.launches)
    facts.launches.push_back(entry.second);
  return facts;
}

namespace {

class OneTimeCostsPart : public Part {
public:
  void start() override {
    static OneTimeCostsObserver *observer = new OneTimeCostsObserver; // leaked: used during exit
    addObserver(*observer);
  }
  void lock() override { store().mutex.lock(); }
  void unlock() override { store().mutex.unlock(); }
  /// Nothing happened yet.
  void childAfterFork() override {
    reset();
    std::lock_guard<std::mutex> lock(store().mutex);
    store().countedUntil = 0;
    store().kernels.clear();
    ContextTicks.store(0);
    Devices.store(0);
  }
  /// Forgets the times, not what has happened.
  void reset() override {
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.mutex);
    s.contextTicks = s.longestTicks = 0;
    s.longestSite = 0;
    s.launches.clear();
  }
  /// Names the sites; complete() does the rest when they are listed.
  void fill(profile::Profile &profile, ProfileScope &scope) override {
    OneTimeCosts costs = oneTimeCosts();
    auto shown = [&](SiteIndex site) {
      return isHiddenSite(site) ? std::string() : scope.sites.idOf(site);
    };
    profile.process.startup.context_ns = scope.ns(costs.contextTicks);
    profile.process.startup.context_site = shown(costs.contextSite);
    for (const FirstLaunches &row : costs.launches)
      scope.firstLaunches.push_back({shown(row.site), row.kernels, scope.ns(row.ticks)});
  }
  void complete(profile::Profile &profile, ProfileScope &scope) override {
    profile::fillStartUp(profile, scope.firstLaunches);
  }
};

} // namespace

Part &oneTimeCostsPart() {
  static Part *part = new OneTimeCostsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
