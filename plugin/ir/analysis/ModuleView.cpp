// Classifies the functions of a host module: origin, name, CUDA entry point, launch stub.
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/ModuleView.h"
#include "ir/analysis/ModuleNames.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;

namespace gpuinstr {
namespace {

StringRef plainSymbol(const Function &F) {
  StringRef S = F.getName();
  S.consume_front("\01");
  return mangledSymbol(S);
}

/// Text that a demangler function allocated with malloc.
std::string take(char *Text) {
  std::string Out = Text ? Text : "";
  std::free(Text);
  return Out;
}

std::string demangledName(StringRef Symbol) {
  ItaniumPartialDemangler D;
  std::string Copy = Symbol.str();
  if (D.partialDemangle(Copy.c_str()))
    return Copy;
  std::string Name = take(D.isFunction() ? D.getFunctionName(nullptr, nullptr) : nullptr);
  return Name.empty() ? Copy : Name;
}

/// clang's stub of kernel k is k's own symbol with this in front of the name; nvcc's is a function
/// with this and then k's symbol, less one underscore, as its name.
std::string kernelName(std::string Name) {
  constexpr StringLiteral Mark = "__device_stub__";
  std::size_t At = Name.find(Mark);
  if (At == std::string::npos)
    return Name;
  std::string Symbol = "_" + Name.substr(At + Mark.size());
  std::string Kernel = demangledName(Symbol);
  if (Kernel != Symbol)
    return Kernel;
  return Name.erase(At, Mark.size());
}

std::string baseName(StringRef Symbol) {
  ItaniumPartialDemangler D;
  std::string Copy = Symbol.str();
  if (D.partialDemangle(Copy.c_str()))
    return Copy;
  std::string Name = take(D.isFunction() ? D.getFunctionBaseName(nullptr, nullptr) : nullptr);
  return Name.substr(0, Name.find('<'));
}

/// Whose code a file is, where no AST tells.
CodeKind kindOfFile(StringRef Path) {
  for (StringRef Part : {"/thrust/", "/cub/", "/cooperative_groups", "/cuda/std/", "/cccl/"})
    if (Path.contains(Part))
      return CodeKind::Library;
  StringRef Name = sys::path::filename(Path);
  if (Path.contains("/crt/") || Name == "cuda_runtime.h" || Name == "cuda_runtime_api.h" ||
      Name == "channel_descriptor.h" || Name == "driver_functions.h" ||
      Name.starts_with("__clang_cuda"))
    return CodeKind::Header;
  if (Path.starts_with("/usr/include/") || Path.contains("/include/c++/"))
    return CodeKind::System;
  return CodeKind::User;
}

/// Code that the compiler makes and no line of the program stands for: a deleting destructor, a
/// thunk, a lambda's static invoker, a call of all initialisers.
bool isCompilerMade(StringRef Symbol) {
  return Symbol.starts_with("_GLOBAL__") || Symbol.starts_with("__cxx_global_array_dtor") ||
         Symbol.starts_with("_ZTh") || Symbol.starts_with("_ZTv") || Symbol.starts_with("_ZTc") ||
         Symbol.starts_with("_ZTW") || Symbol.contains("8__invokeE") ||
         (Symbol.starts_with("_ZN") && Symbol.contains("D0Ev"));
}

} // namespace

bool ModuleView::isRewritable(const Function &F) {
  return !F.isDeclaration() && !F.hasAvailableExternallyLinkage() &&
         !F.hasFnAttribute(Attribute::Naked);
}

Function *ModuleView::callee(const CallBase &Call) {
  return dyn_cast<Function>(Call.getCalledOperand()->stripPointerCastsAndAliases());
}

bool ModuleView::isStub(const Function &F) { return F.getName().contains("device_stub_"); }

bool ModuleView::isLaunchHelper(const Function &F) {
  return F.getName().contains("__cudaLaunchKernel_helper");
}

/// nvcc gives each kernel a host function that does nothing but call its stub; clang's user code
/// calls the stub itself, after it pushed a configuration.
bool ModuleView::callsStub(const Function &F) const {
  bool Calls = false;
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I))
      if (const Function *G = callee(*Call)) {
        if (G->getName().starts_with("__cudaPushCallConfiguration"))
          return false;
        Calls |= isStub(*G);
      }
  return Calls;
}

