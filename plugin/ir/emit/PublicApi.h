// Fills the empty functions of gpuinstr.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_PUBLICAPI_H
#define GPUINSTR_PLUGIN_IR_EMIT_PUBLICAPI_H

#include "llvm/IR/Module.h"

namespace gpuinstr {

/// Replaces the body of each static inline function of gpuinstr.h by a call through the image's
/// function table. True when there was one.
bool fillPublicApi(llvm::Module &M);

} // namespace gpuinstr

#endif
