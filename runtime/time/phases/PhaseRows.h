// The program's ranges, with what their calls took on the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_PHASES_PHASEROWS_H
#define GPUINSTR_TIME_PHASES_PHASEROWS_H

#include "calls/sites/ListedSites.h"
#include "profile/Profile.h"

namespace gpuinstr::timing {

/// Fills profile.phases. Needs the profile's sites with their device times, devices and coverage.
void fillPhases(profile::Profile &profile, ListedSites &sites);

} // namespace gpuinstr::timing

#endif
