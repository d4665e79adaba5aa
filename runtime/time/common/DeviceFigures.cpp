// The figures of a kind of device work at a site, and how those of several descriptors add up.
// SPDX-License-Identifier: Apache-2.0
#include "time/common/DeviceFigures.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::timing {

namespace {

/// Two independent halves of an interval.
uint64_t together(uint64_t a, uint64_t b) {
  return uint64_t(std::hypot(double(a), double(b)) + 0.5);
}

template <class T> void addTotals(T &to, const DeviceFigures &from) {
  to.operations += from.operations;
  to.total_ns += from.totalNs;
  to.ci_ns = together(to.ci_ns, from.ciNs);
}

template <class T> void addAll(T &to, const DeviceFigures &from) {
  to.min_ns = to.samples ? std::min(to.min_ns, from.minNs) : from.minNs;
  to.max_ns = std::max(to.max_ns, from.maxNs);
  to.samples += from.samples;
  addTotals(to, from);
}

} // namespace

void addFigures(profile::DeviceTime &to, const DeviceFigures &from) { addAll(to, from); }
void addFigures(profile::DeviceRow &to, const DeviceFigures &from) { addAll(to, from); }
void addFigures(profile::DevicePart &to, const DeviceFigures &from) { addTotals(to, from); }

profile::DeviceOperation operationOf(DeviceWorkKind work, CopyDirection direction) {
  using profile::DeviceOperation;
  switch (work) {
  case DeviceWorkKind::Kernel:
    return DeviceOperation::Kernel;
  case DeviceWorkKind::Graph:
    return DeviceOperation::Graph;
  case DeviceWorkKind::Set:
    return DeviceOperation::Set;
  case DeviceWorkKind::Copy:
    break;
  }
  switch (direction) {
  case CopyDirection::HostToHost:
    return DeviceOperation::HostToHost;
  case CopyDirection::HostToDevice:
    return DeviceOperation::HostToDevice;
  case CopyDirection::DeviceToHost:
    return DeviceOperation::DeviceToHost;
  case CopyDirection::DeviceToDevice:
    return DeviceOperation::DeviceToDevice;
  case CopyDirection::Unknown:
    break;
  }
  return DeviceOperation::Copy;
}

profile::HostSide hostSideOf(HostMemoryKind memory) {
  return memory == HostMemoryKind::Pageable ? profile::HostSide::Pageable
         : memory == HostMemoryKind::Pinned ? profile::HostSide::Pinned
                                            : profile::HostSide::Unknown;
}

profile::DeviceRow &rowFor(profile::DeviceTime &time, const std::string &name, DeviceWorkKind work,
                           CopyDirection direction, HostMemoryKind memory) {
  profile::DeviceOperation operation = operationOf(work, direction);
  profile::HostSide side = hostSideOf(memory);
  for (profile::DeviceRow &row : time.rows)
    if (row.name == name && row.operation == operation && row.memory == side)
      return row;
  time.rows.emplace_back();
  time.rows.back().name = name;
  time.rows.back().operation = operation;
  time.rows.back().memory = side;
  return time.rows.back();
}

} // namespace gpuinstr::timing
