// Internal functions that hold one instrumented call: where an entry point's address is taken, and
// in coroutines, whose frames outlive the stack.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_THUNKS_H
#define GPUINSTR_PLUGIN_IR_EMIT_THUNKS_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace gpuinstr {

struct Thunk {
  llvm::Function *F;
  llvm::CallInst *Call; ///< of the function that F stands for
};

/// Same type and attributes as Callee; passes its arguments on and returns the result.
Thunk makeThunk(llvm::Function &Callee, const llvm::Twine &Name);

} // namespace gpuinstr

#endif
