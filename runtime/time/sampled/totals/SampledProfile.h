// From samples to the device times of a profile's site.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_TOTALS_SAMPLEDPROFILE_H
#define GPUINSTR_TIME_SAMPLED_TOTALS_SAMPLEDPROFILE_H

#include "time/common/DeviceTimer.h"

namespace gpuinstr::timing {

/// Adds the estimates of one site descriptor. Adds nothing where nothing was timed.
void addSampledTime(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known);

} // namespace gpuinstr::timing

#endif
