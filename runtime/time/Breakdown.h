// Where the wall time went, for the profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_BREAKDOWN_H
#define GPUINSTR_TIME_BREAKDOWN_H

#include "profile/Profile.h"

namespace gpuinstr::timing {

/// Needs the profile's sites, devices, process and coverage. Exact where there are exact times;
/// else from sampled totals. `leftOut`: device operations of sites that the profile does not show.
void fillBreakdown(profile::Profile &profile, uint64_t leftOut);

} // namespace gpuinstr::timing

#endif
