// Calls of CUDA by object files of an instrumented image that were not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_UNSEENCALLS_H
#define GPUINSTR_CALLS_SITES_UNSEENCALLS_H

#include "gpuinstr/abi.h"
#include <link.h>
#include <string>
#include <vector>

namespace gpuinstr {

/// What is known of the code that was compiled with the plugin.
struct SeenCode {
  const gpuinstr_code *begin, *end;
  const std::vector<std::string> &addressesTaken; ///< what its data refer to
};

/// Functions of CUDA's, but for harmless ones, that other code of the image calls or takes the
/// address of, by name, each once. Found by reading the machine code: references to the image's
/// stubs and table entries of imported functions, and to libraries that are linked in, as long as
/// the file at `path` has its symbols. Reads all of the code: 0.3 to 1 ms a megabyte.
std::vector<std::string> unseenCalls(const dl_phdr_info &image, const char *path,
                                     const SeenCode &seen);

} // namespace gpuinstr

#endif
