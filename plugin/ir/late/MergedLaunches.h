// Makes one enter and one leave of the two that stand around a kernel's launch.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_LATE_MERGEDLAUNCHES_H
#define GPUINSTR_PLUGIN_IR_LATE_MERGEDLAUNCHES_H

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace gpuinstr {

/// Asks the optimiser to inline the stub of a launch, and with nvcc the kernel's host function that
/// does nothing but call it. Not where it shall not inline, or code shall be small.
void inlineStub(llvm::CallBase &Launch);

/// Where the optimiser has inlined a launch's stub, the user's frame and the stub's open and close
/// together but for what CUDA's own helpers do: gpuinstr_table's enter_launch and leave_launch do
/// both. True: something was changed. Behind all passes that inline.
bool mergeLaunches(llvm::Module &M);

} // namespace gpuinstr

#endif
