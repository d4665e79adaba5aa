// From exact device times to the profile.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/ExactProfile.h"
#include "base/Clock.h"
#include "time/common/DeviceFigures.h"
#include "time/common/Occupancy.h"
#include "time/exact/CuptiSession.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::timing {

namespace {

/// Fewer rounds are no loop, and less time or a smaller share of it is not worth rewriting code.
constexpr uint64_t LeastTurns = 8, LeastNs = 10000000;
constexpr double LeastShare = 0.05, MostOverlap = 0.2;

/// Kernels that only one descriptor's looks are known of.
void addLooks(profile::DeviceRow &to, const RecordStats &from) {
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

void addRow(profile::DeviceTime &to, const RecordStats &from) {
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
  const DeviceFigures all = {figures.count,  figures.count, figures.total_ns, 0,
                             figures.min_ns, figures.max_ns};
  addFigures(row, all);
  addFigures(to, all);
  row.bytes += from.bytes;
  row.api_ns += from.apiNs;
  row.queue_ns += from.queueNs;
  row.span_ns += from.spanNs;
  addLooks(row, from);
}

profile::GpuShare shareOf(uint32_t device, const TimelineTotals &t) {
  auto part = [&](Activity a) { return t.ns[size_t(a)]; };
  profile::GpuShare s;
  s.device = int(device);
  s.method = profile::TimeMethod::Exact;
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

uint64_t serialisedNs(const profile::GpuShare &share, uint64_t turns) {
  uint64_t possible = share.overlap_possible_ns, achieved = share.overlap_ns;
  if (turns < LeastTurns || double(achieved) > MostOverlap * double(possible))
    return 0;
  uint64_t lost = possible - achieved;
  return lost < LeastNs || double(lost) < LeastShare * double(share.wall_ns) ? 0 : lost;
}

bool addExactTime(profile::DeviceTime &to, SiteIndex site) {
  bool exact = false;
  cuptiSession().withStore([&](const RecordStore &store) {
    exact = true;
    const auto *rows = store.rowsOf(site);
    if (!rows)
      return;
    for (const std::unique_ptr<RecordStats> &row : *rows)
      addRow(to, *row);
    if (to.samples)
      to.method = profile::TimeMethod::Exact;
  });
  return exact;
}

void fillExactShares(profile::Profile &profile, uint64_t endNs) {
  cuptiSession().withStore([&](const RecordStore &store) {
    for (const auto &device : store.timelines())
      profile.breakdown.gpus.push_back(shareOf(device.first, totalsOf(device.second, endNs)));
  });
}

void addCuptiCosts(profile::Process &process) {
  Overheads costs = cuptiSession().overheads();
  if (!costs.any())
    return;
  process.startup.method = profile::StartUpMethod::Cupti;
  process.startup.jit_ns = costs.jitNs();
  process.startup.loading_ns = costs.loadingNs();
  process.own_cupti_ns = costs.ownStartNs() + costs.ownNs();
  process.startup_ns += costs.ownStartNs();
  if (process.wall_ns)
    process.own_cost_percent = std::min(
        100.0, process.own_cost_percent + 100 * double(costs.ownNs()) / double(process.wall_ns));
}

std::vector<FindingRecord> serialisedWork(uint64_t endNs) {
  uint64_t ns = 0;
  FindingRecord record;
  record.key.pattern = Pattern::Serialised;
  record.key.grade = Grade::Advice;
  cuptiSession().withStore([&](const RecordStore &store) {
    for (const auto &device : store.timelines()) {
      TimelineTotals totals = totalsOf(device.second, endNs);
      uint64_t lost = serialisedNs(shareOf(device.first, totals), totals.turns);
      if (lost <= ns)
        continue;
      ns = lost;
      record.count = totals.turns;
      record.key.site = store.longestCopySite();
    }
  });
  if (ns == 0 || record.key.site == 0)
    return {};
  record.ticks = uint64_t(double(ns) / nsPerTick());
  return {record};
}

} // namespace gpuinstr::timing
