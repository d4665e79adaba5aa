// Kernels that wait only at barriers of the whole block: one function that runs a thread in steps.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_STEPS_H
#define GPUINSTR_PLUGIN_SIMULATE_STEPS_H

#include "Lowering.h"

namespace gpuinstr {

/// A kernel cut at its barriers. Each call of Step runs a thread from the barrier that it waits at
/// (at first: from the start) to the next one, or to its end. Threads need no stacks of their own:
/// what they know beyond a barrier lies in their frames. No matter which threads come to which
/// barrier how often, a step of all threads that have not ended is what fibers would do, too.
struct Steps {
  /// void (thread, frame, gpuinstr_sim_steps *, parameters); those by value as pointers. Null where
  /// the kernel cannot be cut.
  llvm::Function *Step = nullptr;
  uint64_t FrameBytes = 0;
};

/// Kernel's closure must have Barriers, and neither Waits nor OpenCalls.
Steps makeSteps(llvm::Function &Kernel, Lowering &Low);

/// Cuts F, of Step's type, at calls of block barriers. False leaves F in pieces, to be erased.
bool cutAtBarriers(llvm::Function &F, uint64_t &FrameBytes);

/// Calls of isBlockBarrier in F.
llvm::SmallVector<llvm::CallInst *, 8> blockBarriers(llvm::Function &F);

} // namespace gpuinstr

#endif
