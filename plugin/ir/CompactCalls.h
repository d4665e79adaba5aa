// The short form of enter, leave and callers, for modules of many sites.
// SPDX-License-Identifier: Apache-2.0
//
// What CallWrapper puts around a call takes ten times the instructions of the call, and each passes
// through some hundred passes. Here the call goes to an internal function that holds them, one for
// each entry point, and takes the site's number as a further argument: a call more at run time,
// next to nothing when compiling. The frame lies on the stack during that call alone: so functions
// that call themselves, whose every call would have one, take this form in any module.
#ifndef GPUINSTR_PLUGIN_IR_COMPACTCALLS_H
#define GPUINSTR_PLUGIN_IR_COMPACTCALLS_H

#include "ir/SitePlanner.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include <tuple>

namespace gpuinstr {

/// Marks the functions whose calls take this form: all where there are so many sites that compile
/// time counts for more than a call at run time, else those that recursions are made of. False:
/// none.
bool chooseCompactCalls(llvm::Module &M, llvm::MutableArrayRef<PlannedFunction> Planned,
                        unsigned FewestSites);

/// The functions that hold what calls share, made when first needed.
class CompactCalls {
public:
  /// Callers: how many a frame has, but for wrappers' frames.
  CompactCalls(llvm::Module &M, unsigned Callers) : M(M), Depth(Callers) {}

  /// Of a call of a known entry point, of CUDA's own wrapper of one or of a stub that many call,
  /// which returns; not in coroutines. Such calls throw nothing: no frame in a thunk is left open.
  static bool takes(const PlannedCall &Call);

  /// The sites that rewrite names by number, by index.
  llvm::BitVector numbered(llvm::ArrayRef<PlannedFunction> Planned, std::size_t NumSites) const;

  /// Rewrites what it can of a function's calls and removes it from the plan. Recorded: how many
  /// callers its frames have.
  void rewrite(PlannedFunction &Planned, unsigned Recorded, uint64_t OwnHash,
               const DescriptorEmitter &Sites);

  /// Makes the functions that hold what calls share internal. Behind most passes: several look at
  /// each call of an internal function, and find nothing in these.
  void hideFunctions();

private:
  /// How a function's callers reach the thunks.
  enum class Callers : uint8_t {
    None,  ///< it has inner sites only
    Hash,  ///< read by the thunk: without calls that are announced nobody has changed them
    Array, ///< read at entry
  };
  /// What rewrite does with a function.
  struct Share {
    bool Any = false;       ///< calls that are announced at least
    bool Calls = false;     ///< calls of entry points as well
    bool Announces = false; ///< has calls that are announced
    bool takes(const PlannedCall &Call) const;
  };
  Share shareOf(const PlannedFunction &Planned) const;
  llvm::Value *siteOf(llvm::Value *Number, llvm::IRBuilderBase &B) const;
  void unpackFirst(llvm::Function &F) const;
  llvm::Function *make(llvm::FunctionType *Type, const llvm::Twine &Name);
  llvm::Function *thunk(const PlannedCall &Call, Callers From);
  std::string nameOf(llvm::StringRef Helper) const;
  llvm::Function *helper(llvm::StringRef Name, llvm::ArrayRef<llvm::Type *> Types);
  llvm::Function *reader();
  llvm::Function *announcer();
  llvm::Function *restorer();
  llvm::Value *arrayOf(llvm::Function &F, uint64_t OwnHash);
  /// Next: a call that is announced as well, null where there is none.
  void announce(llvm::CallBase &Call, llvm::Constant *Number, llvm::Value *Array,
                const llvm::CallBase *Next);

  llvm::Module &M;
  unsigned Depth;                        ///< of the function that is being rewritten
  llvm::GlobalVariable *Sites = nullptr; ///< the array of them
  llvm::GlobalVariable *Packed = nullptr;
  llvm::DenseMap<std::tuple<llvm::Function *, unsigned, unsigned>, llvm::Function *> Thunks;
  std::vector<llvm::WeakVH> Made; ///< all functions
};

} // namespace gpuinstr

#endif
