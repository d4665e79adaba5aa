// Every section of the text report, in its order: the one table that TextReport.cpp lays out.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_REPORT_SECTIONTABLE_H
#define GPUINSTR_REPORT_SECTIONTABLE_H

#include "report/Sections.h"

namespace gpuinstr::report {

/// What sections are made from.
struct Report {
  explicit Report(const View &view);

  const View &view;
  Found found;
  bool quiet; ///< nothing found and nothing asked for: no tables
};

/// What a section has to show.
struct Contents {
  Lines head;
  std::vector<Group> rows; ///< as many as there is room for
  Lines note;              ///< below the rows; stays where the section does
};

/// What a section does when the report's lines do not suffice: Layout.cpp.
enum class Fit {
  Whole,    ///< shown whole
  Proven,   ///< a line of each finding in any case
  Findings, ///< then what there is room for
  Table,    ///< shares what is left with the other tables
};

struct Section {
  const char *name;
  bool (*shown)(const Report &report);
  Contents (*make)(const Report &report);
  Fit fit;
};

/// First to last.
const std::vector<Section> &sections();

} // namespace gpuinstr::report

#endif
