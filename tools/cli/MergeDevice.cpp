// Device times and audits of many processes as one.
// SPDX-License-Identifier: Apache-2.0
#include "Merge.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::cli {

/// Both of DeviceTime and of its rows: estimates of different processes err independently.
template <class Figures> static void addFigures(Figures &into, const Figures &from) {
  if (from.samples) {
    into.min_ns = into.samples ? std::min(into.min_ns, from.min_ns) : from.min_ns;
    into.max_ns = std::max(into.max_ns, from.max_ns);
  }
  into.samples += from.samples;
  into.operations += from.operations;
  into.total_ns += from.total_ns;
  into.ci_ns = static_cast<uint64_t>(
      std::llround(std::hypot(static_cast<double>(into.ci_ns), static_cast<double>(from.ci_ns))));
}

void addDeviceTime(profile::DeviceTime &into, const profile::DeviceTime &from) {
  if (into.method.empty())
    into.method = from.method;
  addFigures(into, from);
  for (const profile::DeviceRow &row : from.rows) {
    auto same = std::find_if(into.rows.begin(), into.rows.end(), [&](const auto &known) {
      return known.name == row.name && known.operation == row.operation &&
             known.memory == row.memory;
    });
    if (same == into.rows.end()) {
      into.rows.push_back(row);
      continue;
    }
    addFigures(*same, row);
    same->bytes += row.bytes;
  }
}

void addAudit(profile::Audit &into, const profile::Audit &from) {
  if (into.mode.empty() || into.mode == "off")
    into.mode = from.mode;
  into.eligible += from.eligible;
  into.eligible_bytes += from.eligible_bytes;
  into.verified += from.verified;
  into.verified_bytes += from.verified_bytes;
  into.skipped_budget += from.skipped_budget;
  into.skipped_busy += from.skipped_busy;
  into.skipped_capture += from.skipped_capture;
  into.skipped_device += from.skipped_device;
  into.skipped_unreadable += from.skipped_unreadable;
}

} // namespace gpuinstr::cli
