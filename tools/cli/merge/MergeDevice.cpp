// Device times and audits of many processes as one.
// SPDX-License-Identifier: Apache-2.0
#include "merge/Merge.h"
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
  into.operations_estimated |= from.operations_estimated;
  into.total_ns += from.total_ns;
  into.ci_ns = static_cast<uint64_t>(
      std::llround(std::hypot(static_cast<double>(into.ci_ns), static_cast<double>(from.ci_ns))));
}

/// What only exact times have. Of the medians the greater stays: their distributions are not kept.
static void addExact(profile::DeviceRow &into, const profile::DeviceRow &from) {
  auto count = [](const profile::DeviceRow &row) { return static_cast<double>(row.operations); };
  auto mean = [&](const profile::DeviceRow &row) {
    return row.operations ? static_cast<double>(row.total_ns) / count(row) : 0;
  };
  double n = count(into) + count(from), apart = mean(into) - mean(from);
  if (n > 1)
    into.stddev_ns = std::sqrt((std::max(count(into) - 1, 0.0) * into.stddev_ns * into.stddev_ns +
                                std::max(count(from) - 1, 0.0) * from.stddev_ns * from.stddev_ns +
                                apart * apart * count(into) * count(from) / n) /
                               (n - 1));
  into.median_ns = std::max(into.median_ns, from.median_ns);
  into.api_ns += from.api_ns;
  into.queue_ns += from.queue_ns;
  into.span_ns += from.span_ns;
  into.shapes_differ |= from.shapes_differ || into.grid != from.grid || into.block != from.block ||
                        into.registers != from.registers ||
                        into.dynamic_shared != from.dynamic_shared;
}

void addDeviceTime(profile::DeviceTime &into, const profile::DeviceTime &from) {
  // A sum that holds an estimate is one.
  if (into.method.empty() || from.method == profile::TimeMethod::Sampled)
    into.method = from.method;
  addFigures(into, from);
  into.untimed += from.untimed;
  into.no_work += from.no_work;
  for (const profile::DeviceRow &row : from.rows) {
    auto same = std::find_if(into.rows.begin(), into.rows.end(), [&](const auto &known) {
      return known.name == row.name && known.operation == row.operation &&
             known.memory == row.memory;
    });
    if (same == into.rows.end()) {
      into.rows.push_back(row);
      continue;
    }
    addExact(*same, row);
    addFigures(*same, row);
    same->bytes += row.bytes;
  }
}

void addAudit(profile::Audit &into, const profile::Audit &from) {
  if (into.mode.empty() || into.mode == profile::AuditDepth::Off)
    into.mode = from.mode;
  into.eligible += from.eligible;
  into.eligible_bytes += from.eligible_bytes;
  into.verified += from.verified;
  into.verified_bytes += from.verified_bytes;
  into.skipped_budget += from.skipped_budget;
  into.skipped_busy += from.skipped_busy;
  into.skipped_capture += from.skipped_capture;
  into.skipped_full += from.skipped_full;
  into.skipped_device += from.skipped_device;
  into.skipped_unreadable += from.skipped_unreadable;
  into.transfers += from.transfers;
  into.transfer_bytes += from.transfer_bytes;
  into.transfer_ns += from.transfer_ns;
  into.judged += from.judged;
  into.judged_bytes += from.judged_bytes;
  into.judged_ns += from.judged_ns;
}

} // namespace gpuinstr::cli
