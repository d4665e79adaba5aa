// File and line of an address, from DWARF's line programs (versions 2 to 5).
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_LINEPROGRAM_H
#define GPUINSTR_ATTACH_NATIVE_LINEPROGRAM_H

#include <cstdint>
#include <string>

namespace gpuinstr::attach {

struct SourceLine {
  std::string file;
  uint32_t line = 0; ///< 0 unknown
};

/// `offset` is from the module's base. Compressed or separate debug information is not read.
SourceLine lineAt(const std::string &module, uint64_t offset);

} // namespace gpuinstr::attach

#endif
