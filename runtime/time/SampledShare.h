// What a device's time went into, as far as sampled totals tell it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLEDSHARE_H
#define GPUINSTR_TIME_SAMPLEDSHARE_H

#include "profile/Profile.h"

namespace gpuinstr::timing {

/// What the profile does not say of a run.
struct SampledFacts {
  bool severalStreams = false; ///< device work was on more than one
  bool paused = false;         ///< for some of the time: work goes on beyond what was recorded
  unsigned hostThreads = 1;    ///< that made calls
  uint64_t leftOut = 0;        ///< device operations of sites that are not to be shown
};

/// DeviceTime::untimed of all sites.
void countUntimed(profile::Profile &profile);

/// Needs the profile's devices, process, coverage and sites with countUntimed(). False: nothing was
/// timed, or on which of several devices is not known.
bool sampledShare(const profile::Profile &profile, const SampledFacts &facts,
                  profile::GpuShare &share);

} // namespace gpuinstr::timing

#endif
