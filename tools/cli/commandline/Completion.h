// Shell completion and the man page, both made from the help texts.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMPLETION_H
#define GPUINSTR_CLI_COMPLETION_H

#include <string>

namespace CLI {
class App;
}

namespace gpuinstr::cli {

/// `shell`: bash, zsh or fish.
std::string completionScript(const CLI::App &app, const std::string &shell);

/// In roff.
std::string manPage(const CLI::App &app);

} // namespace gpuinstr::cli

#endif
