// Tells the runtime of the NVTX ranges that the program opens and closes itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_NVTXRANGES_H
#define GPUINSTR_PLUGIN_IR_EMIT_NVTXRANGES_H

#include "llvm/IR/Module.h"

namespace gpuinstr {

/// Calls of NVTX's range functions (NvtxApi.def) go through an internal function that makes the
/// call and then the image's function table's. True when there was one.
bool hookNvtxRanges(llvm::Module &M);

} // namespace gpuinstr

#endif
