// Parses the command line and runs the command that it names.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMMANDLINE_COMMANDLINE_H
#define GPUINSTR_CLI_COMMANDLINE_COMMANDLINE_H

#include "commandline/Command.h"

namespace gpuinstr::cli {

/// The whole program: parses, runs one command of the table, and returns the exit code.
int runCommandLine(const std::vector<CommandRow> &table, const std::vector<std::string> &arguments);

} // namespace gpuinstr::cli

#endif
