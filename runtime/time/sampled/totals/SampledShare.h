// What a device's time went into, as far as sampled totals tell it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_TOTALS_SAMPLEDSHARE_H
#define GPUINSTR_TIME_SAMPLED_TOTALS_SAMPLEDSHARE_H

#include "profile/Profile.h"
#include <functional>
#include <vector>

namespace gpuinstr::timing {

/// What the profile does not say of a run.
struct SampledFacts {
  /// Whether device work was on more than one stream of this device; unset: no.
  std::function<bool(int device)> severalStreams;
  bool paused = false;      ///< for some of the time: work goes on beyond what was recorded
  unsigned hostThreads = 1; ///< that made calls
  uint64_t leftOut = 0;     ///< device operations of sites that are not to be shown
};

/// DeviceTime::untimed of all sites.
void countUntimed(profile::Profile &profile);

/// Of each device on which something was timed, in the order of their ordinals. A graph is work of
/// the device that it was launched on. Needs the profile's process, coverage and sites with
/// countUntimed().
std::vector<profile::GpuShare> sampledShares(const profile::Profile &profile,
                                             const SampledFacts &facts);

} // namespace gpuinstr::timing

#endif
