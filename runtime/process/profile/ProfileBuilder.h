// From counters, ledger and findings to the profile.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_PROFILE_PROFILEBUILDER_H
#define GPUINSTR_PROCESS_PROFILE_PROFILEBUILDER_H

#include "base/Part.h"
#include "profile/Profile.h"

namespace gpuinstr {

/// A snapshot. With Ending::Exit, what is left in the ledger becomes leaks.
profile::Profile buildProfile(Ending ending, const std::string &how, int exitCode);

} // namespace gpuinstr

#endif
