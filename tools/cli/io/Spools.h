// What dead processes left: the files of option spool=DIR.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_SPOOLS_H
#define GPUINSTR_CLI_IO_SPOOLS_H

#include "profile/Profile.h"
#include <cstdint>
#include <string>

namespace gpuinstr::cli {

struct LastState {
  profile::Profile profile; ///< `ended` is "killed": nobody was there to see how
  std::string json, report; ///< where the process itself would have written them; "" nowhere
  uint64_t takenNs = 0;     ///< on the monotonic clock
  uint64_t startTicks = 0;  ///< of the process
};

/// `content` of `file`, whatever it is. Throws Failure where it holds no state.
LastState lastStateOf(const std::string &content, const std::string &file);

/// The newest one that a dead process left in the folder of spool=auto. Throws Failure.
std::string newestSpool();

} // namespace gpuinstr::cli

#endif
