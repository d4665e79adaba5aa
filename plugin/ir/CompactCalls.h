// The short form of enter, leave and callers, for modules of many sites.
// SPDX-License-Identifier: Apache-2.0
//
// What CallWrapper puts around a call takes ten times the instructions of the call, and each passes
// through some hundred passes. Here the call goes to an internal function that holds them, one for
// each entry point, and takes the site as a further argument: a call more at run time, next to
// nothing when compiling.
#ifndef GPUINSTR_PLUGIN_IR_COMPACTCALLS_H
#define GPUINSTR_PLUGIN_IR_COMPACTCALLS_H

#include "ir/SitePlanner.h"
#include "llvm/ADT/DenseMap.h"
#include <tuple>

namespace gpuinstr {

/// Whether there are so many sites that compile time counts for more than a call at run time.
bool wantsCompactCalls(llvm::ArrayRef<PlannedFunction> Planned, unsigned FewestSites);

/// The functions that hold what calls share, made when first needed.
class CompactCalls {
public:
  CompactCalls(llvm::Module &M, llvm::Constant *Anything) : M(M), Anything(Anything) {}

  /// Of a call of a known entry point, or of CUDA's own wrapper of one, which returns; not in
  /// coroutines. Such calls throw nothing: no frame in a thunk is left open.
  static bool takes(const PlannedCall &Call);

  /// Rewrites what it can of a function's calls and removes it from the plan. Recorded: how many
  /// callers its frames have.
  void rewrite(PlannedFunction &Planned, unsigned Recorded, uint64_t OwnHash,
               const DescriptorEmitter &Sites);

private:
  /// How a function's callers reach the thunks.
  enum class Callers : uint8_t {
    None,  ///< it has inner sites only
    Hash,  ///< read by the thunk: without calls that are announced nobody has changed them
    Array, ///< read at entry
  };
  llvm::Function *thunk(const PlannedCall &Call, Callers From);
  std::string nameOf(llvm::StringRef Helper) const;
  llvm::Function *helper(llvm::StringRef Name, llvm::ArrayRef<llvm::Type *> Types);
  llvm::Function *reader();
  llvm::Function *announcer();
  llvm::Function *restorer();
  llvm::Value *arrayOf(llvm::Function &F, uint64_t OwnHash);
  void announce(llvm::CallBase &Call, llvm::Constant *Site, llvm::Value *Array);

  llvm::Module &M;
  unsigned Depth = 0; ///< of the function that is being rewritten
  llvm::Constant *Anything;
  llvm::DenseMap<std::tuple<llvm::Function *, unsigned, unsigned>, llvm::Function *> Thunks;
};

} // namespace gpuinstr

#endif
