// Which functions may lie on the stack many times at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_FLOW_RECURSION_H
#define GPUINSTR_PLUGIN_IR_FLOW_RECURSION_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Module.h"

namespace gpuinstr {

/// Those that call themselves, through others of the module too, and whatever they call: it may be
/// inlined into them. Calls through pointers are not followed.
llvm::DenseSet<const llvm::Function *> functionsOfRecursions(const llvm::Module &M);

} // namespace gpuinstr

#endif
