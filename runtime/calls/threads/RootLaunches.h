// What is known of launches that are outermost calls: of each line and each kernel it launches.
// SPDX-License-Identifier: Apache-2.0
//
// A program that is attached to, or that calls the driver itself, launches by one call with
// operands: nothing stands around it. A line of a library launches many kernels, each with an entry
// of its own: one line for the call's attribution, one for whoever looks at launches.
#ifndef GPUINSTR_CALLS_THREADS_ROOTLAUNCHES_H
#define GPUINSTR_CALLS_THREADS_ROOTLAUNCHES_H

#include "calls/threads/Thread.h"

namespace gpuinstr {

struct RootLaunch {
  SiteAttribution attribution; ///< first: RootCall::attribution points to it
  LaunchMemo memo;

  bool is(const gpuinstr_site *site, uint64_t callers, uint64_t function) const {
    return attribution.site == site && attribution.callers == callers && memo.function == function;
  }
};
static_assert(sizeof(RootLaunch) == 128, "two cache lines");

/// Of one thread, made at its first such launch. Its size is for a step of training: hundreds.
class RootLaunches {
public:
  /// Null: not known, or another one has its place by now.
  RootLaunch *find(const gpuinstr_site *site, uint64_t callers, uint64_t function) {
    RootLaunch *set = setOf(site, callers, function);
    if (__builtin_expect(set[0].is(site, callers, function), true))
      return set;
    return set[1].is(site, callers, function) ? set + 1 : nullptr;
  }
  /// Where it goes: an empty place, or one of those that it may have. `random` chooses.
  RootLaunch &placeFor(const gpuinstr_site *site, uint64_t callers, uint64_t function,
                       uint32_t random) {
    RootLaunch *set = setOf(site, callers, function);
    for (unsigned way = 0; way < Ways; ++way)
      if (!set[way].attribution.site || set[way].is(site, callers, function))
        return set[way];
    return set[random % Ways];
  }
  template <class Visit> void each(Visit visit) {
    for (RootLaunch &launch : All)
      visit(launch.attribution);
  }

private:
  static constexpr unsigned SetBits = 8, Ways = 2;
  RootLaunch *setOf(const gpuinstr_site *site, uint64_t callers, uint64_t function) {
    constexpr uint64_t Mix = 0x9e3779b97f4a7c15u;
    uint64_t hash = (reinterpret_cast<uintptr_t>(site) + callers) * Mix;
    return &All[Ways * ((hash ^ hash >> 32 ^ function) * Mix >> (64 - SetBits))];
  }
  RootLaunch All[Ways << SetBits];
};

/// Visits what the thread knows of its sites.
template <class Visit> void eachAttribution(ThreadState &thread, Visit visit) {
  for (SiteAttribution &attribution : thread.attributions)
    visit(attribution);
  if (RootLaunches *launches = thread.rootLaunches.load(std::memory_order_acquire))
    launches->each(visit);
}

} // namespace gpuinstr

#endif
