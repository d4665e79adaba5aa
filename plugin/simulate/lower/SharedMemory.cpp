// Places __shared__ variables in the block's shared memory.
// SPDX-License-Identifier: Apache-2.0
#include "gpuinstr/simulated_kernel.h"
#include "simulate/lower/Lowering.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned SharedSpace = 3;

/// The pointer at Offset in the thread's structure, loaded at the function's start.
Value *pointerOfThread(Function &F, unsigned Offset) {
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  Value *Field = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), F.getArg(0), Offset);
  return B.CreateLoad(PointerType::getUnqual(F.getContext()), Field);
}

} // namespace

void Lowering::placeShared() {
  SmallVector<GlobalVariable *, 8> Variables;
  for (GlobalVariable &G : M.globals()) {
    StringRef Name = G.getName();
    auto Known = Name.consume_front(SimPrefix) ? Device.Space.find(Name) : Device.Space.end();
    if ((Known != Device.Space.end() && Known->second == SharedSpace) ||
        G.getName() == ReservedShared)
      Variables.push_back(&G);
  }
  for (GlobalVariable *G : Variables) {
    const uint64_t Bytes = M.getDataLayout().getTypeAllocSize(G->getValueType());
    const Align Alignment = G->getAlign().value_or(Align(16));
    if (G->isDeclaration() || !Bytes) { // extern __shared__ T x[]
      replaceShared(*G, -1);
      continue;
    }
    SharedVariable V;
    V.Name = G->getName().drop_front(SimPrefix.size()).str();
    V.Bytes = Bytes;
    V.Align = Alignment.value();
    if (Relocatable) {
      Type *Word = Type::getInt64Ty(M.getContext());
      V.Cell = new GlobalVariable(M, Word, false, G->getLinkage(), Constant::getNullValue(Word),
                                  SimPrefix + "offset_" + V.Name);
      V.Cell->copyAttributesFrom(G);
      V.Cell->setAlignment(Align(8));
      if (G->hasComdat())
        V.Cell->setComdat(M.getOrInsertComdat(V.Cell->getName()));
    } else {
      V.Offset = alignTo(SharedSize, Alignment);
      SharedSize = V.Offset + Bytes;
    }
    Shared.push_back(V);
    replaceShared(*G, static_cast<int>(Shared.size()) - 1);
  }
}

/// Index -1: dynamic shared memory.
void Lowering::replaceShared(GlobalVariable &G, int Index) {
  convertUsersOfConstantsToInstructions({&G});
  MapVector<Function *, SmallVector<Use *, 4>> Uses;
  for (Use &U : G.uses())
    if (auto *I = dyn_cast<Instruction>(U.getUser()))
      Uses[I->getFunction()].push_back(&U);
  for (auto &[F, Where] : Uses) {
    Value *Address = nullptr;
    if (Index < 0) {
      Address = pointerOfThread(*F, offsetof(gpuinstr_sim_thread, dynamic));
    } else {
      const SharedVariable &V = Shared[Index];
      Value *Base = pointerOfThread(*F, offsetof(gpuinstr_sim_thread, shared));
      IRBuilder<> B(cast<Instruction>(Base)->getNextNode());
      Value *Offset = B.getInt64(V.Offset);
      if (V.Cell)
        Offset = B.CreateLoad(B.getInt64Ty(), V.Cell);
      Address = B.CreateInBoundsGEP(B.getInt8Ty(), Base, Offset);
      All[F].Shared.insert(Index);
    }
    for (Use *U : Where)
      U->set(Address);
  }
  if (!G.use_empty()) // the initial value of another variable: CUDA knows no such thing
    G.replaceAllUsesWith(Constant::getNullValue(G.getType()));
  G.eraseFromParent();
}

} // namespace gpuinstr
