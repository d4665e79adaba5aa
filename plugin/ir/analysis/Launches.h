// Finds kernel<<<...>>>(...) in host code.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_LAUNCHES_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_LAUNCHES_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"

namespace gpuinstr {

/// The call or invoke that a __cudaPushCallConfiguration guards: of a stub, of nvcc's host function
/// of the kernel, or through a function pointer. Null where the shape is another.
llvm::CallBase *guardedLaunch(llvm::CallBase &Push);

/// The stub that the function of Call names to __cudaGetKernel, null when it names none: nvcc's
/// launch helper gets a handle where cudaLaunchKernel gets the stub's address.
llvm::Constant *stubOfHandle(const llvm::CallBase &Call);

} // namespace gpuinstr

#endif
