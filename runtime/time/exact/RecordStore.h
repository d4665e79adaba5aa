// Exact device times by site, and each device's timeline.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_RECORDSTORE_H
#define GPUINSTR_TIME_EXACT_RECORDSTORE_H

#include "calls/threads/Recording.h"
#include "profile/Histogram.h"
#include "profile/Profile.h"
#include "time/common/DeviceFigures.h"
#include "time/common/Timeline.h"
#include "time/exact/NodeLines.h"
#include "time/exact/RecordMatcher.h"
#include <deque>
#include <memory>

namespace gpuinstr::timing {

/// One kind of operation at a site.
struct RecordStats {
  std::string name;    ///< of kernels
  bool others = false; ///< kernels beyond MostRecordRows
  DeviceWorkKind work = DeviceWorkKind::Kernel;
  CopyDirection direction = CopyDirection::Unknown;
  HostMemoryKind memory = HostMemoryKind::Unknown;
  profile::DurationStats device;
  uint64_t bytes = 0;
  uint64_t apiNs = 0, queueNs = 0, spanNs = 0; ///< sums, see profile::DeviceRow
  DeviceRecord looks;                          ///< the first one
  bool shapesDiffer = false;
};

struct RecordCounts {
  uint64_t joined = 0;
  uint64_t foreign = 0, foreignNs = 0; ///< of code that is not instrumented
  uint64_t lost = 0;                   ///< calls without a record
};

/// Of all sites; kernels that come later share one row at each site.
constexpr size_t MostRecordRows = 4096;

/// Not thread-safe: its owner locks.
class RecordStore : public RecordSink {
public:
  RecordStore(KernelNamer namer, uint64_t startNs);

  /// Valid for what comes next: clocks, and the epoch that counts (TimesEpoch.h).
  void setScale(const TickScale &scale, uint8_t epoch) {
    Scale = scale;
    Epoch = epoch;
  }
  void joined(const LogEntry &entry, const DeviceRecord *records, size_t count) override;
  void foreign(const DeviceRecord *records, size_t count) override;
  void lost(const LogEntry &) override { ++Counts.lost; }

  /// What the host did; for all devices.
  void addHost(Activity activity, uint64_t startNs, uint64_t endNs);
  void addPause(const Pause &pause);
  /// Whether it is time to call settle().
  bool isFull() const;
  /// Memory stays bounded: see Timeline.
  void settle(uint64_t horizonNs);
  /// Forgets what was measured, not what was captured.
  void restart(uint64_t startNs);

  const std::vector<std::unique_ptr<RecordStats>> *rowsOf(SiteIndex site) const;
  const std::map<uint32_t, Timeline> &timelines() const { return Devices; }
  const RecordCounts &counts() const { return Counts; }
  NodeLines &graphs() { return Graphs; }
  uint64_t startNs() const { return StartNs; }
  /// Copies between host and device by site: time that they ran.
  SiteIndex longestCopySite() const;

private:
  static constexpr size_t MostPauses = 256;

  RecordStats &rowFor(SiteIndex site, uint64_t function, const DeviceRecord &record);
  void addRecord(SiteIndex site, uint64_t function, const DeviceRecord &record,
                 uint64_t correlation);
  Timeline &timeline(uint32_t device);
  void addToTimeline(const DeviceRecord &record);
  bool isPausedAt(uint64_t ns) const;

  KernelNamer Namer;
  NodeLines Graphs;
  TickScale Scale;
  uint8_t Epoch = 0;
  uint64_t StartNs;
  std::unordered_map<SiteIndex, std::vector<std::unique_ptr<RecordStats>>> Sites;
  std::map<uint32_t, Timeline> Devices;
  /// Of the host alone: what each device that is yet to come starts from.
  Timeline Hosts;
  std::deque<Pause> Pauses; ///< the last ones
  RecordCounts Counts;
  size_t Rows = 0;
};

} // namespace gpuinstr::timing

#endif
