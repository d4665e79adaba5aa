// What the command line asks of the rewriting of host modules.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_REWRITEOPTIONS_H
#define GPUINSTR_PLUGIN_IR_REWRITEOPTIONS_H

#include <string>
#include <vector>

namespace gpuinstr {

/// entry/PluginOptions.def describes each field.
struct RewriteOptions {
  bool Off = false;
  bool ListSites = false;
  std::string ListSitesFile;                 ///< "" is stdout
  std::vector<std::string> Include, Exclude; ///< globs on file or qualified function
  std::vector<std::string> Wrapper;          ///< globs on qualified functions
  std::string Defaults;                      ///< runtime options built into the program
  std::string Runtime;   ///< path of libgpuinstr_rt.so built in; "" is the folder of the plugin
  unsigned Callers = 1;  ///< depth of caller descriptors, 0..GPUINSTR_MAX_CALLERS
  unsigned Compact = 64; ///< beyond it the common form makes a file compile noticeably longer
};

} // namespace gpuinstr

#endif
