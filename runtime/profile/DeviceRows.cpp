// The rows of a profile's tables of device time.
// SPDX-License-Identifier: Apache-2.0
#include "profile/DeviceRows.h"
#include <algorithm>

namespace gpuinstr::profile {

bool isTransfer(const DeviceRow &row) { return !row.operation.empty() && row.operation[0] == '['; }

std::vector<DeviceRowAt> deviceRows(const Profile &profile, bool transfers) {
  std::vector<DeviceRowAt> rows;
  for (const Site &site : profile.sites)
    for (const DeviceRow &row : site.device.rows)
      if (row.samples && isTransfer(row) == transfers)
        rows.push_back({&row, &site});
  std::stable_sort(rows.begin(), rows.end(), [](const DeviceRowAt &a, const DeviceRowAt &b) {
    return a.device->total_ns > b.device->total_ns;
  });
  return rows;
}

} // namespace gpuinstr::profile
