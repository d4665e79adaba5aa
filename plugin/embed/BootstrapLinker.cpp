// The embedded bootstrap: the layout of abi.h's structures, and linking into the user's module.
// SPDX-License-Identifier: Apache-2.0
#include "embed/BootstrapLinker.h"
#include "compat/LLVMCompat.h"
#include "embed/EmbeddedBitcode.h"
#include "gpuinstr/abi.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <dlfcn.h>

using namespace llvm;

namespace gpuinstr {
namespace {

constexpr unsigned char Bitcode[] = {
#include "BootstrapBitcode.inc"
};

constexpr StringLiteral LayoutPrefix = "__gpuinstr_layout_";
constexpr StringLiteral RegisterPacked = "__gpuinstr_register_packed";
constexpr StringLiteral UnpackFunction = "__gpuinstr_unpack";

/// Objects of several versions share what has the same name: nothing, where the table or a module
/// has grown.
std::string versioned(StringRef Name) {
  return (Name + "." + Twine(unsigned(sizeof(gpuinstr_table) + sizeof(gpuinstr_module)))).str();
}

/// One copy per linked image, whichever unit brings it.
void shareDefinition(Module &M, GlobalValue &G) {
  if (G.isDeclaration() || G.hasLocalLinkage() || G.getName().starts_with("llvm."))
    return;
  G.setLinkage(GlobalValue::LinkOnceODRLinkage);
  G.setVisibility(GlobalValue::HiddenVisibility);
  G.setDSOLocal(true);
  if (auto *Object = dyn_cast<GlobalObject>(&G))
    if (compat::targetTriple(M).supportsCOMDAT())
      Object->setComdat(M.getOrInsertComdat(G.getName()));
}

/// Optimised when the plugin was built; once more in every unit costs compile time.
void keepAsCompiled(Module &M) {
  for (Function &F : M) {
    F.addFnAttr(Attribute::NoUnwind);
    if (!F.isDeclaration()) {
      F.addFnAttr(Attribute::NoInline);
      F.addFnAttr(Attribute::OptimizeNone);
    }
  }
}

/// A function of the bootstrap.
Function *declareOwn(Module &M, StringRef Name, FunctionType *Type) {
  auto *F = cast<Function>(M.getOrInsertFunction(Name, Type).getCallee());
  if (F->isDeclaration()) {
    F->setVisibility(GlobalValue::HiddenVisibility);
    F->setDSOLocal(true);
  }
  return F;
}

} // namespace

Function *unpacker(Module &M) {
  LLVMContext &C = M.getContext();
  Function *F =
      declareOwn(M, versioned(UnpackFunction),
                 FunctionType::get(Type::getVoidTy(C), {PointerType::getUnqual(C)}, false));
  F->addFnAttr(Attribute::NoUnwind);
  return F;
}

Function *makeRegistrar(Module &M, Constant *Record, StringRef Name, StringRef Callee) {
  LLVMContext &C = M.getContext();
  Type *Void = Type::getVoidTy(C);
  auto *F = Function::Create(FunctionType::get(Void, false), GlobalValue::InternalLinkage, Name, M);
  F->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> B(BasicBlock::Create(C, "", F));
  SmallVector<Value *, 1> Arguments;
  SmallVector<Type *, 1> Types;
  if (Record) {
    Arguments.push_back(Record);
    Types.push_back(PointerType::getUnqual(C));
  }
  B.CreateCall(declareOwn(M, Callee, FunctionType::get(Void, Types, false)), Arguments);
  B.CreateRetVoid();
  return F;
}

static std::string nameOfTable() { return versioned("__gpuinstr_table_v1"); }

GlobalVariable *knownFunctionTable(Module &M) { return M.getNamedGlobal(nameOfTable()); }

GlobalVariable *functionTable(Module &M) {
  if (GlobalVariable *Known = knownFunctionTable(M))
    return Known;
  auto *G = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), false,
                               GlobalValue::ExternalLinkage, nullptr, nameOfTable());
  G->setVisibility(GlobalValue::HiddenVisibility);
  G->setDSOLocal(true);
  return G;
}

std::string runtimeBesidePlugin() {
  Dl_info Info;
  if (!dladdr(reinterpret_cast<const void *>(&runtimeBesidePlugin), &Info) || !Info.dli_fname)
    return "";
  SmallString<256> Path;
  if (sys::fs::real_path(Info.dli_fname, Path))
    return "";
  sys::path::remove_filename(Path);
  sys::path::append(Path, "libgpuinstr_rt.so");
  return std::string(Path);
}

Expected<Bootstrap> Bootstrap::read(LLVMContext &C) {
  Expected<std::unique_ptr<Module>> Code = readBitcode(Bitcode, "gpuinstr-bootstrap", C);
  if (!Code)
    return Code.takeError();
  return Bootstrap(std::move(*Code));
}

StructType *Bootstrap::layout(StringRef Name) const {
  const GlobalVariable *Example = Code->getNamedGlobal((LayoutPrefix + Name).str());
  // Without a name: the user's module may have another structure of that name.
  const auto *Named = cast<StructType>(Example->getValueType());
  return StructType::get(Code->getContext(), Named->elements(), Named->isPacked());
}

std::string Bootstrap::link(Module &M, GlobalVariable *Descriptor, bool HasPacked,
                            const std::string &RuntimePath) {
  LLVMContext &C = M.getContext();
  auto *Path = new GlobalVariable(M, Type::getInt8Ty(C), true, GlobalValue::ExternalLinkage,
                                  nullptr, "__gpuinstr_runtime_path");
  Constant *Text = ConstantDataArray::getString(C, RuntimePath);
  auto *Defined = new GlobalVariable(M, Text->getType(), true, GlobalValue::ExternalLinkage, Text);
  Path->replaceAllUsesWith(Defined);
  Defined->takeName(Path);
  Path->eraseFromParent();
  shareDefinition(M, *Defined);

  // Priority 0 runs before init_priority(101), and its destructor after all others.
  if (!Descriptor) { // a unit that uses gpuinstr.h alone
    appendToGlobalCtors(
        M, makeRegistrar(M, nullptr, "__gpuinstr_ctor", versioned("__gpuinstr_start")), 0);
  } else {
    appendToGlobalCtors(
        M,
        makeRegistrar(M, Descriptor, "__gpuinstr_ctor",
                      versioned(HasPacked ? StringRef(RegisterPacked) : "__gpuinstr_register")),
        0);
    appendToGlobalDtors(
        M, makeRegistrar(M, Descriptor, "__gpuinstr_dtor", versioned("__gpuinstr_unregister")), 0);
  }

  for (GlobalVariable &G : make_early_inc_range(Code->globals()))
    if (G.getName().starts_with(LayoutPrefix))
      G.eraseFromParent();
  if (!HasPacked)
    for (const char *Name : {RegisterPacked.data(), UnpackFunction.data()})
      Code->getFunction(Name)->eraseFromParent();
  for (GlobalValue &G : Code->global_values())
    if (!G.isDeclaration() && G.getName().starts_with("__gpuinstr_"))
      G.setName(versioned(G.getName()));
  stripBuildTraces(*Code);
  keepAsCompiled(*Code);
  compat::copyTarget(*Code, M);
  for (GlobalValue &G : Code->global_values())
    shareDefinition(*Code, G);
  if (Linker::linkModules(M, std::move(Code)))
    return "the bootstrap cannot be linked into the module";
  return "";
}

} // namespace gpuinstr
