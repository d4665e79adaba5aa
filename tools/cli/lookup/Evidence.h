// What the findings of a profile rest on.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LOOKUP_EVIDENCE_H
#define GPUINSTR_CLI_LOOKUP_EVIDENCE_H

#include "profile/Profile.h"
#include <string>
#include <string_view>

namespace gpuinstr::cli {

/// The profile's findings of one kind (`id`, as "noop-copy"): each with the comparisons that were
/// made and the kernels that had the address. A line that says so where there are none.
std::string evidence(const profile::Profile &profile, std::string_view id);

} // namespace gpuinstr::cli

#endif
