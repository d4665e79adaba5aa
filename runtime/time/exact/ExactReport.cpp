// From exact device times to the profile.
// SPDX-License-Identifier: Apache-2.0
#include "base/Clock.h"
#include "time/Breakdown.h"
#include "time/DeviceTimes.h"
#include "time/Occupancy.h"
#include "time/exact/Exact.h"
#include "time/exact/ExactState.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::timing {

namespace {

/// Kernels that only one descriptor's looks are known of.
void addLooks(profile::DeviceRow &to, const ExactRow &from) {
  if (from.work != DeviceWorkKind::Kernel || from.others)
    return;
  const DeviceRecord &r = from.looks;
  bool fresh = to.grid.empty();
  std::vector<uint32_t> grid(r.grid, r.grid + 3), block(r.block, r.block + 3);
  to.shapes_differ |= from.shapesDiffer || (!fresh && (to.grid != grid || to.block != block));
  if (!fresh)
    return;
  to.grid = grid;
  to.block = block;
  to.static_shared = r.staticShared;
  to.dynamic_shared = r.dynamicShared;
  to.registers = r.registers;
  to.occupancy_percent =
      occupancyPercent(limitsOf(int(r.device)), uint64_t(r.block[0]) * r.block[1] * r.block[2],
                       r.registers, uint64_t(r.staticShared) + r.dynamicShared);
}

void addRow(profile::DeviceTime &to, const ExactRow &from) {
  profile::Duration figures = from.device.figures();
  if (figures.count == 0)
    return;
  profile::DeviceRow &row = rowFor(to, from.name, from.work, from.direction, from.memory);
  bool fresh = row.samples == 0;
  // Of two descriptors of one line: the median of the larger part stands for both.
  if (fresh || figures.count > row.samples)
    row.median_ns = figures.median_ns;
  double n = double(row.samples), m = double(figures.count);
  double mean = n ? double(row.total_ns) / n : 0, gap = figures.mean_ns - mean;
  double squares = row.stddev_ns * row.stddev_ns * std::max(0.0, n - 1) +
                   figures.stddev_ns * figures.stddev_ns * std::max(0.0, m - 1) +
                   (n ? gap * gap * n * m / (n + m) : 0);
  row.stddev_ns = n + m > 1 ? std::sqrt(squares / (n + m - 1)) : 0;
  row.min_ns = fresh ? figures.min_ns : std::min(row.min_ns, figures.min_ns);
  row.max_ns = std::max(row.max_ns, figures.max_ns);
  row.samples += figures.count;
  row.operations += figures.count;
  row.total_ns += figures.total_ns;
  row.bytes += from.bytes;
  row.api_ns += from.apiNs;
  row.queue_ns += from.queueNs;
  row.span_ns += from.spanNs;
  addLooks(row, from);
  to.min_ns = to.samples ? std::min(to.min_ns, figures.min_ns) : figures.min_ns;
  to.max_ns = std::max(to.max_ns, figures.max_ns);
  to.samples += figures.count;
  to.operations += figures.count;
  to.total_ns += figures.total_ns;
}

profile::GpuShare shareOf(uint32_t device, const TimelineTotals &t) {
  auto part = [&](Activity a) { return t.ns[size_t(a)]; };
  profile::GpuShare s;
  s.device = int(device);
  s.method = "exact";
  for (uint64_t ns : t.ns)
    s.wall_ns += ns;
  s.wall_ns -= part(Activity::Paused);
  s.kernels_ns = part(Activity::Kernel);
  s.h2d_ns = part(Activity::HostToDevice);
  s.d2h_ns = part(Activity::DeviceToHost);
  s.d2d_ns = part(Activity::DeviceToDevice);
  s.set_ns = part(Activity::Set);
  s.idle_startup_ns = part(Activity::StartUp);
  s.idle_copies_ns = part(Activity::BlockingCopy);
  s.idle_allocation_ns = part(Activity::Allocation);
  s.idle_launch_ns = part(Activity::Launch);
  s.idle_sync_ns = part(Activity::Sync);
  s.idle_host_ns = part(Activity::Host);
  s.overlap_ns = t.bothNs;
  s.overlap_possible_ns = std::min(t.kernelNs, t.copyNs);
  return s;
}

/// All up to `endNs`. Device work of recorded calls counts beyond what was recorded, too.
TimelineTotals totalsOf(const Timeline &line, uint64_t endNs) {
  uint64_t since = pausedSinceNs();
  if (!since)
    return line.totals(endNs);
  Timeline copy = line; // the pause in progress is not in it
  copy.add(Activity::Paused, since, endNs);
  return copy.totals(endNs);
}

} // namespace

bool addExactTime(profile::DeviceTime &to, SiteIndex site) {
  bool exact = false;
  state().withStore([&](const ExactStore &store) {
    exact = true;
    const auto *rows = store.rowsOf(site);
    if (!rows)
      return;
    for (const std::unique_ptr<ExactRow> &row : *rows)
      addRow(to, *row);
    if (to.samples)
      to.method = "exact";
  });
  return exact;
}

void fillGpuBreakdown(profile::Profile &profile, uint64_t endNs) {
  state().withStore([&](const ExactStore &store) {
    for (const auto &device : store.timelines())
      profile.breakdown.gpus.push_back(shareOf(device.first, totalsOf(device.second, endNs)));
  });
}

void addExactCosts(profile::Process &process) {
  Overheads costs = state().overheads();
  if (!costs.any())
    return;
  process.startup.method = "cupti";
  process.startup.jit_ns = costs.jitNs();
  process.startup.loading_ns = costs.loadingNs();
  process.own_cupti_ns = costs.ownStartNs() + costs.ownNs();
  process.startup_ns += costs.ownStartNs();
  if (process.wall_ns)
    process.own_cost_percent = std::min(
        100.0, process.own_cost_percent + 100 * double(costs.ownNs()) / double(process.wall_ns));
}

bool findSerialised(uint64_t endNs, SiteIndex &site, uint64_t &turns, uint64_t &ns) {
  ns = 0;
  state().withStore([&](const ExactStore &store) {
    for (const auto &device : store.timelines()) {
      TimelineTotals totals = totalsOf(device.second, endNs);
      uint64_t lost = serialisedNs(shareOf(device.first, totals), totals.turns);
      if (lost <= ns)
        continue;
      ns = lost;
      turns = totals.turns;
      site = store.longestCopySite();
    }
  });
  return ns != 0 && site != 0;
}

std::vector<std::string> exactNotes() { return state().notes(); }
void clearExact() { state().restart(); }

void forgetExact() {
  ExactOperations.store(0);
  forgetState();
}

void lockExact() { state().Mutex.lock(); }
void unlockExact() { state().Mutex.unlock(); }

} // namespace gpuinstr::timing
