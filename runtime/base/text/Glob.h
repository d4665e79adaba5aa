// Globs on names and files.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_GLOB_H
#define GPUINSTR_BASE_TEXT_GLOB_H

#include <string_view>

namespace gpuinstr {

/// `*` matches any text (also "/" and "::"), `?` one byte; everything else itself: [ and ] are
/// common in C++ names. Time is at most |pattern| * |text|.
bool globMatch(std::string_view pattern, std::string_view text);

/// globMatch on the path, or on what follows any of its slashes: src/a.cu matches /home/x/src/a.cu.
bool globMatchFile(std::string_view pattern, std::string_view path);

/// option only=: whether a site in this function and file is to be timed and reported.
inline bool onlyMatches(std::string_view only, std::string_view function, std::string_view file) {
  return only.empty() || globMatch(only, function) || globMatchFile(only, file);
}

} // namespace gpuinstr

#endif
