// What the readings of one device add up to.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_TELEMETRY_POWERMETER_H
#define GPUINSTR_TIME_TELEMETRY_POWERMETER_H

#include "profile/Profile.h"
#include "time/telemetry/Nvml.h"

namespace gpuinstr::timing {

/// Constant size, however long the run is. Not shared between threads: its owner locks.
class PowerMeter {
public:
  void add(const PowerReading &reading);
  /// Forgets all but the last reading, where the next interval begins.
  void restart();
  /// Nothing is known before the second reading: then `readings` is 0.
  profile::Power figures(int device) const;

private:
  static constexpr unsigned Reasons = 9; ///< bits of clockReasons that have a name

  PowerReading First, Last;
  uint64_t Readings = 0;
  uint64_t PowerReadings = 0, PowerSumMw = 0, PeakMw = 0;
  uint64_t BusyReadings = 0, BusySum = 0;
  uint64_t ClockReadings = 0, MhzSum = 0, MhzMin = 0, MhzMax = 0;
  uint64_t HeldBack[Reasons] = {};
};

} // namespace gpuinstr::timing

#endif
