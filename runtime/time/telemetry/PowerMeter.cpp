// What the readings of one device add up to.
// SPDX-License-Identifier: Apache-2.0
#include "time/telemetry/PowerMeter.h"
#include "base/ProcessState.h"
#include <algorithm>

namespace gpuinstr::timing {

using profile::ClockReason;

/// By bit of clockReasons. Bit 0 says that the device had nothing to do: no reason to name.
static constexpr ClockReason ReasonOfBit[] = {
    ClockReason::Unknown,   ClockReason::Applications, ClockReason::PowerCap,
    ClockReason::Hardware,  ClockReason::SyncBoost,    ClockReason::Temperature,
    ClockReason::Overheats, ClockReason::PowerBrake,   ClockReason::Display};

void PowerMeter::add(const PowerReading &reading) {
  if (!Readings++)
    First = reading;
  Last = reading;
  if (reading.powerMw) {
    ++PowerReadings;
    PowerSumMw += reading.powerMw;
    PeakMw = std::max<uint64_t>(PeakMw, reading.powerMw);
  }
  if (reading.busyPercent >= 0) {
    ++BusyReadings;
    BusySum += static_cast<uint64_t>(reading.busyPercent);
  }
  if (reading.smMhz) {
    MhzMin = ClockReadings++ ? std::min<uint64_t>(MhzMin, reading.smMhz) : reading.smMhz;
    MhzMax = std::max<uint64_t>(MhzMax, reading.smMhz);
    MhzSum += reading.smMhz;
  }
  for (unsigned bit = 1; bit < Reasons; ++bit)
    HeldBack[bit] += reading.clockReasons >> bit & 1;
}

void PowerMeter::restart() {
  PowerReading last = Last;
  bool any = Readings != 0;
  *this = {};
  if (any)
    add(last);
}

profile::Power PowerMeter::figures(int device) const {
  profile::Power p;
  p.device = device;
  uint64_t covered = Last.ns > First.ns ? Last.ns - First.ns : 0;
  if (Readings < 2 || !covered)
    return p;
  p.readings = Readings;
  p.from_ns = First.ns > processStartNs() ? First.ns - processStartNs() : 0;
  p.covered_ns = covered;
  if (First.energyMj && Last.energyMj > First.energyMj)
    p.energy_mj = Last.energyMj - First.energyMj;
  if (covered < profile::ShortestPowerNs)
    return p; // a handful of moments says nothing of a run
  if (PowerReadings) {
    p.average_mw = PowerSumMw / PowerReadings;
    p.peak_mw = PeakMw;
  }
  if (BusyReadings)
    p.utilisation_percent = double(BusySum) / double(BusyReadings);
  if (ClockReadings) {
    p.sm_mhz = MhzSum / ClockReadings;
    p.sm_mhz_min = MhzMin;
    p.sm_mhz_max = MhzMax;
  }
  for (unsigned bit = 1; bit < Reasons; ++bit)
    if (HeldBack[bit])
      p.held_back.push_back({ReasonOfBit[bit], HeldBack[bit]});
  std::stable_sort(p.held_back.begin(), p.held_back.end(),
                   [](auto &a, auto &b) { return a.readings > b.readings; });
  return p;
}

} // namespace gpuinstr::timing
