// What readings of a device add up to, and how often it is read.
// SPDX-License-Identifier: Apache-2.0
#include "time/telemetry/PowerMeter.h"
#include "base/ProcessState.h"
#include "time/telemetry/Telemetry.h"
#include <gtest/gtest.h>

namespace gpuinstr::timing {

namespace {

constexpr uint64_t PowerCap = 4, Idle = 1;

/// `seconds` since the first reading, whose energy is 5 kJ.
PowerReading readingAt(double seconds, uint32_t mw, uint32_t mhz = 1980, uint64_t reasons = 0) {
  PowerReading reading;
  reading.ns = processStartNs() + 500000000 + uint64_t(seconds * 1e9);
  reading.energyMj = 5000000 + uint64_t(seconds * 300000);
  reading.powerMw = mw;
  reading.busyPercent = mhz == 1980 ? 100 : 50;
  reading.smMhz = mhz;
  reading.clockReasons = reasons;
  return reading;
}

} // namespace

TEST(PowerMeter, OneReadingSaysNothing) {
  PowerMeter meter;
  EXPECT_EQ(meter.figures(0).readings, 0u);
  meter.add(readingAt(0, 300000));
  EXPECT_EQ(meter.figures(0).readings, 0u);
}

TEST(PowerMeter, EnergyIsADifferenceAndPowerOfMoments) {
  PowerMeter meter;
  meter.add(readingAt(0, 200000));
  meter.add(readingAt(1, 650000, 1755, PowerCap));
  meter.add(readingAt(2, 350000, 1980, Idle));
  profile::Power p = meter.figures(3);
  EXPECT_EQ(p.device, 3);
  EXPECT_EQ(p.readings, 3u);
  EXPECT_EQ(p.from_ns, 500000000u);
  EXPECT_EQ(p.covered_ns, 2000000000u);
  EXPECT_EQ(p.energy_mj, 600000u);
  EXPECT_EQ(p.average_mw, 400000u);
  EXPECT_EQ(p.peak_mw, 650000u);
  EXPECT_NEAR(p.utilisation_percent, 83.3, 0.1);
  EXPECT_EQ(p.sm_mhz, 1905u);
  EXPECT_EQ(p.sm_mhz_min, 1755u);
  EXPECT_EQ(p.sm_mhz_max, 1980u);
  ASSERT_EQ(p.held_back.size(), 1u) << "an idle device is not held back";
  EXPECT_EQ(p.held_back[0].reason, profile::ClockReason::PowerCap);
  EXPECT_EQ(p.held_back[0].readings, 1u);
}

TEST(PowerMeter, BelowASecondEnergyAlone) {
  PowerMeter meter;
  meter.add(readingAt(0, 300000, 1755, PowerCap));
  meter.add(readingAt(0.5, 300000, 1755, PowerCap));
  profile::Power p = meter.figures(0);
  EXPECT_EQ(p.energy_mj, 150000u);
  EXPECT_EQ(p.average_mw, 0u);
  EXPECT_EQ(p.peak_mw, 0u);
  EXPECT_EQ(p.sm_mhz, 0u);
  EXPECT_TRUE(p.held_back.empty());
}

TEST(PowerMeter, ACounterThatIsMissingOrFellBackIsNoEnergy) {
  PowerMeter meter;
  PowerReading first = readingAt(0, 300000), last = readingAt(2, 300000);
  first.energyMj = 0;
  meter.add(first);
  meter.add(last);
  EXPECT_EQ(meter.figures(0).energy_mj, 0u);
  PowerMeter reloaded; // the driver was loaded anew
  first.energyMj = last.energyMj + 1;
  reloaded.add(first);
  reloaded.add(last);
  EXPECT_EQ(reloaded.figures(0).energy_mj, 0u);
  EXPECT_EQ(reloaded.figures(0).average_mw, 300000u);
}

TEST(PowerMeter, AfterAResetTheLastReadingIsTheFirst) {
  PowerMeter meter;
  meter.add(readingAt(0, 900000));
  meter.add(readingAt(4, 200000));
  meter.restart();
  EXPECT_EQ(meter.figures(0).readings, 0u);
  meter.add(readingAt(6, 300000));
  EXPECT_EQ(meter.figures(0).covered_ns, 2000000000u);
  EXPECT_EQ(meter.figures(0).peak_mw, 300000u);
}

TEST(Telemetry, ShortRunsDoNotLoadTheLibrary) {
  constexpr uint64_t Ms = 1000000;
  EXPECT_EQ(firstReadingNs(2), 800 * Ms) << "4 ms at the end are half a per cent";
  EXPECT_EQ(firstReadingNs(1), 1600 * Ms);
  EXPECT_EQ(firstReadingNs(100), 100 * Ms) << "the driver has to be up";
}

TEST(Telemetry, FourReadingsASecondWithinAQuarterOfTheBudget) {
  constexpr uint64_t Ms = 1000000, Second = 1000 * Ms;
  EXPECT_EQ(telemetryPauseNs(Second / 10, Ms, Ms, 2), 100 * Ms) << "cheap";
  EXPECT_EQ(telemetryPauseNs(Second, Ms, Ms, 2), 250 * Ms) << "cheap, not early";
  // 20 ms of readings: a quarter of 2 % earns them in 4 s, of which 1 s is given.
  uint64_t pause = telemetryPauseNs(Second / 10, 20 * Ms, 0, 2);
  EXPECT_GT(pause, 2 * Second);
  EXPECT_LT(pause, 4 * Second);
  EXPECT_EQ(telemetryPauseNs(Second, 20 * Ms, 0, 100), 250 * Ms) << "nobody minds";
  for (uint64_t run = Second, spent = 20 * Ms; run < 100 * Second; spent += 5 * Ms) {
    run += telemetryPauseNs(run, spent, 5 * Ms, 2);
    EXPECT_LE(double(spent), 0.005 * double(run) + 5e6);
  }
}

} // namespace gpuinstr::timing
