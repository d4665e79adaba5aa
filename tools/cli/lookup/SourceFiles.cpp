// Source files of a profile, found below a folder.
// SPDX-License-Identifier: Apache-2.0
#include "lookup/SourceFiles.h"
#include "io/Failure.h"
#include "io/Files.h"
#include <algorithm>

namespace gpuinstr::cli {

namespace fs = std::filesystem;

Sources::Sources(const std::string &folder) : Folder(folder.empty() ? "." : folder) {
  if (!fs::is_directory(Folder))
    throw Failure("--source " + folder + ": no such folder");
}

/// Wherever symbolic links and `..` lead.
bool Sources::isBelow(const fs::path &file) const {
  std::error_code error;
  fs::path real = fs::canonical(file, error), folder = fs::canonical(Folder, error);
  if (error)
    return false;
  return std::mismatch(folder.begin(), folder.end(), real.begin(), real.end()).first ==
         folder.end();
}

std::string Sources::find(const std::string &name) const {
  std::error_code error;
  if (name.empty())
    return "";
  // /build/job7/src/a.cu is src/a.cu here. A profile may come from anywhere and name any file: only
  // what lies below the folder is read.
  fs::path rest = fs::path(name).relative_path();
  while (!rest.empty()) {
    fs::path candidate = fs::path(Folder) / rest;
    if (fs::is_regular_file(candidate, error) && isBelow(candidate))
      return candidate.string();
    fs::path shorter;
    for (auto part = std::next(rest.begin()); part != rest.end(); ++part)
      shorter /= *part;
    rest = shorter;
  }
  return "";
}

const std::vector<std::string> &Sources::lines(const std::string &name) {
  auto [at, fresh] = Known.emplace(name, std::vector<std::string>());
  std::string path = fresh ? find(name) : "";
  if (path.empty())
    return at->second;
  std::string text;
  try {
    text = readText(path);
  } catch (const Failure &) {
    return at->second; // not readable is not found
  }
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t length = end - begin;
    at->second.push_back(text.substr(begin, length && text[end - 1] == '\r' ? length - 1 : length));
    begin = end + 1;
  }
  return at->second;
}

} // namespace gpuinstr::cli
