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

/// What a section does when the report's lines do not suffice.
enum class Fit {
  Whole,    ///< shown whole; counted before the others
  Findings, ///< the heading stays, so that it is known that there are some
  Proven,   ///< ... and the first line of each, though the tables lose their room for it
  Table,    ///< goes when there is no room for a row
};

struct Section {
  const char *name;
  bool (*shown)(const Report &report);
  Contents (*make)(const Report &report);
  Fit fit;
  std::size_t kept; ///< lines left to it by the sections above, its note apart
};

/// First to last.
const std::vector<Section> &sections();

} // namespace gpuinstr::report

#endif
