// Prefixes the names of device code and gives each function the thread as hidden first argument.
// SPDX-License-Identifier: Apache-2.0
#include "simulate/lower/Lowering.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gpuinstr {

/// Functions of the C library that code generation itself may ask for: the host's serve.
static bool isHostFunction(StringRef Name) {
  return Name == "memcpy" || Name == "memmove" || Name == "memset" || Name == "memcmp";
}

/// Host and device code of one name meet in the host's module.
void Lowering::prefixNames() {
  auto Adapt = [&](GlobalObject &G) {
    if (G.hasName() && !G.hasPrivateLinkage())
      G.setName(SimPrefix + G.getName());
    G.setSection("");
    if (G.isDeclaration()) {
      G.setVisibility(GlobalValue::DefaultVisibility);
      return;
    }
    if (!Relocatable) {
      G.setComdat(nullptr);
      G.setLinkage(GlobalValue::InternalLinkage);
    } else if (!G.hasLocalLinkage()) {
      // One image: another one of the process has device code of its own.
      G.setComdat(G.isDiscardableIfUnused() || G.isWeakForLinker()
                      ? M.getOrInsertComdat(G.getName())
                      : nullptr);
      G.setVisibility(GlobalValue::HiddenVisibility);
      G.setDSOLocal(true);
    }
  };
  for (GlobalVariable &G : M.globals()) {
    const StringRef Name = G.getName();
    auto Space = Device.Space.find(Name);
    // Symbols: the host writes them, constants too.
    if (Space != Device.Space.end() && G.isExternallyInitialized())
      G.setConstant(false);
    if (!Name.starts_with("llvm."))
      Adapt(G);
  }
  for (Function &F : M) {
    const StringRef Name = F.getName();
    if (!Name.starts_with("llvm.") && !Name.starts_with(NvvmPrefix) && !isHostFunction(Name))
      Adapt(F);
  }
  for (GlobalAlias &A : M.aliases())
    A.setName(SimPrefix + A.getName());
}

void Lowering::addThreads() {
  SmallVector<Function *, 32> Own;
  for (Function &F : M)
    if (isOwn(F))
      Own.push_back(&F);
  for (Function *F : Own)
    addThread(*F);
  for (Function &F : M)
    if (!F.isDeclaration())
      passThreads(F);
}

void Lowering::addThread(Function &F) {
  LLVMContext &C = M.getContext();
  SmallVector<Type *, 8> Types{Ptr};
  Types.append(F.getFunctionType()->param_begin(), F.getFunctionType()->param_end());
  auto *NewType = FunctionType::get(F.getReturnType(), Types, F.isVarArg());
  Function *New = Function::Create(NewType, F.getLinkage(), "", &M);
  New->copyAttributesFrom(&F);
  New->setComdat(F.getComdat());
  const AttributeList Old = F.getAttributes();
  SmallVector<AttributeSet, 8> Parameters{AttributeSet()};
  for (unsigned I = 0; I < F.arg_size(); ++I)
    Parameters.push_back(Old.getParamAttrs(I));
  New->setAttributes(AttributeList::get(C, Old.getFnAttrs(), Old.getRetAttrs(), Parameters));
  New->splice(New->begin(), &F);
  for (unsigned I = 0; I < F.arg_size(); ++I)
    F.getArg(I)->replaceAllUsesWith(New->getArg(I + 1));
  New->takeName(&F);
  F.replaceAllUsesWith(New);
  F.eraseFromParent();
}

/// Direct calls, and those through pointers, which can only be of device functions.
void Lowering::passThreads(Function &F) {
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I))
      if (!Call->isInlineAsm()) {
        const Function *Callee = Call->getCalledFunction();
        const auto *Known = dyn_cast<Function>(Call->getCalledOperand());
        if (Known ? isOwn(*Known) : !Callee)
          Calls.push_back(Call);
      }
  for (CallInst *Call : Calls) {
    SmallVector<Value *, 8> Arguments{F.getArg(0)};
    SmallVector<Type *, 8> Types{Ptr};
    SmallVector<AttributeSet, 8> Parameters{AttributeSet()};
    for (unsigned I = 0; I < Call->arg_size(); ++I) {
      Arguments.push_back(Call->getArgOperand(I));
      Types.push_back(Call->getArgOperand(I)->getType());
      Parameters.push_back(Call->getAttributes().getParamAttrs(I));
    }
    IRBuilder<> B(Call);
    CallInst *New = B.CreateCall(FunctionType::get(Call->getType(), Types, false),
                                 Call->getCalledOperand(), Arguments);
    New->setAttributes(AttributeList::get(M.getContext(), Call->getAttributes().getFnAttrs(),
                                          Call->getAttributes().getRetAttrs(), Parameters));
    New->takeName(Call);
    Call->replaceAllUsesWith(New);
    Call->eraseFromParent();
  }
}

} // namespace gpuinstr
