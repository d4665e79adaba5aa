// What was timed on the device, by site and kind of operation.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TIMESTORE_H
#define GPUINSTR_TIME_TIMESTORE_H

#include "calls/sites/Sites.h"
#include "cuda/DeviceWorkKind.h"
#include "time/sampled/Estimate.h"
#include "time/sampled/EventPairs.h"
#include <string>
#include <vector>

namespace gpuinstr::timing {

using cuda::CopyDirection;
using cuda::DeviceWorkKind;
using cuda::HostMemoryKind;

/// One kind of operation at a site: its kernel, or the direction of its copies.
struct RowKey {
  DeviceWorkKind work = DeviceWorkKind::Kernel;
  uint64_t function = 0; ///< of kernels: FUNC
  CopyDirection direction = CopyDirection::Unknown;
  HostMemoryKind memory = HostMemoryKind::Unknown;
  bool others = false; ///< the kernels beyond MostKernelRows
  bool operator==(const RowKey &o) const {
    return work == o.work && function == o.function && direction == o.direction &&
           memory == o.memory && others == o.others;
  }
};

/// Kernels of one site that are told apart; one more row has the others.
constexpr size_t MostKernelRows = 64;

struct DeviceSamples {
  int device = -1; ///< ordinal; -1 unknown
  Samples samples;
};

struct Row {
  RowKey key;
  std::string name;                   ///< of kernels
  std::vector<DeviceSamples> devices; ///< mostly one
  double bytes = 0;                   ///< moved by the timed operations

  Samples &on(int device);
  Samples everywhere() const;
};

struct SiteTime {
  uint64_t made[Levels] = {};
  uint64_t due = 0;      ///< times that a sample was due
  uint64_t captured = 0; ///< of them, operations that went into a graph or had nothing to do
  uint64_t refused = 0;  ///< of them, operations around which the driver takes no events
  Samples all;
  std::vector<Row> rows;
  std::vector<SiteIndex> graphLines; ///< of its graphs: where their work was captured
};

/// `covered` operations were made at this level since the last that was due here. How often one
/// was due at this site.
uint64_t noteMade(SiteIndex site, unsigned level, uint64_t covered);
/// One of them went into a graph, or had nothing to do: it took no time on the device.
void noteCaptured(SiteIndex site, unsigned level);
/// One of them cannot be timed: it is in a stream of a device that is not current. Others of the
/// site, of the current device, do not stand for it.
void noteRefused(SiteIndex site, unsigned level);

/// The row's number; `isNew` asks the caller to name it. Kernels that come after MostKernelRows
/// others have one row together, which is named already.
uint32_t rowOf(SiteIndex site, const RowKey &key, bool &isNew);
void nameRow(SiteIndex site, uint32_t row, const std::string &name);

/// A graph that was captured from these was launched at the site.
void noteGraphLines(SiteIndex site, const std::vector<SiteIndex> &lines);

/// A pair was read: `ns` on the device (-1: which is unknown), and what stays open of it.
void noteTimed(const Timed &timed, int device, double ns, double doubtNs);

/// A snapshot; false: nothing was due there.
bool timesOf(SiteIndex site, SiteTime &time);

uint32_t timesEpoch();
void clearTimes();
void lockTimes();
void unlockTimes();

} // namespace gpuinstr::timing

#endif
