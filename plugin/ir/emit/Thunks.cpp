// Internal functions that hold one instrumented call.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/Thunks.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace gpuinstr {

/// What the function may be called through: where such calls are checked (-fsanitize=cfi-icall,
/// -fsanitize=kcfi), a function without it ends the program.
static void copyCallTypes(Function &To, const Function &From) {
  SmallVector<MDNode *, 2> Types;
  From.getMetadata(LLVMContext::MD_type, Types);
  for (MDNode *Type : Types)
    To.addMetadata(LLVMContext::MD_type, *Type);
  if (MDNode *Type = From.getMetadata(LLVMContext::MD_kcfi_type))
    To.setMetadata(LLVMContext::MD_kcfi_type, Type);
}

Thunk makeThunk(Function &Callee, const Twine &Name) {
  auto *F = Function::Create(Callee.getFunctionType(), GlobalValue::InternalLinkage, Name,
                             Callee.getParent());
  F->setAttributes(Callee.getAttributes());
  F->setCallingConv(Callee.getCallingConv());
  copyCallTypes(*F, Callee);
  // The call of an entry point that "only reads" still counts: enter and leave do not.
  F->removeFnAttr(Attribute::Memory);
  F->removeFnAttr(Attribute::NoReturn);
  IRBuilder<> B(BasicBlock::Create(F->getContext(), "", F));
  SmallVector<Value *, 8> Arguments;
  for (Argument &A : F->args())
    Arguments.push_back(&A);
  CallInst *Call = B.CreateCall(&Callee, Arguments);
  Call->setCallingConv(Callee.getCallingConv());
  AttributeList Attributes = Callee.getAttributes();
  for (unsigned I = 0; I < F->arg_size(); ++I)
    for (const Attribute &A : Attributes.getParamAttrs(I))
      Call->addParamAttr(I, A);
  if (Call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
  return {F, Call};
}

} // namespace gpuinstr
