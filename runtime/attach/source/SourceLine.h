// Reads a source line and the variable that it names.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_SOURCE_SOURCELINE_H
#define GPUINSTR_ATTACH_SOURCE_SOURCELINE_H

#include <cstdint>
#include <string>

namespace gpuinstr::attach {

/// Line `line` of a text file, "" not readable.
std::string lineOfFile(const std::string &file, uint32_t line);
/// What the result is put into: x_gpu of `x_gpu = cp.asarray(x)`; of C and C++, the first argument.
std::string variableIn(const std::string &source, bool python);
/// What the line assigns to, "" nothing: lost of `CUdeviceptr lost = hold(4096);`.
std::string assignedIn(const std::string &source);

} // namespace gpuinstr::attach

#endif
