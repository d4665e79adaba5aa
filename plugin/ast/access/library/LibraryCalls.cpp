// What calls of CUDA's classes do that are known by name.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/library/LibraryClasses.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace gpuinstr {
using namespace access;

namespace {

/// An atomic object's functions that leave it as it is.
bool onlyLoads(const FunctionDecl &F) {
  return isa<CXXConversionDecl>(F) ||
         (F.getIdentifier() && (F.getName() == "load" || F.getName() == "is_lock_free" ||
                                F.getName().starts_with("notify_")));
}

} // namespace

std::optional<Roots> AccessWalker::applyLibrary(const FunctionDecl &Callee,
                                                llvm::ArrayRef<Passed> Arguments, bool Regular) {
  const LibraryEffect Effect = libraryEffect(Callee, Whole);
  if (Effect == LibraryEffect::None)
    return std::nullopt;
  if (Effect == LibraryEffect::Shape)
    return 0;
  if (Effect == LibraryEffect::GridWait) {
    flagUnseen(0);
    return 0;
  }
  if (Effect == LibraryEffect::Unseen)
    return applyUnseen(Arguments);
  if (Effect == LibraryEffect::Refer)
    return Arguments[0].Memory;
  const unsigned Parameters = Callee.getNumParams();
  for (unsigned I = 0; I < Parameters; ++I) {
    const QualType T = Callee.getParamDecl(I)->getType();
    if (T->isReferenceType())
      flag(Arguments[I].Memory, T->getPointeeType().isConstQualified() ? Read : Read | Write,
           Regular);
  }
  const auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
  if (!Method || Arguments.size() <= Parameters)
    return 0;
  const Passed &Own = Arguments[Parameters];
  if (Effect == LibraryEffect::Value) {
    flag(Own.Memory, Method->isConst() ? Read : Read | Write, Regular);
    return Callee.getReturnType()->isReferenceType() ? Own.Memory : 0;
  }
  const uint8_t Access = onlyLoads(Callee) ? Read : Read | Write;
  if (Effect == LibraryEffect::Atomic) {
    flag(Own.Memory, Access);
  } else {
    flag(Own.Memory, Read);
    flag(Own.Behind | (Own.Loads ? next(Own.Memory) : 0), Access);
  }
  return 0;
}

} // namespace gpuinstr
