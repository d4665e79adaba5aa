// Where the functions of a CUDA runtime lie that is linked into the program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_LATE_RUNTIMEFUNCTIONS_H
#define GPUINSTR_PLUGIN_IR_LATE_RUNTIMEFUNCTIONS_H

#include "llvm/IR/Module.h"

namespace gpuinstr {

/// gpuinstr_module::runtime_functions; null where nobody calls listRuntimeFunctions later.
llvm::Constant *runtimeFunctions(llvm::Module &M, bool IsFinal);
unsigned numRuntimeFunctions();

/// Has the linker fill in the list, one in an image, where the module refers to CUDA's runtime.
/// Behind all passes that drop references.
void listRuntimeFunctions(llvm::Module &M);

} // namespace gpuinstr

#endif
