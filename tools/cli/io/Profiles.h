// Profiles read from files.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_PROFILES_H
#define GPUINSTR_CLI_IO_PROFILES_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

/// A profile of docs/profile.schema.json, or the last one in a spool. Throws Failure with the
/// file's name.
profile::Profile loadProfile(const std::string &file);

/// Folders are replaced by their *.json files; rank.2 comes before rank.10. Throws Failure.
std::vector<std::string> profileFiles(const std::vector<std::string> &given);

/// Numbers inside count as numbers: "a9" < "a10".
bool naturalLess(std::string_view a, std::string_view b);

} // namespace gpuinstr::cli

#endif
