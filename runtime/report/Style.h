// How the options want a report to look.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_REPORT_STYLE_H
#define GPUINSTR_REPORT_STYLE_H

#include "options/Options.h"
#include "report/TextReport.h"

namespace gpuinstr::report {

/// Colours, length and rows of tables, on a file descriptor (-1: in a file). color=auto asks
/// wantsColor.
ReportStyle styleOf(const options::Options &options, int fd);

} // namespace gpuinstr::report

#endif
