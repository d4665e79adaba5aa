// What host code does in its calls, as far as that matters to one who waits for the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_WAITS_HOSTCALLS_H
#define GPUINSTR_PLUGIN_IR_WAITS_HOSTCALLS_H

#include "api/CudaApi.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace gpuinstr {

/// Of C's library, all but what waits for others or tells the time; and streams for text.
bool isHarmless(const llvm::Function &F, const llvm::TargetLibraryInfo &Library);
bool asksForError(const ApiMatch &Api);
bool isWait(const ApiMatch &Api);
/// The runtime looks past it, too: it neither waits for the device's work nor tells of it.
bool isPlainAllocation(const ApiMatch &Api);
/// Calls at which the runtime sees that another one than a copy came next.
bool isSeenByAudit(const ApiMatch &Api);
/// A vendor library's call that puts kernels behind those that are there.
bool isWork(const ApiMatch &Api, llvm::StringRef Name);
/// It takes numbers and gives one, and its name says which: how many blocks there are, `iDivUp`.
bool computesNumber(const llvm::Function &F);
/// A function that tells the time, or measures, by its name alone.
bool isOfTime(llvm::StringRef Name);
/// The compiler's own ways to a clock.
bool readsClock(const llvm::IntrinsicInst &Call);
/// Through the table of functions that the object begins with.
bool isVirtual(const llvm::CallBase &Call);
/// What copies and releases a std::shared_ptr.
bool countsReferences(const llvm::Function &F);
/// A method of std::shared_ptr's base, of whatever it leads to.
bool isSharedPointer(const llvm::Function &F);
/// ... of numbers, or an array of them.
bool sharesNumbers(const llvm::Function &F);
/// By use_count(), which a thread may wait for.
bool readsCounts(const llvm::Module &M);

} // namespace gpuinstr

#endif
