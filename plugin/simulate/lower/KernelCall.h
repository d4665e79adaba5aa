// A call of a lowered kernel for one thread.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_LOWER_KERNELCALL_H
#define GPUINSTR_PLUGIN_SIMULATE_LOWER_KERNELCALL_H

#include "llvm/IR/IRBuilder.h"

namespace gpuinstr {

/// Calls the kernel for one thread, to be inlined. Parameters by value are copied by each call.
void callKernel(llvm::IRBuilder<> &B, llvm::Function &Kernel, llvm::Value *Thread,
                llvm::ArrayRef<llvm::Value *> Values);

} // namespace gpuinstr

#endif