CodeKind ModuleView::computeKind(const Function &F) {
  StringRef Symbol = plainSymbol(F);
  if (isStub(F) || isLaunchHelper(F))
    return CodeKind::Header;
  if (isCompilerMade(Symbol))
    return CodeKind::System;
  FunctionOrigin Origin = Table ? Table->origin(Symbol.str()) : FunctionOrigin::User;
  switch (Origin) {
  case FunctionOrigin::System: // also what no name leads to: of a C++20 module's global fragment
    return kindOfFile(file(F)) == CodeKind::Header ? CodeKind::Header : CodeKind::System;
  case FunctionOrigin::CudaHeader:
    return CodeKind::Header;
  case FunctionOrigin::CudaLibrary:
    return CodeKind::Library;
  case FunctionOrigin::User:
    break;
  }
  if (!F.isDeclaration() && callsStub(F))
    return CodeKind::Header;
  if (Table)
    return CodeKind::User;
  if (Symbol.starts_with("_ZN6thrust") || Symbol.starts_with("_ZN3cub"))
    return CodeKind::Library;
  return kindOfFile(file(F));
}

CodeKind ModuleView::kind(const Function &F) {
  auto [It, New] = Kinds.try_emplace(&F, CodeKind::User);
  if (!New)
    return It->second;
  CodeKind K = computeKind(F);
  return Kinds[&F] = K;
}

const std::optional<ApiMatch> &ModuleView::api(const Function &F) {
  auto [It, New] = Apis.try_emplace(&F);
  if (!New)
    return It->second;
  if (isLaunchHelper(F))
    return It->second = matchApiName("__cudaLaunchKernel");
  if (!F.isDeclaration() || F.isIntrinsic())
    return It->second;
  It->second = matchApiFunction(F);
  // The program's own extern "C" cudaFoo(): the AST knows that no CUDA header declares it.
  std::string Symbol = F.getName().str();
  if (It->second && It->second->ByPrefix && It->second->Op == GPUINSTR_OP_OTHER && Table &&
      Table->origin(Symbol) == FunctionOrigin::User && !Table->functionName(Symbol).empty())
    It->second.reset();
  return It->second;
}

std::optional<ApiMatch> ModuleView::wrappedApi(const Function &F) {
  return matchApiName(baseName(plainSymbol(F)));
}

bool ModuleView::isUserDeclaration(const Function &F) {
  return F.isDeclaration() && !F.isIntrinsic() && Table && !api(F) && kind(F) == CodeKind::User &&
         !Table->functionName(plainSymbol(F).str()).empty();
}

bool ModuleView::allocatesElsewhere(const Function &F) {
  constexpr StringLiteral Word = "alloc";
  if (!F.getName().contains_insensitive(Word) || !isUserDeclaration(F))
    return false;
  StringRef Name = name(F); // without parameters' types, and the classes around it
  return Name.substr(Name.rfind(':') + 1).contains_insensitive(Word);
}

uint64_t ModuleView::pointersToConst(const Function &F) {
  return Table && !F.hasStructRetAttr() ? Table->pointersToConst(plainSymbol(F).str()) : 0;
}

const std::string &ModuleView::name(const Function &F) {
  auto [It, New] = Names.try_emplace(&F);
  if (!New)
    return It->second;
  std::string Name = Table ? Table->functionName(plainSymbol(F).str()) : "";
  if (Name.empty())
    Name = demangledName(plainSymbol(F));
  return Names[&F] = kernelName(std::move(Name));
}

std::string ModuleView::file(const Function &F) {
  const DISubprogram *Subprogram = F.getSubprogram();
  return Subprogram && Subprogram->getFile() ? Subprogram->getFilename().str() : "";
}

std::string ModuleView::symbol(const Function &F) {
  std::string S = plainSymbol(F).str();
  if (S.compare(0, 2, "_Z") == 0)
    for (std::size_t I = 2; I + 2 < S.size(); ++I)
      if ((S[I] == 'C' || S[I] == 'D') && S[I + 1] >= '0' && S[I + 1] <= '3' && S[I + 2] == 'E')
        S[I + 1] = '2';
  return S;
}

uint64_t ModuleView::hash(const Function &F) { return stableHash(symbol(F)); }

} // namespace gpuinstr
