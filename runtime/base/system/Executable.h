// Where the program of this process lies.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SYSTEM_EXECUTABLE_H
#define GPUINSTR_BASE_SYSTEM_EXECUTABLE_H

#include <climits>
#include <string>
#include <unistd.h>

namespace gpuinstr {

/// "exe" or "cmdline": by this thread, since /proc/self tells neither once the main one has left by
/// pthread_exit. Linux has that from 3.17 on.
inline std::string processFile(const std::string &name) {
  const std::string ofThread = "/proc/thread-self/" + name;
  return access(ofThread.c_str(), F_OK) == 0 ? ofThread : "/proc/self/" + name;
}

/// Empty where /proc cannot be read.
inline std::string executable() {
  char path[PATH_MAX];
  const ssize_t n = readlink(processFile("exe").c_str(), path, sizeof path);
  return n > 0 ? std::string(path, size_t(n)) : std::string();
}

} // namespace gpuinstr

#endif
