// Fills the empty functions of gpuinstr.h.
// SPDX-License-Identifier: Apache-2.0
#include "ir/emit/PublicApi.h"
#include "embed/BootstrapLinker.h"
#include "gpuinstr/abi.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace gpuinstr {
namespace {

/// Offset into the table, 0 for any other function. C++ mangles static functions even inside
/// extern "C": _ZL19gpuinstr_push_rangePKc.
uint64_t tableOffset(StringRef Name) {
  unsigned Length = 0;
  if (Name.consume_front("_ZL") && !Name.consumeInteger(10, Length))
    Name = Name.take_front(Length);
  if (!Name.consume_front("gpuinstr_"))
    return 0;
  return StringSwitch<uint64_t>(Name)
      .Case("push_range", offsetof(gpuinstr_table, push_range))
      .Case("pop_range", offsetof(gpuinstr_table, pop_range))
      .Case("pause", offsetof(gpuinstr_table, pause))
      .Case("resume", offsetof(gpuinstr_table, resume))
      .Case("report_now", offsetof(gpuinstr_table, report_now))
      .Case("reset", offsetof(gpuinstr_table, reset))
      .Case("mark", offsetof(gpuinstr_table, mark))
      .Case("leaks_since", offsetof(gpuinstr_table, leaks_since))
      .Case("name", offsetof(gpuinstr_table, name))
      .Case("ignore", offsetof(gpuinstr_table, ignore))
      .Case("pool_alloc", offsetof(gpuinstr_table, pool_alloc))
      .Case("pool_free", offsetof(gpuinstr_table, pool_free))
      .Default(0);
}

void fill(Function &F, uint64_t Offset) {
  DISubprogram *Subprogram = F.getSubprogram();
  GlobalValue::LinkageTypes Linkage = F.getLinkage();
  F.deleteBody();
  F.setLinkage(Linkage);
  F.setSubprogram(Subprogram);
  F.removeFnAttr(Attribute::Memory);
  LLVMContext &C = F.getContext();
  IRBuilder<> B(BasicBlock::Create(C, "", &F));
  if (Subprogram)
    B.SetCurrentDebugLocation(DILocation::get(C, Subprogram->getLine(), 0, Subprogram));
  SmallVector<Value *, 3> Arguments;
  for (Argument &A : F.args())
    Arguments.push_back(&A);
  Value *Slot =
      B.CreateInBoundsGEP(B.getInt8Ty(), functionTable(*F.getParent()), B.getInt64(Offset));
  Value *Target = B.CreateLoad(B.getPtrTy(), Slot);
  CallInst *Call = B.CreateCall(F.getFunctionType(), Target, Arguments);
  Call->setDoesNotThrow();
  if (Call->getType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Call);
}

} // namespace

bool fillPublicApi(Module &M) {
  bool Any = false;
  for (Function &F : M) {
    // Local linkage tells the header's functions from anything else of that name.
    uint64_t Offset = F.hasLocalLinkage() && !F.isDeclaration() ? tableOffset(F.getName()) : 0;
    if (!Offset)
      continue;
    fill(F, Offset);
    Any = true;
  }
  return Any;
}

} // namespace gpuinstr
