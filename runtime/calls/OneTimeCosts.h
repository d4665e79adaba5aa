// CUDA's one-time costs as the host sees them: contexts, and each kernel's first launch.
// SPDX-License-Identifier: Apache-2.0
//
// Until there is a context, all time in CUDA calls is the driver's start. A kernel's first launch
// also loads its code and, from PTX, compiles it: CUDA loads lazily. All times in ticks.
#ifndef GPUINSTR_CALLS_ONETIMECOSTS_H
#define GPUINSTR_CALLS_ONETIMECOSTS_H

#include "calls/sites/Sites.h"
#include <cstdint>
#include <vector>

namespace gpuinstr {

struct ThreadState;

struct FirstLaunches {
  SiteIndex site = 0;
  uint64_t kernels = 0, ticks = 0; ///< of the whole calls, a usual launch included
};

struct OneTimeCosts {
  uint64_t contextTicks = 0;
  SiteIndex contextSite = 0; ///< of the longest of these calls, 0 none
  std::vector<FirstLaunches> launches;
};

/// In leave of a call that succeeded, while there is no context that we know of: whether it took so
/// long that it may have made one.
bool noteBeforeContext(const ThreadState &thread);
/// The call in progress made the first context.
void noteContext(const ThreadState &thread);
/// When the first context was there, 0 not yet: what began before is CUDA's start.
uint64_t contextTicks();

/// In leave of a launch of another kernel than the last one of this site on this thread.
void noteFirstLaunch(const ThreadState &thread, uint64_t function);

/// A snapshot.
OneTimeCosts oneTimeCosts();

class Part;
Part &oneTimeCostsPart();

} // namespace gpuinstr

#endif
