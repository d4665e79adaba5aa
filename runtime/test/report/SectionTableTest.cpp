// The table of the report's sections.
// SPDX-License-Identifier: Apache-2.0
#include "report/SectionTable.h"
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace gpuinstr::report {

TEST(SectionTable, NoDataNoLine) {
  const std::set<std::string> withoutData{"header", "result", "next", "summary"};
  profile::Profile nothing;
  for (bool verbose : {false, true}) {
    ReportStyle style;
    style.verbose = verbose;
    View view(nothing, style);
    Report report(view);
    std::set<std::string> names;
    for (const Section &section : sections()) {
      EXPECT_TRUE(names.insert(section.name).second) << section.name << " twice";
      Contents contents = section.make(report);
      bool lines = section.fit == Fit::Whole ? !contents.head.empty() : !contents.rows.empty();
      EXPECT_EQ(lines, withoutData.count(section.name) > 0) << section.name;
      EXPECT_TRUE(contents.note.empty()) << section.name;
    }
  }
}

} // namespace gpuinstr::report
