// Which code of a linked image was compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
//
// https://llvm.org/docs/PCSections.html: of a function with this metadata the section gets where it
// begins, from the entry's own address, and its size. The sections are linked in the order of the
// code, and go where the linker drops a function. No relocation is left for the program's start.
#include "embed/CodeRanges.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

namespace gpuinstr {

namespace {

constexpr StringLiteral Section =
    "gpuinstr_ranges"; // the linker defines __start_ and __stop_ of it

Constant *border(Module &M, StringRef Name) {
  auto *G = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), true,
                               GlobalValue::ExternalWeakLinkage, nullptr, Name);
  G->setVisibility(GlobalValue::HiddenVisibility);
  return G;
}

/// clang's link-time optimisation inlines functions of one module into another's.
bool isForLink(const Module &M) { return M.getModuleFlag("EnableSplitLTOUnit") != nullptr; }

bool isCudas(StringRef Name) {
  Name.consume_front("__");
  if (Name.starts_with("gpuinstr_"))
    return true;
  return Name.consume_front("cu") && (Name.consume_front("da"), !Name.empty() && isUpper(Name[0]));
}

} // namespace

std::pair<Constant *, Constant *> codeRanges(Module &M, bool IsFinal) {
  if (!IsFinal || isForLink(M)) {
    auto *Null = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
    return {Null, Null};
  }
  return {border(M, ("__start_" + Section).str()), border(M, ("__stop_" + Section).str())};
}

void listCode(Module &M) {
  if (isForLink(M))
    return;
  SetVector<const User *> Users; // constants and instructions
  for (const Function &F : M)
    if (isCudas(F.getName()))
      Users.insert(F.user_begin(), F.user_end());
  MDNode *List = MDNode::get(M.getContext(), MDString::get(M.getContext(), Section));
  for (unsigned I = 0; I < Users.size(); ++I) {
    if (auto *Instruction = dyn_cast<llvm::Instruction>(Users[I]))
      const_cast<Function *>(Instruction->getFunction())
          ->setMetadata(LLVMContext::MD_pcsections, List);
    else if (isa<Constant>(Users[I]) && !isa<GlobalValue>(Users[I]))
      Users.insert(Users[I]->user_begin(), Users[I]->user_end());
  }
}

} // namespace gpuinstr
