// The text report at exit: one string for one write.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_REPORT_TEXTREPORT_H
#define GPUINSTR_REPORT_TEXTREPORT_H

#include "profile/Profile.h"
#include <string>

namespace gpuinstr::report {

/// Order of the table of calls; largest first, but for names.
enum class SortBy { Time, Calls, Average, Bytes, Name };

struct ReportStyle {
  bool color = false;
  unsigned columns = 100;    ///< widest line
  unsigned maxLines = 40;    ///< without verbose and top
  bool verbose = false;      ///< everything, no limit of lines
  unsigned top = 0;          ///< rows of each table, 0: as many as fit in maxLines
  std::string jsonPattern;   ///< as given to json=: names the other ranks' files; "" none
  std::string jsonPath;      ///< the file that this process wrote; "" none
  std::string reportPattern; ///< as given to report= when it is a path; "" none

  SortBy sort = SortBy::Time;
};

/// The report, with a newline at the end; "" when the profile made no CUDA call. Names are made
/// safe to print (control and invalid bytes escaped).
std::string render(const profile::Profile &profile, const ReportStyle &style);

/// Whether a file descriptor is for colours: a terminal, no NO_COLOR, TERM not dumb.
bool wantsColor(int fd);

} // namespace gpuinstr::report

#endif
