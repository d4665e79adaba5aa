// Kernels whose threads wait, without a stack for each: one function that runs a thread in steps.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_STEPS_CONTINUATIONSPLIT_H
#define GPUINSTR_PLUGIN_SIMULATE_STEPS_CONTINUATIONSPLIT_H

#include "simulate/lower/Lowering.h"

namespace gpuinstr {

/// A kernel cut where its threads wait. Each call of Step runs a thread from there (at first: from
/// the start) to where it waits next, or to its end. Threads need no stacks of their own: what they
/// know beyond a cut lies in their frames. Who waits for whom is left to the executor, as it is for
/// fibers.
struct Steps {
  /// void (thread, frame for values alone, frame, gpuinstr_sim_steps *, parameters); both frames
  /// are the same, and parameters by value are pointers. Null where the kernel cannot be cut.
  llvm::Function *Step = nullptr;
  uint64_t FrameBytes = 0;
  unsigned Flags = 0; ///< of the kernel
};

/// Where a step ends.
enum class CutKind { None, Barrier, Warp, Look, Other };

/// Other: an operation that waits for others in ways that steps do not know.
CutKind cutKind(const llvm::CallInst &Call);

/// Kernel's closure must have no OpenCalls.
Steps makeSteps(llvm::Function &Kernel, Lowering &Low);

/// Cuts F, which has Step's type, and sets the rest of Made. False leaves F in pieces, to be
/// erased.
bool cutFunction(llvm::Function &F, Steps &Made);

} // namespace gpuinstr

#endif
