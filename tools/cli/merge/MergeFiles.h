// Profiles read from files and merged.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_MERGE_MERGEFILES_H
#define GPUINSTR_CLI_MERGE_MERGEFILES_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gpuinstr::cli {

/// Reads and merges; two files at a time are parsed beside each other, the result does not depend
/// on it. A file that is no profile throws Failure, or with `skipped` given is one line there.
profile::Profile mergeFiles(const std::vector<std::string> &files,
                            std::vector<std::string> *skipped = nullptr);

/// Files and folders as one profile: a single one as it is, several merged. Throws Failure.
profile::Profile loadAll(const std::vector<std::string> &given);

} // namespace gpuinstr::cli

#endif
