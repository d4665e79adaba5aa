// A run that has to be watched: the program is a child, and what came of it is looked at.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_SUPERVISE_H
#define GPUINSTR_CLI_LAUNCH_SUPERVISE_H

#include "launch/Compare.h"
#include <string>
#include <vector>

namespace gpuinstr::cli {

/// Whether a file was compiled with the plugin, or may start what was: a script.
using CarriesSites = bool (*)(const std::string &path);

/// Runs the program to its end. Signals that are sent to this process go on to it, and a signal
/// that ends it ends this process as well. Where nothing was watched one line says why; with
/// `mustWatch` the exit code is then 2, unless the program's own is an error already.
int superviseRun(const RunWay &way, bool mustWatch, CarriesSites carriesSites);

/// Whether a program carries CUDA's runtime inside, so that the simulator cannot stand in for it.
bool hasStaticCudart(const std::string &path);

} // namespace gpuinstr::cli

#endif
