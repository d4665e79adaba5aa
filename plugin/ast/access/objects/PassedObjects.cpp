// Objects as arguments, and numbers in them that may be addresses.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

using namespace clang;

namespace gpuinstr {
using namespace access;

namespace {

/// A union holds pointers or something else.
bool mixesPointers(QualType T) {
  const auto *Record = T.getCanonicalType()->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record || !mayHoldPointers(T))
    return false;
  auto IsMixed = [&](const FieldDecl *Field) {
    return (Record->isUnion() && !mayHoldPointers(Field->getType())) ||
           mixesPointers(Field->getASTContext().getBaseElementType(Field->getType()));
  };
  const auto *Class = dyn_cast<CXXRecordDecl>(Record);
  return llvm::any_of(Record->fields(), IsMixed) ||
         (Class && llvm::any_of(Class->bases(), [](const CXXBaseSpecifier &Base) {
            return mixesPointers(Base.getType());
          }));
}

} // namespace

bool carriesNumber(QualType T, const ASTContext &Context) {
  T = Context.getBaseElementType(T);
  if (!mayHoldPointers(T))
    return carriesAddress(T, Context);
  const auto *Record = T.getCanonicalType()->getAsRecordDecl();
  Record = Record ? Record->getDefinition() : nullptr;
  if (!Record)
    return false;
  const auto *Class = dyn_cast<CXXRecordDecl>(Record);
  return llvm::any_of(
             Record->fields(),
             [&](const FieldDecl *Field) { return carriesNumber(Field->getType(), Context); }) ||
         (Class && llvm::any_of(Class->bases(), [&](const CXXBaseSpecifier &Base) {
            return carriesNumber(Base.getType(), Context);
          }));
}

Passed AccessWalker::passedObject(const Location &L, QualType T) {
  Passed P;
  P.Memory = L.Memory;
  P.Behind = L.Temporary;
  P.Loads = true;
  P.Locals = L.Locals;
  for (const ValueDecl *V : L.Locals)
    P.Behind |= Held.lookup(V);
  P.Parts = fieldsAt(L, T);
  leadsTo(P, T);
  return P;
}

/// To an object of ours of type T, if not to memory of a parameter alone.
void AccessWalker::leadsTo(Passed &P, QualType T) {
  T = Whole.context().getBaseElementType(T);
  const bool MayBeOurs = !P.Memory || !P.Locals.empty() || OwnPlaces;
  if (!MayBeOurs || T->isIncompleteType() || T->isDependentType())
    return;
  P.Number = carriesNumber(T, Whole.context());
  P.Plain = !mayHoldPointers(T) || mixesPointers(T);
  P.Holds = mayHoldPointers(T);
}

} // namespace gpuinstr
