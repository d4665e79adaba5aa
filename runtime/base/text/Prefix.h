// Beginnings of C strings.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_PREFIX_H
#define GPUINSTR_BASE_TEXT_PREFIX_H

#include <cstring>

namespace gpuinstr {

/// Most differ in the first letter, which then costs no call.
inline bool startsWith(const char *text, const char *start) {
  return !*start || (*text == *start && std::strncmp(text, start, std::strlen(start)) == 0);
}

} // namespace gpuinstr

#endif
