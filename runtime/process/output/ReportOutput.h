// Where reports go.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_OUTPUT_REPORTOUTPUT_H
#define GPUINSTR_PROCESS_OUTPUT_REPORTOUTPUT_H

#include "profile/Profile.h"
#include <string>

namespace gpuinstr {

/// Applies the suppressions, then writes JSON and text to where the options say. Of several ranks
/// only 0 prints.
void writeReports(profile::Profile &profile);

/// The JSON alone, as in the middle of a run; suppressions are applied. The path, "" on failure.
std::string writeJson(profile::Profile &profile);

} // namespace gpuinstr

#endif
