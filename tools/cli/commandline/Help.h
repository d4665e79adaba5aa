// Commands and options as their help describes them, for completion and the man page.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMMANDLINE_HELP_H
#define GPUINSTR_CLI_COMMANDLINE_HELP_H

#include <string>
#include <vector>

namespace gpuinstr::cli {

struct OptionHelp {
  std::vector<std::string> shortNames, longNames; ///< without their dashes; both empty: a word
  std::string heading;                            ///< "-o,--output FILE"
  std::string description;
  bool isHelp = false; ///< the option --help itself
};

struct CommandHelp {
  std::string name, description;
  std::vector<OptionHelp> options;
};

struct ProgramHelp {
  std::vector<OptionHelp> options; ///< those that stand before a command
  std::vector<CommandHelp> commands;
};

} // namespace gpuinstr::cli

#endif
