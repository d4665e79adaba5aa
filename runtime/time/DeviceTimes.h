// From samples to the device times of a profile's site.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_DEVICETIMES_H
#define GPUINSTR_TIME_DEVICETIMES_H

#include "calls/sites/Sites.h"
#include "profile/Profile.h"
#include "time/TimeStore.h"

namespace gpuinstr::timing {

/// What is known of a site descriptor's operations beside the samples.
struct KnownOperations {
  uint64_t sinceTurn = 0; ///< since the last one that was due for timing
  uint64_t failed = 0;    ///< calls; they are among those made
  size_t kernels = 0;     ///< different ones
};

/// Adds the estimates of one site descriptor. Adds nothing where nothing was timed.
void addDeviceTime(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known);

/// The lines that the graphs launched at this site were captured from.
std::vector<SiteIndex> graphLinesOf(SiteIndex site);

/// DeviceRow::operation and DeviceRow::memory.
const char *operationName(DeviceWorkKind work, CopyDirection direction);
const char *memoryName(HostMemoryKind memory);

/// The row of these, made when it is new.
profile::DeviceRow &rowFor(profile::DeviceTime &time, const std::string &name, DeviceWorkKind work,
                           CopyDirection direction, HostMemoryKind memory);

} // namespace gpuinstr::timing

#endif
