// The table of the program's own ranges.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "report/TextReport.h"

namespace gpuinstr::report {

using profile::Profile;
using test::expectFits;
using test::lineWith;

/// 2314 ms in all.
static Profile withPhases() {
  Profile p = test::trainProfile();
  p.sites[3].device.method = profile::TimeMethod::Sampled;
  p.phases = {{"epoch", 4, 2000000000, 4, 500000000, 400000000, true, 620000000, true},
              {"step", 400, 1200000000, 80, 900000000, 1500000000, true, 0, true}};
  return p;
}

TEST(Phases, NoRangesNoTable) {
  EXPECT_EQ(lineWith(render(test::trainProfile(), {}), "PHASES"), "");
}

TEST(Phases, WhatHostAndDeviceDidInEach) {
  Profile p = withPhases();
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_NE(lineWith(text, "PHASES"), "") << text;
  EXPECT_NE(
      text.find("\n Time (%) Total Time Instances     Avg Your code CUDA calls  GPU work  GPU "
                "idle  Range\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\n     86.4        2 s         4   500ms    75.0 %     25.0 %   ~20.0 %  "
                      ">=31.0 %  epoch\n"),
            std::string::npos)
      << text;
  // Four fifths were not looked at; its work goes on behind it.
  EXPECT_NE(text.find("\n     51.9     1.20 s       400     3ms   ~25.0 %    ~75.0 %  ~125.0 %   "
                      ">=0.0 %  step\n"),
            std::string::npos)
      << text;
}

TEST(Phases, WhatIsNotKnownIsNotZero) {
  Profile p = withPhases();
  p.phases.resize(1);
  p.phases[0].device_known = p.phases[0].idle_known = false;
  std::string text = render(p, {});
  EXPECT_NE(text.find("25.0 %         -         -  epoch\n"), std::string::npos) << text;
}

TEST(Phases, LongNamesAreShortened) {
  Profile p = withPhases();
  p.phases[0].name = std::string(90, 'n') + "\n";
  expectFits(render(p, {}));
}

} // namespace gpuinstr::report
