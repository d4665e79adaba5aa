// The rows of a profile's tables of device time.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_DEVICEROWS_H
#define GPUINSTR_PROFILE_DEVICEROWS_H

#include "profile/Profile.h"
#include <optional>

namespace gpuinstr::profile {

struct DeviceRowAt {
  const DeviceRow *device;
  const Site *site;
};

/// A copy or a set; else a kernel or a graph.
bool isTransfer(const DeviceRow &row);

/// A copy that the host waits in: by its name, or because it is of pageable memory.
bool isAsyncByName(const Site &site);
bool blocksHost(const Site &site);

/// Of all sites, those that were timed, longest first. They point into `profile`.
std::vector<DeviceRowAt> deviceRows(const Profile &profile, bool transfers);

/// Tenths of a per cent of their sum, adding up to 1000: `Time (%)`.
std::vector<unsigned> timeShares(const std::vector<DeviceRowAt> &rows);

/// Copies of a sampled site whose time is known and whose direction is not: they are in no part of
/// a GpuShare. On one device, or on all.
uint64_t copiesInNoPart(const Site &site, std::optional<int> device = {});

} // namespace gpuinstr::profile

#endif
