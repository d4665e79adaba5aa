// Shell completion and the man page, both made from the help texts.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMMANDLINE_COMPLETION_H
#define GPUINSTR_CLI_COMMANDLINE_COMPLETION_H

#include "commandline/Help.h"
#include <string>

namespace gpuinstr::cli {

/// `shell`: bash, zsh or fish.
std::string completionScript(const ProgramHelp &program, const std::string &shell);

/// In roff.
std::string manPage(const ProgramHelp &program);

} // namespace gpuinstr::cli

#endif
