// Globs on names and files.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Glob.h"

namespace gpuinstr {

bool globMatch(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  // Where to go on after a mismatch: one more byte for the last star. An earlier star never has to
  // take more, since the last one can.
  std::size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

bool globMatchFile(std::string_view pattern, std::string_view path) {
  if (globMatch(pattern, path))
    return true;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] == '/' && globMatch(pattern, path.substr(i + 1)))
      return true;
  return false;
}

} // namespace gpuinstr
