// The plugin's options: -fplugin-arg-gpuinstr-<name>[=value] and -mllvm-free environment of
// -fpass-plugin. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_PLUGINOPTIONS_H
#define GPUINSTR_PLUGIN_PLUGINOPTIONS_H

#include <string>
#include <vector>

namespace gpuinstr {

/// Filled by parsePluginArgs from the table in PluginOptions.def.
struct PluginOptions {
  bool Off = false;
  bool Help = false;
  bool ListSites = false;
  bool Simulate = false;     ///< carry device code for the simulated device
  std::string SimulateArch;  ///< "sm_90"; "" is the newest of the compile
  bool DumpAst = false;      ///< debugging aid: what the AST knows of each call
  std::string ListSitesFile; ///< "" is stdout
  std::vector<std::string>
      Include; ///< globs on file or qualified function: what is timed and reported
  std::vector<std::string> Exclude;
  std::vector<std::string>
      Wrapper;          ///< globs on qualified functions whose sites are charged to the caller
  std::string Defaults; ///< runtime options built into the program
  std::string Runtime;  ///< path of libgpuinstr_rt.so built in; "" is the folder of the plugin
  unsigned Callers = 1; ///< depth of caller descriptors, 0..GPUINSTR_MAX_CALLERS
};

/// Returns "" or one line that names the unknown, malformed or contradictory option.
std::string parsePluginArgs(const std::vector<std::string> &Args, PluginOptions &Out);
std::string pluginHelp();

} // namespace gpuinstr

#endif
