// Translates inline PTX of device code to LLVM instructions for the host.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_SIMULATE_PTX_INLINEPTX_H
#define GPUINSTR_PLUGIN_SIMULATE_PTX_INLINEPTX_H

#include "ptx/PtxText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace gpuinstr {

/// eq to geu, num and nan. BAD_FCMP_PREDICATE for any other.
llvm::CmpInst::Predicate floatComparison(llvm::StringRef How);

/// Translates one piece of inline PTX, in front of its call. PTX's registers are SSA values here,
/// its carry flag too: there is no control flow but guards of instructions without side effects.
class PtxTranslator {
public:
  PtxTranslator(llvm::CallInst &Asm, const llvm::StringSet<> &Library, unsigned &Sites);
  /// Replaces the call. False leaves it, with problem() telling the statement that is not listed.
  bool run();
  llvm::StringRef problem() const { return Problem; }
  bool waits() const { return Waits; }

private:
  void bindOperands();
  bool translate(const PtxStatement &S);
  bool move(const PtxStatement &S);
  bool arithmetic(const PtxStatement &S);
  bool multiply(const PtxStatement &S);
  bool multiplyFloats(const PtxStatement &S, llvm::Type *T);
  bool narrowArithmetic(const PtxStatement &S);
  bool narrowAtomic(const PtxStatement &S, llvm::Value *At, llvm::StringRef Operand,
                    llvm::Value *&Old);
  bool compareFloats(const PtxStatement &S);
  bool convertFloats(const PtxStatement &S);
  bool compare(const PtxStatement &S);
  bool select(const PtxStatement &S);
  bool convert(const PtxStatement &S);
  llvm::Value *saturated(llvm::Value *V, bool FromSigned, llvm::Type *To, bool Signed);
  bool shift(const PtxStatement &S);
  bool fence(const PtxStatement &S);
  bool load(const PtxStatement &S);
  bool store(const PtxStatement &S);
  bool atomic(const PtxStatement &S, bool Returns);
  bool collective(const PtxStatement &S);
  bool warp(const PtxStatement &S);
  bool mbarrier(const PtxStatement &S);
  bool copyAsync(const PtxStatement &S);
  bool writePair(const PtxStatement &S, llvm::StringRef Callee,
                 llvm::ArrayRef<llvm::Value *> Arguments);
  bool byLibrary(const PtxStatement &S);

  /// Null for a type that is none of the integers and floats.
  llvm::Type *typeOf(llvm::StringRef Name);
  llvm::Value *read(llvm::StringRef Operand, llvm::Type *T);
  llvm::Value *readParts(llvm::StringRef Operands, llvm::Type *T);
  llvm::Value *readNamed(llvm::StringRef Operand);
  llvm::Value *special(llvm::StringRef Name);
  bool write(llvm::StringRef Operand, llvm::Value *V);
  bool writeParts(llvm::StringRef Operands, llvm::Value *V, llvm::Type *T, bool Signed = false);
  llvm::Value *as(llvm::Value *V, llvm::Type *T, bool Signed = false);
  using Lanes = llvm::SmallVector<llvm::Value *, 2>;
  Lanes readLanes(llvm::StringRef Operand, unsigned Bits, bool Pair);
  bool writeLanes(llvm::StringRef Operand, const Lanes &L, unsigned Bits);
  Lanes convertedFrom(const PtxStatement &S, llvm::StringRef From);
  /// Of the format's bits, as a double.
  llvm::Value *narrowValue(llvm::Value *V, unsigned Format);
  llvm::Value *rounded(llvm::Value *V, unsigned Format, unsigned How);
  /// The flat address of a 32-bit one in shared memory.
  llvm::Value *ofShared(llvm::Value *Low);
  llvm::Value *reserved();
  llvm::Value *address(const PtxStatement &S, llvm::StringRef Operand);
  bool hint(const PtxStatement &S);
  bool isInSpace(const PtxStatement &S);
  llvm::Value *loadWhole(const PtxStatement &S, llvm::Value *From, unsigned Bits);
  void storeWhole(const PtxStatement &S, llvm::Value *V, llvm::Value *To);
  llvm::Value *add(llvm::Value *A, llvm::Value *B, llvm::Value *CarryIn, bool SetCarry);
  llvm::Value *subtract(llvm::Value *A, llvm::Value *B, bool Borrows, bool SetCarry);
  llvm::Value *carryIn(const PtxStatement &S);
  llvm::Value *extreme(llvm::Value *A, llvm::Value *B, bool Least);
  llvm::Value *call(llvm::StringRef Name, llvm::Type *Returned,
                    llvm::ArrayRef<llvm::Value *> Arguments);

  llvm::CallInst &Asm;
  const llvm::StringSet<> &Library;
  unsigned &Sites;
  llvm::IRBuilder<> B;
  llvm::StringMap<llvm::Value *> Registers;
  unsigned Outputs = 0;
  llvm::Value *Carry = nullptr; ///< i1, set by .cc
  llvm::Value *Guard = nullptr; ///< i1 of the statement at hand
  bool Waits = false;
  std::string Problem;
};

} // namespace gpuinstr

#endif
