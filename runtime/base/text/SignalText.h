// A signal's name.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_TEXT_SIGNALTEXT_H
#define GPUINSTR_BASE_TEXT_SIGNALTEXT_H

#include <cstring>
#include <string>

namespace gpuinstr {

/// "SIGTERM"; "signal 40" where it has no name.
inline std::string signalText(int signal) {
  const char *name = ::sigabbrev_np(signal);
  return name ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

} // namespace gpuinstr

#endif
