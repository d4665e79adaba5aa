// Profiles read from files.
// SPDX-License-Identifier: Apache-2.0
#include "io/Profiles.h"
#include "base/system/SpoolFile.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "io/Spools.h"
#include "profile/Json.h"
#include <algorithm>
#include <filesystem>

namespace gpuinstr::cli {

namespace fs = std::filesystem;

profile::Profile loadProfile(const std::string &file) {
  profile::Profile profile;
  std::string error, text = readText(file);
  if (isSpool(text))
    return lastStateOf(text, file).profile;
  if (!profile::fromJson(text, profile, error))
    throw Failure(file + ": no profile: " + error);
  return profile;
}

bool naturalLess(std::string_view a, std::string_view b) {
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  auto number = [&](std::string_view &text) {
    std::size_t n = 0;
    while (n < text.size() && digit(text[n]))
      ++n;
    std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  std::string_view x = a, y = b;
  while (!x.empty() && !y.empty()) {
    if (digit(x[0]) && digit(y[0])) {
      std::string_view m = number(x), n = number(y);
      if (m != n)
        return m.size() != n.size() ? m.size() < n.size() : m < n;
    } else if (x[0] != y[0]) {
      return x[0] < y[0];
    } else {
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  return x.size() != y.size() ? x.size() < y.size() : a < b;
}

std::vector<std::string> profileFiles(const std::vector<std::string> &given) {
  std::vector<std::string> files;
  for (const std::string &name : given) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    std::size_t before = files.size();
    for (const fs::directory_entry &entry : fs::directory_iterator(name, error))
      if (entry.path().filename().string().find(".json") != std::string::npos)
        files.push_back(entry.path().string());
    if (error)
      throw Failure(name + ": " + error.message());
    if (files.size() == before)
      throw Failure(name + ": no *.json in this folder");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end(), naturalLess);
  }
  return files;
}

} // namespace gpuinstr::cli
