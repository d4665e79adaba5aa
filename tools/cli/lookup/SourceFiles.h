// Source files of a profile, found below a folder.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LOOKUP_SOURCEFILES_H
#define GPUINSTR_CLI_LOOKUP_SOURCEFILES_H

#include <map>
#include <string>
#include <vector>

namespace gpuinstr::cli {

class Sources {
public:
  /// `folder` "": names are taken as they stand, from the working folder.
  explicit Sources(std::string folder) : Folder(std::move(folder)) {}

  /// The file that a profile calls `name`: below the folder with as much of its path as fits, or as
  /// it stands. "" not found.
  std::string find(const std::string &name) const;

  /// Its lines, the first at index 0; empty when it was not found. Kept for the next time.
  const std::vector<std::string> &lines(const std::string &name);

private:
  std::string Folder;
  std::map<std::string, std::vector<std::string>> Known;
};

} // namespace gpuinstr::cli

#endif
