// Where a declaration comes from: the program, the system, CUDA's headers or its libraries.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/CodeOrigin.h"

#include "api/CudaApi.h"
#include "ast/conditions/CompilerFiles.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/Path.h"

using namespace clang;
using llvm::StringRef;

namespace gpuinstr {
namespace {

std::optional<FunctionOrigin> ofNamespace(StringRef Outermost, StringRef Next) {
  if (Outermost == "thrust" || Outermost == "cub" || Outermost == "cooperative_groups" ||
      Outermost == "nvcuda")
    return FunctionOrigin::CudaLibrary;
  if (Outermost == "cuda" && Next == "std")
    return FunctionOrigin::System;
  if (Outermost == "std" || Outermost == "__gnu_cxx" || Outermost == "__cxxabiv1")
    return FunctionOrigin::System;
  return std::nullopt;
}

/// The name at the head of Text in Itanium's `<length><name>` form.
StringRef takeSourceName(StringRef &Text) {
  unsigned Length = 0;
  if (Text.consumeInteger(10, Length) || Length > Text.size())
    return "";
  StringRef Name = Text.take_front(Length);
  Text = Text.drop_front(Length);
  return Name;
}

/// Without casts, temporaries and what is constructed from it alone: p of Ptr<T>(p).
const Expr *innermost(const Expr *E) {
  for (const Expr *Before = nullptr; E != Before;) {
    Before = E;
    E = E->IgnoreParenCasts()->IgnoreImplicit();
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
        Construct && Construct->getNumArgs() != 0 &&
        (Construct->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(Construct->getArg(1))))
      E = Construct->getArg(0);
  }
  return E;
}

const FunctionDecl *calleeOf(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  return Call ? Call->getDirectCallee() : nullptr;
}

/// `p`, std::move(p) or std::forward<P>(p), where p is a parameter.
bool isParameter(const Expr *E) {
  E = innermost(E);
  const FunctionDecl *Callee = calleeOf(E);
  const IdentifierInfo *Name =
      Callee && Callee->isInStdNamespace() ? Callee->getIdentifier() : nullptr;
  if (Name && (Name->isStr("move") || Name->isStr("forward")))
    E = innermost(cast<CallExpr>(E)->getArg(0));
  const auto *Reference = dyn_cast<DeclRefExpr>(E);
  return Reference && isa<ParmVarDecl>(Reference->getDecl());
}

template <class Call> bool handsOnParameters(const Call &C) {
  return llvm::all_of(C.arguments(), [](const Expr *Argument) {
    return isa<CXXDefaultArgExpr>(Argument) || isParameter(Argument);
  });
}

} // namespace

bool CodeOrigin::makesPointer(const FunctionDecl &F) {
  const IdentifierInfo *Name = F.getIdentifier();
  if (Name && F.isInStdNamespace())
    return Name->isStr("make_unique") || Name->isStr("make_shared");
  const auto *Body = F.hasBody() ? dyn_cast_or_null<CompoundStmt>(F.getBody()) : nullptr;
  const auto *Return =
      Body && Body->size() == 1 ? dyn_cast<ReturnStmt>(Body->body_front()) : nullptr;
  const Expr *Value = Return ? Return->getRetValue() : nullptr;
  if (!Value || F.isDependentContext())
    return false;
  Value = innermost(Value);
  if (const auto *New = dyn_cast<CXXNewExpr>(Value))
    return New->getConstructExpr() && !New->isArray() && New->getNumPlacementArgs() == 0 &&
           handsOnParameters(*New->getConstructExpr());
  const FunctionDecl *Callee = calleeOf(Value);
  return Callee && Callee->isInStdNamespace() && makesPointer(*Callee) &&
         handsOnParameters(*cast<CallExpr>(Value));
}

bool CodeOrigin::isEntryPoint(StringRef Name) { return matchApiName(Name).has_value(); }

std::optional<FunctionOrigin> CodeOrigin::ofSymbol(StringRef Symbol) {
  if (!Symbol.consume_front("_Z"))
    return std::nullopt;
  if (Symbol.starts_with("St"))
    return FunctionOrigin::System;
  if (!Symbol.consume_front("N"))
    return std::nullopt;
  while (Symbol.consume_front("K") || Symbol.consume_front("V") || Symbol.consume_front("R") ||
         Symbol.consume_front("O"))
    ;
  // St is std, and Sa, Sb, Ss, Si, So, Sd are its best known classes.
  if (Symbol.size() > 1 && Symbol[0] == 'S' && StringRef("tabsiod").contains(Symbol[1]))
    return FunctionOrigin::System;
  StringRef Outermost = takeSourceName(Symbol);
  StringRef Next = takeSourceName(Symbol);
  if (Outermost == "cuda" && Next.starts_with("__"))
    Next = takeSourceName(Symbol); // cuda::__4::std
  return ofNamespace(Outermost, Next);
}

