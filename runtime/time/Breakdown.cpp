// Where the wall time went, for the profile.
// SPDX-License-Identifier: Apache-2.0
#include "time/Breakdown.h"
#include "profile/HostShares.h"
#include "time/exact/ExactTimer.h"
#include "time/sampled/SampledTimer.h"

namespace gpuinstr::timing {

void fillBreakdown(profile::Profile &profile, uint64_t leftOut) {
  profile.breakdown.host = profile::hostShares(profile);
  exactTimer().fillShares(profile, leftOut);
  if (profile.breakdown.gpus.empty())
    sampledTimer().fillShares(profile, leftOut);
}

} // namespace gpuinstr::timing
