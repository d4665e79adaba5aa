// Calls of CUDA by object files of an instrumented image that were not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CODE_UNSEENCALLS_H
#define GPUINSTR_CALLS_CODE_UNSEENCALLS_H

#include "calls/code/LinkedRuntime.h"
#include <link.h>
#include <set>
#include <string>
#include <vector>

namespace gpuinstr {

/// What is known of the code that was compiled with the plugin.
struct SeenCode {
  const std::set<CodeList> &lists;
  const std::vector<std::string> &addressesTaken; ///< what its data refer to
  const std::set<RuntimeList> &runtimes;
};

/// Stands for functions that may do anything: those that nothing names,
constexpr const char *UnlistedFunction = "functions of CUDA's runtime that are not known";
/// and those of a runtime that may be linked in, of which nothing tells where it lies.
constexpr const char *UntoldFunctions =
    "functions that cannot be told (stripped, with CUDA's runtime linked in)";

/// Functions of CUDA's, but for harmless ones, that other code of the image calls or takes the
/// address of, by name, each once. Found by reading the machine code: references to the image's
/// stubs and table entries of imported functions, and to libraries that are linked in, as far as
/// the symbols of the file at `path` tell where, or the lists of LinkedRuntime. Reads all of the
/// code: 0.3 to 1 ms a megabyte.
std::vector<std::string> unseenCalls(const dl_phdr_info &image, const char *path,
                                     const SeenCode &seen);

} // namespace gpuinstr

#endif