StringRef CodeOrigin::toolkit() {
  if (Toolkit)
    return *Toolkit;
  Toolkit = "";
  const SourceManager &SM = Context.getSourceManager();
  for (const char *Name : {"cudaGetLastError", "cuInit"}) {
    for (const NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get(Name))) {
      PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(D->getCanonicalDecl()->getLocation()));
      StringRef File = P.isValid() ? P.getFilename() : "";
      if (!llvm::sys::path::filename(File).starts_with("cuda"))
        continue; // a program's own mock or forward declaration
      *Toolkit = llvm::sys::path::parent_path(File).str();
      return *Toolkit;
    }
  }
  return *Toolkit;
}

FunctionOrigin CodeOrigin::ofFile(StringRef Path, bool System) {
  StringRef Root = toolkit();
  if (System && (Root.empty() || !Path.starts_with(Root)))
    Root = cudaFolderOf(Path); // a folder may go by several names
  if (!Root.empty() && Path.starts_with(Root)) {
    StringRef Rest = Path.drop_front(Root.size());
    if (Rest.starts_with("/thrust/") || Rest.starts_with("/cub/") || Rest.starts_with("/cccl/") ||
        Rest.starts_with("/cuda/") || Rest.starts_with("/cooperative_groups"))
      return FunctionOrigin::CudaLibrary;
    if (Rest.starts_with("/"))
      return FunctionOrigin::CudaHeader;
  }
  StringRef File = llvm::sys::path::filename(Path);
  // nvcc's launch stubs and registration, included at the end of what cudafe++ writes.
  if (File.ends_with(".cudafe1.stub.c"))
    return FunctionOrigin::CudaHeader;
  if (File.starts_with("__clang_cuda_") || File.starts_with("__clang_hip_"))
    return FunctionOrigin::CudaHeader;
  return System ? FunctionOrigin::System : FunctionOrigin::User;
}

FunctionOrigin CodeOrigin::ofLocation(SourceLocation Loc) {
  const SourceManager &SM = Context.getSourceManager();
  PresumedLoc P = SM.getPresumedLoc(SM.getExpansionLoc(Loc));
  if (P.isInvalid())
    return FunctionOrigin::System; // compiler-made: transparent
  auto Known = ByFile.find(P.getFilename());
  if (Known != ByFile.end())
    return Known->second;
  FunctionOrigin O = ofFile(P.getFilename(), SM.isInSystemHeader(SM.getExpansionLoc(Loc)));
  ByFile[P.getFilename()] = O;
  return O;
}

FunctionOrigin CodeOrigin::of(const FunctionDecl &F) {
  StringRef Next, Outermost;
  for (const DeclContext *C = F.getDeclContext(); C; C = C->getParent())
    if (const auto *Space = dyn_cast<NamespaceDecl>(C);
        Space && !Space->isInline() && Space->getIdentifier()) {
      Next = Outermost;
      Outermost = Space->getName();
      // A library wrapped into a namespace of its user's choice is still that library.
      if (auto O = ofNamespace(Outermost, Next); O && Outermost != "std")
        return *O;
    }
  if (Outermost == "std")
    return inStd(F.getLocation());
  if (auto O = ofNamespace(Outermost, Next))
    return *O;
  const FunctionOrigin O = ofLocation(F.getLocation());
  return O == FunctionOrigin::User && makesPointer(F) ? FunctionOrigin::System : O;
}

/// A standard library need not be the system's: it is one by its folders and names then.
FunctionOrigin CodeOrigin::inStd(SourceLocation Loc) {
  if (ofLocation(Loc) != FunctionOrigin::User)
    return FunctionOrigin::System;
  const SourceManager &SM = Context.getSourceManager();
  StringRef File = SM.getPresumedLoc(SM.getExpansionLoc(Loc)).getFilename();
  const bool IsLibrary = File.contains("/c++/") || !llvm::sys::path::has_extension(File);
  return IsLibrary ? FunctionOrigin::System : FunctionOrigin::User;
}

bool CodeOrigin::mayBeProgramsStd(StringRef Symbol) {
  if (!Symbol.consume_front("_Z"))
    return false;
  if (Symbol.consume_front("N"))
    while (Symbol.consume_front("K") || Symbol.consume_front("V") || Symbol.consume_front("R") ||
           Symbol.consume_front("O"))
      ;
  if (!Symbol.starts_with("S"))
    return false;
  if (!OpensStd) {
    OpensStd = false;
    for (const NamedDecl *D : Context.getTranslationUnitDecl()->lookup(&Context.Idents.get("std")))
      if (const auto *Std = dyn_cast<NamespaceDecl>(D))
        for (const NamespaceDecl *Part : Std->redecls())
          *OpensStd |= inStd(Part->getLocation()) == FunctionOrigin::User;
  }
  return *OpensStd;
}

} // namespace gpuinstr
