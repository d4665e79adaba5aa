// The rows of a profile's tables of device time.
// SPDX-License-Identifier: Apache-2.0
#include "profile/DeviceRows.h"
#include "base/text/Printable.h"
#include <algorithm>

namespace gpuinstr::profile {

bool isTransfer(const DeviceRow &row) {
  if (row.operation == DeviceOperation::Unknown) // of a newer version: nsys's brackets tell
    return row.operation.text().substr(0, 1) == "[";
  return row.operation != DeviceOperation::Kernel && row.operation != DeviceOperation::Graph;
}

bool isAsyncByName(const Site &site) {
  return site.callee.find("Async") != std::string::npos ||
         site.callee.find("async") != std::string::npos;
}

bool blocksHost(const Site &site) {
  auto isPageable = [](const DeviceRow &row) { return row.memory == HostSide::Pageable; };
  return site.kind == SiteKind::Copy &&
         (!isAsyncByName(site) ||
          std::any_of(site.device.rows.begin(), site.device.rows.end(), isPageable));
}

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

std::vector<unsigned> timeShares(const std::vector<DeviceRowAt> &rows) {
  std::vector<double> totals;
  for (const DeviceRowAt &row : rows)
    totals.push_back(static_cast<double>(row.device->total_ns));
  return perMille(totals);
}

uint64_t copiesInNoPart(const Site &site, std::optional<int> device) {
  uint64_t sum = 0;
  for (const DeviceRow &row : site.device.rows)
    if (site.device.method == TimeMethod::Sampled && row.operation == DeviceOperation::Copy)
      for (const DevicePart &on : row.devices)
        sum += !device || on.device == *device ? on.operations : 0;
  return sum;
}

} // namespace gpuinstr::profile
