// From samples to the device times of a profile's site.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_DEVICETIMES_H
#define GPUINSTR_TIME_DEVICETIMES_H

#include "core/Sites.h"
#include "profile/Profile.h"
#include "time/TimeStore.h"

namespace gpuinstr::timing {

/// Adds the estimates of one site descriptor. `sinceTurn`: its operations since the last one that
/// was due for timing. Adds nothing where nothing was timed.
void addDeviceTime(profile::DeviceTime &to, core::SiteIndex site, uint64_t sinceTurn);

/// DeviceRow::operation and DeviceRow::memory.
const char *operationName(Work work, Direction direction);
const char *memoryName(HostMemory memory);

/// The row of these, made when it is new.
profile::DeviceRow &rowFor(profile::DeviceTime &time, const std::string &name, Work work,
                           Direction direction, HostMemory memory);

} // namespace gpuinstr::timing

#endif
