// Source files of a profile, found below a folder.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LOOKUP_SOURCEFILES_H
#define GPUINSTR_CLI_LOOKUP_SOURCEFILES_H

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gpuinstr::cli {

class Sources {
public:
  /// `folder` "": the working folder. Throws Failure where it is none.
  explicit Sources(const std::string &folder);

  /// The file that a profile calls `name`: below the folder with as much of its path as fits. ""
  /// not found.
  std::string find(const std::string &name) const;

  /// Its lines, the first at index 0; empty when it was not found. Kept for the next time.
  const std::vector<std::string> &lines(const std::string &name);

private:
  bool isBelow(const std::filesystem::path &file) const;

  std::string Folder;
  std::map<std::string, std::vector<std::string>> Known;
};

} // namespace gpuinstr::cli

#endif
