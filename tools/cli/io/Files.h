// Profiles and other files, read and written whole.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_FILES_H
#define GPUINSTR_CLI_FILES_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

/// The whole file, "-" is the standard input. Throws Failure.
std::string readText(const std::string &file);

/// Writes to a file beside it and renames, so that a reader never meets half a file; "-" and ""
/// are the standard output. Throws Failure.
void writeText(const std::string &file, std::string_view text);

/// A profile of docs/profile.schema.json. Throws Failure with the file's name.
profile::Profile loadProfile(const std::string &file);

/// Folders are replaced by their *.json files; rank.2 comes before rank.10. Throws Failure.
std::vector<std::string> profileFiles(const std::vector<std::string> &given);

/// Numbers inside count as numbers: "a9" < "a10".
bool naturalLess(std::string_view a, std::string_view b);

/// All of them as one: a single one as it is, several merged. Throws Failure.
profile::Profile loadAll(const std::vector<std::string> &given);

/// "412 of 10000" over and over on one line of a terminal; silent elsewhere.
class Progress {
public:
  Progress(std::string what, std::size_t total);
  ~Progress();
  void at(std::size_t done);

private:
  std::string What;
  std::size_t Total, Shown = 0;
  bool On;
};

} // namespace gpuinstr::cli

#endif
