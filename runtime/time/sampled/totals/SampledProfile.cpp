// From samples to the device times of a profile's site.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/SampledProfile.h"
#include "time/common/DeviceFigures.h"
#include "time/sampled/totals/TimeStore.h"
#include <algorithm>
#include <numeric>

namespace gpuinstr::timing {

namespace {

uint64_t rounded(double value) { return uint64_t(std::max(0.0, value) + 0.5); }

/// All that did not fail did the same kind of work on the device.
bool isOfOneKind(const SiteTime &time, const KnownOperations &known) {
  return !time.captured && !time.refused && known.kernels <= 1 && time.rows.size() == 1;
}

/// Whether the samples only tell how many operations of a site were of one kind.
bool countsAreEstimates(const SiteTime &time, uint64_t operations, const KnownOperations &known) {
  bool allLookedAt = time.all.count() >= operations; // captures and failures included
  return !allLookedAt && !isOfOneKind(time, known);
}

/// Calls that failed moved nothing, and how many did is known.
Estimate withoutFailed(Estimate e, uint64_t good) {
  const double share = e.count > 0 ? double(good) / e.count : 1;
  e.count *= share;
  e.totalNs *= share;
  e.ciNs *= share;
  return e;
}

DeviceFigures figuresOf(const Estimate &e, const Samples &samples) {
  DeviceFigures figures;
  figures.samples = samples.count();
  figures.operations = rounded(e.count);
  figures.totalNs = rounded(e.totalNs);
  figures.ciNs = rounded(e.ciNs);
  figures.minNs = rounded(samples.minNs);
  figures.maxNs = rounded(samples.maxNs);
  return figures;
}

profile::DevicePart &partOn(profile::DeviceRow &row, int device) {
  auto &parts = row.devices;
  auto part = std::find_if(parts.begin(), parts.end(),
                           [&](const profile::DevicePart &p) { return p.device == device; });
  return part != parts.end() ? *part : *parts.insert(part, {device, 0, 0, 0});
}

/// "graph exec": by the expression that was launched.
std::string graphName(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  bool launch = site && site->op == GPUINSTR_OP_GRAPH_LAUNCH && site->num_arguments;
  return launch ? "graph " + std::string(site->arguments[0]) : "";
}

} // namespace

void addSampledTime(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known) {
  SiteTime time;
  if (!timesOf(site, time))
    return;
  Samples all = time.all;
  uint64_t timed = 0;
  for (const OperationStats &row : time.rows)
    timed += row.everywhere().count();
  uint64_t operations =
      std::accumulate(std::begin(time.made), std::end(time.made), known.sinceTurn);
  auto share = [&](uint64_t of) {
    return time.due ? rounded(double(operations) * double(of) / double(time.due)) : 0;
  };
  to.no_work += share(time.captured);
  to.untimed += share(time.refused);
  if (timed == 0)
    return;
  unsigned last = 0;
  for (unsigned l = 0; l < Levels; ++l)
    if (time.made[l])
      last = l;
  time.made[last] += known.sinceTurn;
  bool estimated = countsAreEstimates(time, operations, known);
  to.method = profile::TimeMethod::Sampled;
  const bool oneKind = isOfOneKind(time, known);
  const uint64_t good = std::max(timed, operations - std::min(operations, known.failed));
  // Copies of pageable memory. A launch that the host was held up in says nothing of its kernel.
  const bool isSteady = oneKind && !known.failed && !time.rows.empty() &&
                        time.rows[0].key.work == DeviceWorkKind::Copy;
  const HostTimes host = {isSteady ? known.calls : 0, known.hostNs};
  uint64_t before = to.operations;
  to.operations_estimated |= estimated && (time.captured || time.refused || known.failed);
  for (const OperationStats &row : time.rows) {
    const Samples samples = row.everywhere();
    if (samples.count() == 0)
      continue;
    Estimate e = estimate(time.made, all, samples, host);
    if (oneKind && known.failed)
      e = withoutFailed(e, good);
    const DeviceFigures figures = figuresOf(e, samples);
    addFigures(to, figures);
    const std::string &name = row.key.work == DeviceWorkKind::Graph ? graphName(site) : row.name;
    profile::DeviceRow &into = rowFor(to, name, row.key.work, row.key.direction, row.key.memory);
    addFigures(into, figures);
    into.operations_estimated |= estimated;
    into.bytes += rounded(row.bytes / double(samples.count()) * e.count);
    for (const DeviceSamples &one : row.devices)
      addFigures(partOn(into, one.device),
                 row.devices.size() == 1
                     ? figures
                     : figuresOf(estimate(time.made, all, one.samples), one.samples));
  }
  if (!time.captured && !time.refused && (oneKind || !known.failed))
    to.operations = before + good; // not the sum of what was rounded
}

} // namespace gpuinstr::timing
