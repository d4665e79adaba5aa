// A way to time device work. There are two: sampled (event pairs) and exact (CUPTI's records).
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_COMMON_DEVICETIMER_H
#define GPUINSTR_TIME_COMMON_DEVICETIMER_H

#include "calls/sites/Sites.h"
#include "findings/Findings.h"
#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gpuinstr::timing {

/// What is known of a site descriptor's operations beside their times.
struct KnownOperations {
  uint64_t sinceTurn = 0; ///< since the last one that was due for timing
  uint64_t failed = 0;    ///< calls; they are among those made
  size_t kernels = 0;     ///< different ones
  uint64_t calls = 0;     ///< that returned ...
  double hostNs = 0;      ///< ... and what they took of the host
};

/// time/DeviceTimes.h chooses one of them and speaks for both.
class DeviceTimer {
public:
  virtual ~DeviceTimer() = default;

  /// From here on calls are timed. Returns why that is not possible, "" if it is.
  virtual std::string start() = 0;
  /// While CUDA is alive: reads what the device has finished.
  virtual void collect() = 0;
  /// For good, while CUDA is alive. What was measured stays.
  virtual void stop() = 0;

  /// Adds the times of one site descriptor. False: this timer was never started.
  virtual bool addTimes(profile::DeviceTime &to, SiteIndex site, const KnownOperations &known) = 0;
  /// Adds each device's share of the wall time to profile.breakdown. `leftOut`: device operations
  /// of sites that the profile does not show.
  virtual void fillShares(profile::Profile &profile, uint64_t leftOut) = 0;
  /// One-time costs that it knows of, and its own beyond those of calls.
  virtual void addCosts(profile::Process &) {}
  virtual std::vector<FindingRecord> findings() { return {}; }
  /// What was left out, for coverage.notes.
  virtual std::vector<std::string> notes() = 0;

  /// Around fork.
  virtual void lock() = 0;
  virtual void unlock() = 0;
  /// In the child: streams, events and records are the parent's.
  virtual void childAfterFork() = 0;
  /// Forgets what was measured.
  virtual void reset() = 0;
};

} // namespace gpuinstr::timing

#endif
