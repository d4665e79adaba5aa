// Which code of a linked image was compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
//
// https://llvm.org/docs/PCSections.html: of a function with this metadata the section gets where it
// begins, from the entry's own address, and its size. The sections are linked in the order of the
// code, and go where the linker drops a function. No relocation is left for the program's start.
//
// clang's link-time optimisation inlines functions of one module into another's: there the
// functions say nothing. So each call goes through a function of its own that jumps to CUDA's and
// is never inlined; those are listed.
#include "ir/late/CodeRanges.h"
#include "api/CudaApi.h"
#include "compat/LLVMCompat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

namespace gpuinstr {

namespace {

/// The linker defines __start_ and __stop_ of it. LLVM writes longer entries in wide modules.
StringRef section(const Module &M) {
  return hasWideCodeRanges(M) ? "gpuinstr_wide_ranges" : "gpuinstr_ranges";
}

Constant *border(Module &M, StringRef Name) {
  auto *G = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), true,
                               GlobalValue::ExternalWeakLinkage, nullptr, Name);
  G->setVisibility(GlobalValue::HiddenVisibility);
  return G;
}

bool isForLink(const Module &M) { return M.getModuleFlag("EnableSplitLTOUnit") != nullptr; }

bool isCudas(StringRef Name) {
  Name.consume_front("__");
  if (Name.starts_with("gpuinstr_"))
    return true;
  return Name.consume_front("cu") && (Name.consume_front("da"), !Name.empty() && isUpper(Name[0]));
}

/// By these, other code gets CUDA's functions.
bool isLookUp(StringRef Name) { return Name == "dlsym" || Name == "dlvsym"; }

MDNode *listed(Module &M) {
  return MDNode::get(M.getContext(), MDString::get(M.getContext(), section(M)));
}

bool isCalled(const Function &F) {
  return F.isDeclaration() && !F.isIntrinsic() && !F.isVarArg() &&
         (isCudas(F.getName()) || isLookUp(F.getName()) || matchApiName(F.getName()));
}

/// Jumps to F. Its first instruction does nothing and stands nowhere else: linkers that make one
/// function of equal ones (--icf=all) must not take the program's for it.
Function *jumpTo(Function &F) {
  Module &M = *F.getParent();
  const std::string Name = ("__gpuinstr_seen." + F.getName()).str();
  Function *Jump = Function::Create(F.getFunctionType(), GlobalValue::LinkOnceODRLinkage, Name, M);
  Jump->setComdat(M.getOrInsertComdat(Name));
  Jump->setVisibility(GlobalValue::HiddenVisibility);
  Jump->setCallingConv(F.getCallingConv());
  Jump->setAttributes(F.getAttributes());
  Jump->addFnAttr(Attribute::NoInline);
  Jump->setUWTableKind(M.getUwtable());
  Jump->setDSOLocal(true);
  Jump->setMetadata(LLVMContext::MD_pcsections, listed(M));
  IRBuilder<> Builder(BasicBlock::Create(M.getContext(), "", Jump));
  auto *Mark = FunctionType::get(Builder.getVoidTy(), false);
  const bool IsX86 = compat::targetTriple(M).getArch() == Triple::x86_64;
  Builder.CreateCall(InlineAsm::get(Mark, IsX86 ? "nopl 0x6770(%rax)" : "nop", "", true));
  SmallVector<Value *> Arguments(make_pointer_range(Jump->args()));
  CallInst *Call = Builder.CreateCall(&F, Arguments);
  Call->setCallingConv(F.getCallingConv());
  const AttributeList Given = F.getAttributes();
  Call->setAttributes(Given.removeFnAttributes(M.getContext()));
  Call->setTailCallKind(CallInst::TCK_MustTail);
  if (Call->getType()->isVoidTy())
    Builder.CreateRetVoid();
  else
    Builder.CreateRet(Call);
  return Jump;
}

/// A function of the bootstrap, which looks the runtime up: they stay as they are.
bool isOwn(const Function &F) {
  return !F.isDeclaration() && F.getName().starts_with("__gpuinstr_") &&
         (F.getName() == "__gpuinstr_ctor" || F.hasFnAttribute(Attribute::OptimizeNone));
}

void routeCalls(Module &M) {
  SmallVector<Function *> Called;
  for (Function &F : M)
    if (isCalled(F))
      Called.push_back(&F);
    else if (isOwn(F)) // there is a list in any case
      F.setMetadata(LLVMContext::MD_pcsections, listed(M));
  for (Function *F : Called) {
    SmallVector<CallBase *> Calls;
    for (const Use &U : F->uses())
      if (auto *Call = dyn_cast<CallBase>(U.getUser()); Call && Call->isCallee(&U))
        Calls.push_back(Call);
    Function *Jump = Calls.empty() ? nullptr : jumpTo(*F);
    for (CallBase *Call : Calls)
      Call->setCalledOperand(Jump);
  }
}

} // namespace

bool hasWideCodeRanges(const Module &M) {
  const auto Model = M.getCodeModel();
  return Model && (*Model == CodeModel::Medium || *Model == CodeModel::Large);
}

std::pair<Constant *, Constant *> codeRanges(Module &M, bool IsFinal) {
  if (!IsFinal) {
    auto *Null = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    return {Null, Null};
  }
  return {border(M, ("__start_" + section(M)).str()), border(M, ("__stop_" + section(M)).str())};
}

void listCode(Module &M) {
  if (isForLink(M))
    return routeCalls(M);
  SetVector<const User *> Users; // constants and instructions
  for (const Function &F : M)
    if (isCudas(F.getName()) || isCalled(F))
      Users.insert(F.user_begin(), F.user_end());
  for (const GlobalVariable &G : M.globals()) // the table that enter and leave stand in
    if (isCudas(G.getName()))
      Users.insert(G.user_begin(), G.user_end());
  MDNode *List = listed(M);
  for (unsigned I = 0; I < Users.size(); ++I) {
    if (auto *Instruction = dyn_cast<llvm::Instruction>(Users[I]))
      const_cast<Function *>(Instruction->getFunction())
          ->setMetadata(LLVMContext::MD_pcsections, List);
    else if (isa<Constant>(Users[I]) && !isa<GlobalValue>(Users[I]))
      Users.insert(Users[I]->user_begin(), Users[I]->user_end());
  }
}

} // namespace gpuinstr
