// Where the functions of a CUDA runtime lie that is linked into the program.
// SPDX-License-Identifier: Apache-2.0
//
// A file that has been stripped does not say, and the runtime's functions are hidden. So each unit
// that uses the runtime brings the same list of weak references, of which the linker keeps one:
// they draw in nothing, and ask for no library. They go through the linker's table of addresses (a
// GOT equivalent: https://llvm.org/docs/LangRef.html, unnamed_addr), where it puts them when it
// links. Of a shared runtime the loader does: 5 to 15 us for all.
#include "ir/late/RuntimeFunctions.h"
#include "compat/LLVMCompat.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace gpuinstr {

namespace {

constexpr const char *Names[] = {
#define CUDART(name) #name,
#include "api/RuntimeNames.def"
#undef CUDART
};

/// Lists of several versions differ.
std::string nameOfList() {
  return ("__gpuinstr_runtime_functions." + Twine(std::size(Names))).str();
}

/// The code models whose tables of addresses are within 2 GB.
bool hasNearTable(const Module &M) {
  const auto Model = M.getCodeModel();
  return compat::targetTriple(M).getArch() == Triple::x86_64 &&
         (!Model || *Model != CodeModel::Large);
}

bool isUsed(Module &M) {
  return any_of(Names, [&](const char *Name) {
    const Function *F = M.getFunction(Name);
    return F && !F->use_empty();
  });
}

/// None can be named in a module that has something else of that name.
bool areFree(Module &M) {
  return none_of(Names, [&](const char *Name) {
    const GlobalValue *Known = M.getNamedValue(Name);
    return Known && (!isa<Function>(Known) || Known->hasLocalLinkage());
  });
}

/// Weak, unless code of the module needs it.
Function *reference(Module &M, const char *Name) {
  Function *F = M.getFunction(Name);
  if (!F)
    F = Function::Create(FunctionType::get(Type::getVoidTy(M.getContext()), false),
                         GlobalValue::ExternalWeakLinkage, Name, M);
  else if (F->isDeclaration() && F->use_empty())
    F->setLinkage(GlobalValue::ExternalWeakLinkage);
  return F;
}

/// Sanitizers put space around variables.
void keepBare(GlobalVariable &G) {
  GlobalValue::SanitizerMetadata None;
  None.NoAddress = None.NoHWAddress = true;
  G.setSanitizerMetadata(None);
}

GlobalVariable *addressOf(Function *F) {
  auto *G = new GlobalVariable(*F->getParent(), F->getType(), true, GlobalValue::PrivateLinkage, F,
                               "__gpuinstr_runtime_function");
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  keepBare(*G);
  return G;
}

} // namespace

unsigned numRuntimeFunctions() { return std::size(Names); }

Constant *runtimeFunctions(Module &M, bool IsFinal) {
  if (!IsFinal)
    return ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
  auto *List =
      new GlobalVariable(M, ArrayType::get(Type::getInt32Ty(M.getContext()), std::size(Names)),
                         true, GlobalValue::ExternalWeakLinkage, nullptr, nameOfList());
  List->setVisibility(GlobalValue::HiddenVisibility);
  return List;
}

void listRuntimeFunctions(Module &M) {
  GlobalVariable *List = M.getNamedGlobal(nameOfList());
  if (!List || !List->isDeclaration())
    return;
  // Not a weak reference to another unit's: where there is none, GNU ld leaves it to the loader of
  // a library, which takes the library's begin for it.
  if (!hasNearTable(M) || !isUsed(M) || !areFree(M)) {
    List->replaceAllUsesWith(ConstantPointerNull::get(List->getType()));
    return List->eraseFromParent();
  }
  auto *Int32 = Type::getInt32Ty(M.getContext()), *Int64 = Type::getInt64Ty(M.getContext());
  SmallVector<Constant *, 0> Distances;
  for (const char *Name : Names) {
    Constant *From = ConstantExpr::getInBoundsGetElementPtr(
        Int32, List, ConstantInt::get(Int64, Distances.size()));
    Constant *To = addressOf(reference(M, Name));
    Distances.push_back(
        ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(To, Int64),
                                                    ConstantExpr::getPtrToInt(From, Int64)),
                               Int32));
  }
  List->setInitializer(ConstantArray::get(cast<ArrayType>(List->getValueType()), Distances));
  List->setLinkage(GlobalValue::LinkOnceODRLinkage);
  List->setDSOLocal(true);
  List->setComdat(M.getOrInsertComdat(List->getName()));
  List->setAlignment(Align(4));
  keepBare(*List);
}

} // namespace gpuinstr
