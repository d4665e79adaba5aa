// Where the parts of gpuinstr lie, seen from this program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_IO_INSTALLEDPARTS_H
#define GPUINSTR_CLI_IO_INSTALLEDPARTS_H

#include <string>

namespace gpuinstr::cli {

/// Folder of this program; "" unknown.
std::string ownFolder();

/// Paths of what was built or installed with this program, "" where it is missing. The libraries
/// lie in ../lib, or where the install rules put them (../lib/x86_64-linux-gnu, ../lib64).
std::string runtimeLibrary();
std::string attachLibrary();
std::string pluginLibrary(); ///< libgpuinstr.so, which names the newest LLVM that was built for
std::string simulatorFolder();

/// The first executable of this name on PATH; "" none. A name with a slash stands for itself.
std::string onPath(const std::string &name);

} // namespace gpuinstr::cli

#endif
