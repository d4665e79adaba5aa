// Lowers device code for the host: the thread as hidden argument, intrinsics, shared memory, waits.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_LOWER_LOWERING_H
#define GPUINSTR_PLUGIN_SIMULATE_LOWER_LOWERING_H

#include "simulate/compile/Retarget.h"
#include "simulate/library/DeviceNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"

namespace gpuinstr {

/// A static __shared__ variable and its place in the block's shared memory.
struct SharedVariable {
  std::string Name;
  llvm::GlobalVariable *Cell = nullptr; ///< holds the offset in relocatable code, else null
  uint64_t Offset = 0;                  ///< else
  uint64_t Bytes = 0;
  unsigned Align = 1;
};

/// Facts of a function's own body, without its callees.
struct FunctionFacts {
  std::string Refused; ///< first thing that the simulator cannot do, "" none
  bool Waits = false;
  bool OpenCalls = false;
  llvm::SmallPtrSet<llvm::Function *, 8> Callees;
  llvm::SmallSetVector<unsigned, 4> Shared; ///< indices into Lowering::shared()
};

/// Works on a retargeted module. Afterwards every device function has the thread before its own
/// parameters and a name that starts with SimPrefix.
class Lowering {
public:
  Lowering(llvm::Module &M, const DeviceFacts &Facts, bool Relocatable,
           const llvm::StringSet<> &Library);
  void run();

  const FunctionFacts &facts(llvm::Function *F) { return All[F]; }
  /// The facts of F and all that it calls.
  FunctionFacts withCallees(llvm::Function *F);
  llvm::ArrayRef<SharedVariable> shared() const { return Shared; }
  uint64_t sharedBytes() const { return SharedSize; }

private:
  void prefixNames();
  void addThreads();
  void addThread(llvm::Function &F);
  void passThreads(llvm::Function &F);
  void placeShared();
  void replaceShared(llvm::GlobalVariable &G, int Index);
  void saturateConversions(llvm::Function &F);
  void lowerCalls(llvm::Function &F);
  void lowerCall(llvm::CallInst &Call);
  void lowerNamed(llvm::CallInst &Call, llvm::StringRef Name, llvm::StringRef Shown);
  void lowerAsm(llvm::CallInst &Call);
  bool foldReflect(llvm::CallInst &Call);
  void callLibrary(llvm::CallInst &Call, llvm::StringRef Name, bool Numbered);
  void refuse(llvm::CallInst &Call, const llvm::Twine &What);
  void addWaits(llvm::Function &F);
  void noteCalls(llvm::Function &F);
  bool isOwn(const llvm::Function &F) const;

  llvm::Module &M;
  const DeviceFacts &Device;
  const bool Relocatable;
  const llvm::StringSet<> &Library;
  llvm::Type *Ptr;
  llvm::DenseMap<llvm::Function *, FunctionFacts> All;
  llvm::SmallVector<SharedVariable, 8> Shared;
  uint64_t SharedSize = 0;
  unsigned Sites = 0;
};

} // namespace gpuinstr

#endif
