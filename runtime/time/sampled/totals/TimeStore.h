// What was timed on the device, by site and kind of operation.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_SAMPLED_TOTALS_TIMESTORE_H
#define GPUINSTR_TIME_SAMPLED_TOTALS_TIMESTORE_H

#include "calls/sites/Sites.h"
#include "time/common/DeviceFigures.h"
#include "time/common/TimesEpoch.h"
#include "time/sampled/totals/Estimate.h"
#include <string>
#include <vector>

namespace gpuinstr::timing {

/// One kind of operation at a site: its kernel, or the direction of its copies.
struct OperationKind {
  DeviceWorkKind work = DeviceWorkKind::Kernel;
  uint64_t function = 0; ///< of kernels: FUNC
  CopyDirection direction = CopyDirection::Unknown;
  HostMemoryKind memory = HostMemoryKind::Unknown;
  bool others = false; ///< the kernels beyond MostKernelRows
  bool operator==(const OperationKind &o) const {
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

struct OperationStats {
  OperationKind key;
  std::string name;                   ///< of kernels
  std::vector<DeviceSamples> devices; ///< mostly one
  double bytes = 0;                   ///< moved by the timed operations
  /// The first of all: its kernel may have been loaded between its events, which the others tell.
  struct {
    bool isThere = false;
    int device = -1;
    uint8_t level = 0;
    double ns = 0, doubtNs = 0, hostNs = 0;
    uint64_t bytes = 0;
    Samples others; ///< of the same device, until it is judged
  } first;

  /// Poor ones, see noteTimed(); not in `devices`.
  std::vector<DeviceSamples> poor;
  double poorBytes = 0;

  Samples &on(int device);
  Samples everywhere() const;
};

struct SiteTime {
  uint64_t made[Levels] = {};
  uint64_t due = 0;      ///< times that a sample was due
  uint64_t captured = 0; ///< of them, operations that went into a graph or had nothing to do
  uint64_t refused = 0;  ///< of them, operations around which the driver takes no events
  uint64_t failed = 0;   ///< of them, calls that failed
  bool isKnown = false, isSmall = false, isSettled = false; ///< see Made
  double shareNs = 0; ///< of its table's total, when that was last asked
  Samples all;
  std::vector<OperationStats> rows;
};

/// A timed operation: where its time is counted.
struct TimedOperation {
  uint32_t site = 0, epoch = 0; ///< see TimesEpoch.h
  uint32_t row = 0;             ///< of the site, see rowOf()
  uint8_t level = 0;            ///< of the sampling stride
  uint64_t bytes = 0;
  double hostNs = 0; ///< that the call took
};

struct Made {
  uint64_t due = 0; ///< times that one was due at this site
  /// More samples would tell little: those of the rows that have most of the site's time are much
  /// alike, and their pairs leave little open.
  bool isKnown = false;
  /// It has a small part of what kernels take, or else transfers: nobody needs it known as well.
  bool isSmall = false;
  /// Its samples are alike beside what their pairs leave open: a few at each stride tell as much.
  bool isSettled = false;
};

/// `covered` operations were made at this level since the last that was due here.
Made noteMade(SiteIndex site, unsigned level, uint64_t covered);
/// Behind each that was timed: at each fourth time, asks what Made tells from then on. Not before
/// it, where the device may wait for the host.
void reviewSite(SiteIndex site);
/// Sites of which noteMade() told.
uint64_t sitesMade();
/// One of them went into a graph, or had nothing to do: it took no time on the device.
void noteCaptured(SiteIndex site, unsigned level);
/// One of them cannot be timed: its stream belongs to a device that is not current. Samples of the
/// current device are not extrapolated to it.
void noteRefused(SiteIndex site, unsigned level);
/// One of them failed: the device did nothing.
void noteFailed(SiteIndex site, unsigned level);

/// The row's number; `isNew` asks the caller to name it. Kernels that come after MostKernelRows
/// others have one row together, which is named already.
uint32_t rowOf(SiteIndex site, const OperationKind &key, bool &isNew);
void nameRow(SiteIndex site, uint32_t row, const std::string &name);

/// A pair was read: `ns` on the device (-1 unknown), uncertain by `doubtNs`. `isPoor`: as in
/// Corrected, which has nothing to do with how long the operation took. They stand only where there
/// are not enough others, which are known better.
void noteTimed(const TimedOperation &timed, int device, double ns, double doubtNs,
               bool isPoor = false);

/// A snapshot; false: nothing was due there.
bool timesOf(SiteIndex site, SiteTime &time);

/// Forgets all, and starts a new epoch.
void clearTimeStore();
void lockTimeStore();
void unlockTimeStore();

} // namespace gpuinstr::timing

#endif
