// How the options want the report to look.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_OUTPUT_REPORTLOOK_H
#define GPUINSTR_PROCESS_OUTPUT_REPORTLOOK_H

#include "options/Options.h"
#include "report/TextReport.h"

namespace gpuinstr {

/// On a file descriptor: color=auto asks report::wantsColor.
report::ReportStyle detectStyle(int fd, const options::Options &options);

} // namespace gpuinstr

#endif
