// Splits a kernel where its threads wait, so that none needs a stack of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_STEPS_CONTINUATIONSPLIT_H
#define GPUINSTR_PLUGIN_SIMULATE_STEPS_CONTINUATIONSPLIT_H

#include "simulate/lower/Lowering.h"

namespace gpuinstr {

/// A kernel split at its suspend points: barriers, warp operations, polls of memory. Each call of
/// Step runs one thread from its last suspend point (at first: from the start) to the next, or to
/// the end. Values that live across a suspend point lie in the thread's frame. The executor decides
/// which thread resumes when, as it does for fibers.
struct ContinuationSplit {
  /// void (thread, frame for values alone, frame, gpuinstr_sim_steps *, parameters); both frames
  /// are the same, and parameters by value are pointers. Null where the kernel cannot be split.
  llvm::Function *Step = nullptr;
  uint64_t FrameBytes = 0;
  unsigned Flags = 0; ///< of the kernel
};

/// What a thread waits for at a call. Poll: memory that another thread may write. Other: an
/// operation that cannot be a suspend point.
enum class SuspendKind { None, Barrier, Warp, Poll, Other };

SuspendKind suspendKind(const llvm::CallInst &Call);

/// Neither Kernel nor what it calls may have OpenCalls.
ContinuationSplit splitKernel(llvm::Function &Kernel, Lowering &Low);

/// Splits F, which has Step's type, and sets the rest of Made. False leaves F broken, to be erased.
bool splitFunction(llvm::Function &F, ContinuationSplit &Made);

} // namespace gpuinstr

#endif
