// From samples to the device times of a profile's site.
// SPDX-License-Identifier: Apache-2.0
#include "time/DeviceTimes.h"
#include "time/TimeStore.h"
#include "time/exact/Exact.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpuinstr::timing {

const char *operationName(DeviceWorkKind work, CopyDirection direction) {
  switch (work) {
  case DeviceWorkKind::Kernel:
    return "kernel";
  case DeviceWorkKind::Graph:
    return "graph";
  case DeviceWorkKind::Set:
    return "[CUDA memset]";
  case DeviceWorkKind::Copy:
    break;
  }
  switch (direction) {
  case CopyDirection::HostToHost:
    return "[CUDA memcpy Host-to-Host]";
  case CopyDirection::HostToDevice:
    return "[CUDA memcpy Host-to-Device]";
  case CopyDirection::DeviceToHost:
    return "[CUDA memcpy Device-to-Host]";
  case CopyDirection::DeviceToDevice:
    return "[CUDA memcpy Device-to-Device]";
  case CopyDirection::Unknown:
    break;
  }
  return "[CUDA memcpy]";
}

const char *memoryName(HostMemoryKind memory) {
  return memory == HostMemoryKind::Pageable ? "pageable"
         : memory == HostMemoryKind::Pinned ? "pinned"
                                            : "";
}

profile::DeviceRow &rowFor(profile::DeviceTime &time, const std::string &name, DeviceWorkKind work,
                           CopyDirection direction, HostMemoryKind memory) {
  std::string_view operation = operationName(work, direction), place = memoryName(memory);
  for (profile::DeviceRow &row : time.rows)
    if (row.name == name && row.operation == operation && row.memory == place)
      return row;
  time.rows.emplace_back();
  time.rows.back().name = name;
  time.rows.back().operation = operation;
  time.rows.back().memory = place;
  return time.rows.back();
}

namespace {

uint64_t rounded(double value) { return uint64_t(std::max(0.0, value) + 0.5); }

/// Two independent halves of an interval.
uint64_t together(uint64_t a, uint64_t b) { return rounded(std::hypot(double(a), double(b))); }

/// Whether the samples only tell how many operations of a site were of one kind.
bool countsAreEstimates(const SiteTime &time, uint64_t operations, const KnownOperations &known) {
  if (time.all.count() >= operations && !known.failed) // captures included
    return false;
  return time.captured || time.refused || known.failed || known.kernels > 1 || time.rows.size() > 1;
}

template <class T> void addFigures(T &to, const Estimate &e, const Samples &samples) {
  bool first = to.samples == 0;
  uint64_t least = rounded(samples.minNs), most = rounded(samples.maxNs);
  to.min_ns = first ? least : std::min(to.min_ns, least);
  to.max_ns = std::max(to.max_ns, most);
  to.samples += samples.count();
  to.operations += rounded(e.count);
  to.total_ns += rounded(e.totalNs);
  to.ci_ns = together(to.ci_ns, rounded(e.ciNs));
}

void addOnDevice(profile::DeviceRow &row, int device, const Estimate &e) {
  auto &parts = row.devices;
  auto part = std::find_if(parts.begin(), parts.end(),
                           [&](const profile::DevicePart &p) { return p.device == device; });
  if (part == parts.end())
    part = parts.insert(part, {device, 0, 0, 0});
  part->operations += rounded(e.count);
  part->total_ns += rounded(e.totalNs);
  part->ci_ns = together(part->ci_ns, rounded(e.ciNs));
}

/// "graph exec": by the expression that was launched.
std::string graphName(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  bool launch = site && site->op == GPUINSTR_OP_GRAPH_LAUNCH && site->num_arguments;
  return launch ? "graph " + std::string(site->arguments[0]) : "";
}

} // namespace

void addDeviceTime(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known) {
  if (addExactTime(to, site))
    return;
  SiteTime time;
  if (!timesOf(site, time))
    return;
  Samples all = time.all;
  uint64_t timed = 0;
  for (const Row &row : time.rows)
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
  to.method = "sampled";
  uint64_t before = to.operations;
  to.operations_estimated |= estimated && (time.captured || time.refused || known.failed);
  for (const Row &row : time.rows) {
    const Samples samples = row.everywhere();
    if (samples.count() == 0)
      continue;
    Estimate e = estimate(time.made, all, samples);
    addFigures(to, e, samples);
    const std::string &name = row.key.work == DeviceWorkKind::Graph ? graphName(site) : row.name;
    profile::DeviceRow &into = rowFor(to, name, row.key.work, row.key.direction, row.key.memory);
    addFigures(into, e, samples);
    into.operations_estimated |= estimated;
    into.bytes += rounded(row.bytes / double(samples.count()) * e.count);
    for (const DeviceSamples &one : row.devices)
      addOnDevice(into, one.device,
                  row.devices.size() == 1 ? e : estimate(time.made, all, one.samples));
  }
  if (!time.captured && !time.refused && !known.failed)
    to.operations = before + operations; // not the sum of what was rounded
}

std::vector<SiteIndex> graphLinesOf(SiteIndex site) {
  SiteTime time;
  return timesOf(site, time) ? time.graphLines : std::vector<SiteIndex>();
}

} // namespace gpuinstr::timing
