// The line of energy, power and clocks.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "report/TextReport.h"
#include <regex>

namespace gpuinstr::report {

using profile::ClockReason;
using profile::Power;
using profile::Profile;
using test::expectFits;
using test::lineWith;

static Profile profileWith(std::vector<Power> power) {
  Profile p = test::trainProfile();
  p.power = std::move(power);
  return p;
}

static std::string oneLine(const Profile &profile) {
  std::string text = render(profile, {});
  expectFits(text);
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

static Power longRun() {
  Power p;
  p.covered_ns = 3750000000;
  p.readings = 16;
  p.energy_mj = 1234567;
  p.average_mw = 329218;
  p.peak_mw = 655000;
  p.utilisation_percent = 86.6;
  p.sm_mhz = 1871;
  p.sm_mhz_min = 1200;
  p.sm_mhz_max = 1980;
  p.held_back = {{ClockReason::PowerCap, 6}, {ClockReason::Temperature, 1}};
  return p;
}

TEST(PowerLine, NothingKnownNoLine) {
  EXPECT_EQ(lineWith(render(test::trainProfile(), {}), "POWER"), "");
  EXPECT_EQ(lineWith(render(profileWith({{}}), {}), "POWER"), "");
}

TEST(PowerLine, SaysEverythingOfAWholeDevice) {
  std::string text = oneLine(profileWith({longRun()}));
  EXPECT_NE(text.find(" POWER 0 1.23 kJ in 3.75 s; 329 W on average, 655 W at most; utilisation "
                      "87 %; SM clock 1871 MHz (1200 to 1980), held back by power cap in 38 % of "
                      "readings, by temperature in 6 % of readings (whole device) "),
            std::string::npos)
      << text;
}

TEST(PowerLine, ASteadyClockHasNoRange) {
  Power p = longRun();
  p.sm_mhz_min = p.sm_mhz_max = p.sm_mhz = 1980;
  p.held_back.clear();
  std::string text = oneLine(profileWith({p}));
  EXPECT_NE(text.find("SM clock 1980 MHz (whole device)"), std::string::npos) << text;
}

TEST(PowerLine, BelowASecondEnergyAlone) {
  Power p;
  p.covered_ns = 750000000;
  p.readings = 4;
  p.energy_mj = 87541;
  std::string text = oneLine(profileWith({p}));
  EXPECT_NE(text.find(" POWER 0 87.5 J in 750 ms (whole device) "), std::string::npos) << text;
}

TEST(PowerLine, ALineForEachDevice) {
  Power second = longRun();
  second.device = 11;
  std::string text = render(profileWith({longRun(), second}), {});
  EXPECT_NE(lineWith(text, "POWER 0  1.23 kJ"), "") << text;
  EXPECT_NE(lineWith(text, "POWER 11 1.23 kJ"), "") << text;
}

} // namespace gpuinstr::report
