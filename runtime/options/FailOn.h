// Which findings make the program's exit code `exitcode`.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_OPTIONS_FAILON_H
#define GPUINSTR_OPTIONS_FAILON_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::options {

/// A name of fail_on without `:likely`.
std::string_view failOnId(std::string_view name);

/// True when a finding of the profile is proven, not suppressed, and named by `failOn` (option
/// fail_on): by id, as bugs or waste, or by proven. `id:likely` names likely ones as well.
bool mustFail(const profile::Profile &profile, const std::vector<std::string> &failOn);

} // namespace gpuinstr::options

#endif
