// Calls of CUDA by object files of an instrumented image that were not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_UNSEENCALLS_H
#define GPUINSTR_CALLS_SITES_UNSEENCALLS_H

#include "gpuinstr/abi.h"
#include <link.h>
#include <string>
#include <vector>

namespace gpuinstr {

/// Functions of CUDA's, but for harmless ones, that code of the image outside [code, end) calls or
/// takes the address of, by name, each once. Found by reading the machine code: references to the
/// image's stubs and table entries of imported functions, and to a runtime that is linked in, as
/// long as the file at `path` has its symbols. Reads all of the code: tens of megabytes take some
/// ten milliseconds.
std::vector<std::string> unseenCalls(const dl_phdr_info &image, const char *path,
                                     const gpuinstr_code *code, const gpuinstr_code *end);

} // namespace gpuinstr

#endif
