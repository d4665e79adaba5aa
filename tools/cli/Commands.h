// The program gpuinstr: one table of its commands.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMMANDS_H
#define GPUINSTR_CLI_COMMANDS_H

#include <string>
#include <vector>

namespace gpuinstr::cli {

/// Runs the command that the arguments name, and returns the exit code.
int runCommandLine(const std::vector<std::string> &arguments);

} // namespace gpuinstr::cli

#endif
