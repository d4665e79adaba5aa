// The plugin's options, each as -fplugin-arg-gpuinstr-<name>[=value]; -fpass-plugin takes none.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_ENTRY_PLUGINOPTIONS_H
#define GPUINSTR_PLUGIN_ENTRY_PLUGINOPTIONS_H

#include "ir/RewriteOptions.h"
#include <string>
#include <vector>

namespace gpuinstr {

/// Filled by parsePluginArgs from the table in PluginOptions.def.
struct PluginOptions : RewriteOptions {
  bool Help = false;
  bool Simulate = false;    ///< embed device code for the simulated device
  std::string SimulateArch; ///< "sm_90"; "" is the newest of the compile
  bool DumpAst = false;     ///< debugging aid: what the AST knows of each call
};

/// Returns "" or one line that names the unknown, malformed or contradictory option.
std::string parsePluginArgs(const std::vector<std::string> &Args, PluginOptions &Out);
std::string pluginHelp();

} // namespace gpuinstr

#endif
