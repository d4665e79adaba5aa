// Tells the runtime of the NVTX ranges that the program opens and closes itself.
// SPDX-License-Identifier: Apache-2.0
//
// NVTX is header-only: its functions are static and call a tool, if there is one, through a table
// of their own that nobody else may take. So the calls are what is hooked, in each unit.
#include "ir/emit/NvtxRanges.h"
#include "embed/BootstrapLinker.h"
#include "gpuinstr/abi.h"
#include "ir/emit/Thunks.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr int NONE = -1, RESULT = -2;

struct NvtxEntry {
  StringLiteral Name;
  unsigned Parameters;
  uint32_t What;
  int Message, Value;
};

constexpr NvtxEntry Entries[] = {
#define NVTX_API(name, parameters, what, message, value)                                           \
  {#name, parameters, GPUINSTR_NVTX_##what, message, value},
#include "api/NvtxApi.def"
};

/// C++ mangles static functions even inside extern "C": _ZL14nvtxRangePushAPKc.
StringRef plainName(StringRef Name) {
  unsigned Length = 0;
  StringRef Rest = Name;
  if (Rest.consume_front("_ZL") && !Rest.consumeInteger(10, Length))
    return Rest.take_front(Length);
  return Name;
}

bool isWord(const Type *T) { return T->isPointerTy() || T->isIntegerTy(64); }

/// nullptr: none of NVTX's, or not as NVTX declares it.
const NvtxEntry *entryOf(const Function &F) {
  StringRef Name = plainName(F.getName());
  if (!Name.starts_with("nvtx"))
    return nullptr;
  for (const NvtxEntry &E : Entries) {
    if (E.Name != Name)
      continue;
    bool Fits = F.arg_size() == E.Parameters && !F.isVarArg() &&
                (E.Value != RESULT || isWord(F.getReturnType())) &&
                all_of(F.args(), [](const Argument &A) { return isWord(A.getType()); });
    return Fits ? &E : nullptr;
  }
  return nullptr;
}

/// NVTX's own first call of each function: it starts NVTX and comes back by the function's name.
bool isInsideNvtx(const User *U) {
  const auto *I = dyn_cast<Instruction>(U);
  return I && plainName(I->getFunction()->getName()).starts_with("nvtx");
}

Value *asWord(IRBuilder<> &B, Value *V) {
  return V->getType()->isPointerTy() ? B.CreatePtrToInt(V, B.getInt64Ty()) : V;
}

/// Behind the call in T: table.nvtx(what, message, value).
void addHook(const Thunk &T, const NvtxEntry &E) {
  Instruction *End = T.F->getEntryBlock().getTerminator();
  IRBuilder<> B(End);
  Value *Message = E.Message == NONE ? ConstantPointerNull::get(B.getPtrTy())
                                     : static_cast<Value *>(T.F->getArg(E.Message));
  Value *Result = E.Value == RESULT ? T.Call : nullptr;
  Value *Word = Result            ? asWord(B, Result)
                : E.Value == NONE ? B.getInt64(0)
                                  : asWord(B, T.F->getArg(E.Value));
  Value *Slot = B.CreateInBoundsGEP(B.getInt8Ty(), functionTable(*T.F->getParent()),
                                    B.getInt64(offsetof(gpuinstr_table, nvtx)));
  auto *Type = FunctionType::get(B.getInt64Ty(), {B.getInt32Ty(), B.getPtrTy(), B.getInt64Ty()},
                                 /*isVarArg=*/false);
  CallInst *Call =
      B.CreateCall(Type, B.CreateLoad(B.getPtrTy(), Slot), {B.getInt32(E.What), Message, Word});
  Call->setDoesNotThrow();
  if (!Result)
    return;
  Value *Replaced = B.CreateOr(Word, Call);
  if (Result->getType()->isPointerTy())
    Replaced = B.CreateIntToPtr(Replaced, Result->getType());
  B.CreateRet(Replaced);
  End->eraseFromParent();
}

} // namespace

bool hookNvtxRanges(Module &M) {
  SmallVector<std::pair<Function *, const NvtxEntry *>, 16> Known;
  for (Function &F : M)
    if (const NvtxEntry *E = entryOf(F))
      Known.push_back({&F, E});
  bool Any = false;
  for (auto [F, E] : Known) {
    auto IsProgram = [](const Use &U) {
      return isa<CallBase>(U.getUser()) && cast<CallBase>(U.getUser())->isCallee(&U) &&
             !isInsideNvtx(U.getUser());
    };
    if (none_of(F->uses(), IsProgram))
      continue;
    Thunk T = makeThunk(*F, "__gpuinstr_nvtx." + E->Name);
    addHook(T, *E);
    F->replaceUsesWithIf(T.F, [&](Use &U) { return U.getUser() != T.Call && IsProgram(U); });
    Any = true;
  }
  return Any;
}

} // namespace gpuinstr
