// Puts enter and leave around calls, and caller descriptors before them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_EMIT_CALLWRAPPER_H
#define GPUINSTR_PLUGIN_IR_EMIT_CALLWRAPPER_H

#include "api/CudaApi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <array>

namespace gpuinstr {

/// Rewrites one function. The frame and the reads at the entry are made when first needed.
class CallWrapper {
public:
  /// Depth: how many callers a frame of F records and passes on. OwnHash: the hash of F, null
  /// where nobody asks. Anything: a site address that may be read where there is no caller.
  CallWrapper(llvm::Function &F, unsigned Depth, llvm::Value *OwnHash, llvm::Constant *Anything)
      : F(F), Depth(Depth), OwnHash(OwnHash), Anything(Anything) {}
  CallWrapper(llvm::Function &F, unsigned Depth, uint64_t OwnHash, llvm::Constant *Anything);

  /// What enter and leave are given.
  struct Passed {
    const ApiEntry *Entry = nullptr; ///< null: no operand slots
    llvm::Constant *Func = nullptr;  ///< overrides the FUNC operand
    bool Result = false;
    bool Pointers = false; ///< all that are arguments: a vendor library's
    uint64_t OnlyRead = 0; ///< bits: arguments among them that lead to what is only read
  };
  /// enter before, leave after.
  void wrap(llvm::CallBase &Call, llvm::Value *Site, const Passed &What);
  /// For a call that nothing can follow.
  void count(llvm::CallBase &Call, llvm::Constant *Site);
  /// Announces Call to the function it calls; the thread's previous callers come back after it.
  void announce(llvm::CallBase &Call, llvm::Constant *Site);
  /// table.before_exit(code) before _exit and the like.
  void beforeExit(llvm::CallBase &Call);

  /// Stores the callers read at the entry into an array, and behind them the one that is taken.
  void saveCallers(llvm::Value *Array);
  /// Takes them from such an array instead of reading them.
  void takeCallersFrom(llvm::Value *Array) { Saved = Array; }
  /// Reads them behind Last, of the entry block, instead of at its start.
  void readCallersBehind(llvm::Instruction &Last) { Behind = &Last; }
  /// The two halves of announce: what stands before a call and after it.
  void passOn(llvm::Instruction &Before, llvm::Value *Site, bool Restores = true);
  void restore(llvm::Instruction &Before);

  /// Where code that must run after Call returned normally goes.
  static llvm::Instruction *afterCall(llvm::CallBase &Call);
  /// Of Call, or of no line; Call may be null.
  static llvm::DebugLoc locationOf(const llvm::Function &F, const llvm::CallBase *Call);

  /// Slots that wrap fills for Call.
  static uint32_t slotsOf(const llvm::CallBase &Call, const ApiEntry &Entry);
  /// Of a vendor library's call, in place of an entry's or beside them.
  static constexpr uint32_t PointerSlots = 1u << GPUINSTR_SLOT_ARGS | 1u << GPUINSTR_SLOT_PARAMS;
  /// What the call is given is not hidden in structs.
  static bool hasPlainPointers(const llvm::CallBase &Call);
  /// A call that wrap cannot follow up.
  static bool isFinal(const llvm::CallBase &Call);

private:
  llvm::Value *frame();
  void readCallers();
  llvm::Value *fieldOf(llvm::IRBuilder<> &B, llvm::Value *Base, uint64_t Offset);
  llvm::Value *callersArray(llvm::IRBuilder<> &B);
  void callTable(llvm::IRBuilder<> &B, uint64_t Offset, llvm::ArrayRef<llvm::Value *> Args);
  void storeOperands(llvm::IRBuilder<> &B, llvm::CallBase &Call, const ApiEntry &Entry,
                     llvm::Constant *Func);
  void storePointers(llvm::IRBuilder<> &B, llvm::CallBase &Call, uint64_t OnlyRead);
  void storeSlot(llvm::IRBuilder<> &B, unsigned Slot, llvm::Value *V);
  void storeDim3(llvm::IRBuilder<> &B, llvm::CallBase &Call, unsigned Slot, OperandPlace Place);

  llvm::Function &F;
  unsigned Depth;
  llvm::Value *OwnHash;
  llvm::Constant *Anything;
  llvm::Instruction *Behind = nullptr;
  llvm::Value *Saved = nullptr; ///< the array that has the callers; null: the thread's
  llvm::Value *Frame = nullptr;
  llvm::AllocaInst *Pointers = nullptr; ///< of vendor libraries' calls: as many as any of them has
  bool CallersRead = false;
  std::array<llvm::Value *, 5> Incoming{}; ///< the thread's callers at entry, as they were
  llvm::Value *Taken = nullptr;            ///< the nearest, null unless meant for F
};

} // namespace gpuinstr

#endif
