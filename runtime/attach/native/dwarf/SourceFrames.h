// Source lines of an address, with the functions that were inlined there.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_NATIVE_DWARF_SOURCEFRAMES_H
#define GPUINSTR_ATTACH_NATIVE_DWARF_SOURCEFRAMES_H

#include "attach/native/dwarf/DebugModule.h"

namespace gpuinstr::attach {

/// `offset` is from the module's base. From the innermost inlined function to the outermost, which
/// the stack knows; empty: nothing is known. Compressed or separate debug information is not read.
/// A module is looked through once; of its units' tables the last ones are kept.
std::vector<SourceFrame> framesAt(const std::string &module, uint64_t offset);

} // namespace gpuinstr::attach

#endif
