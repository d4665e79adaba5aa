// Where the program of this process lies.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SYSTEM_EXECUTABLE_H
#define GPUINSTR_BASE_SYSTEM_EXECUTABLE_H

#include <climits>
#include <string>
#include <unistd.h>

namespace gpuinstr {

/// Empty where /proc cannot be read.
inline std::string executable() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, size_t(n)) : std::string();
}

} // namespace gpuinstr

#endif
