// A baseline: rules that suppress the findings of a profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_EXPORT_BASELINE_H
#define GPUINSTR_CLI_EXPORT_BASELINE_H

#include "profile/Profile.h"
#include <string>

namespace gpuinstr::cli {

/// A suppressions file that covers each finding which could count or is likely: one rule a finding,
/// bounded by today's count. Findings without any name that a rule could match are listed in a
/// comment.
std::string baseline(const profile::Profile &profile);

} // namespace gpuinstr::cli

#endif
