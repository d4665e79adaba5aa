// From counters, ledger and findings to the profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CORE_PROFILEBUILDER_H
#define GPUINSTR_CORE_PROFILEBUILDER_H

#include "core/Lifecycle.h"
#include "profile/Profile.h"

namespace gpuinstr::core {

/// A snapshot. With Ending::Exit, what is left in the ledger becomes leaks.
profile::Profile buildProfile(Ending ending, const std::string &how, int exitCode);

} // namespace gpuinstr::core

#endif
