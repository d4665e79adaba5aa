// Runs a program and tells its last state where it could not report itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_WATCH_H
#define GPUINSTR_CLI_LAUNCH_WATCH_H

#include "launch/Compare.h"
#include "launch/Watching.h"
#include <string>
#include <vector>

namespace gpuinstr::cli {

/// A folder for the spools of one run, made where files are as fast as memory: "" nowhere.
std::string makeSpoolFolder();

/// Runs `command` (its path first) in an environment; passes on what it is sent, and ends as the
/// program does: by the same signal, or with its exit code.
[[noreturn]] void watchProgram(const std::string &path, const std::vector<std::string> &command,
                               const Environment &environment, const Watching &watching);

} // namespace gpuinstr::cli

#endif
