// The environment that `gpuinstr run` gives a program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_RUNENVIRONMENT_H
#define GPUINSTR_CLI_LAUNCH_RUNENVIRONMENT_H

#include "launch/Compare.h"
#include <string>
#include <vector>

namespace gpuinstr::cli {

/// What the command line of `run` said; "" and 0: not said.
struct RunOptions {
  bool simulate = false, attach = false, verbose = false;
  unsigned top = 0;
  std::string json, trace, report, failOn, suppressions, only, runtime;
  std::vector<std::string> settings; ///< --set key=value, as given
  bool comparing = false;
  std::string compare; ///< the same program, compiled plainly; "": this one, switched off
  unsigned pairs = 31;
};

/// `before`: GPUINSTR_OPTIONS as it was; what the command line says comes behind it and so wins.
/// Throws Failure for what the runtime would not accept.
std::string optionsText(const RunOptions &options, const std::string &before);

/// Whether findings, or that there can be none, must fail the run.
bool mustWatch(const RunOptions &options);

/// Variables to set. Throws Failure when a part of gpuinstr that is needed is missing.
Environment environmentOf(const RunOptions &options);

} // namespace gpuinstr::cli

#endif
