// What of each section is shown when a report's lines do not suffice.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_REPORT_LAYOUT_H
#define GPUINSTR_REPORT_LAYOUT_H

#include "report/SectionTable.h"

namespace gpuinstr::report {

/// All lines of the report, in the order of the sections.
Lines layOut(const View &view);

} // namespace gpuinstr::report

#endif
