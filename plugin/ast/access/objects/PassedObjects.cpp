// Objects as arguments, and numbers that may be addresses.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/AccessWalker.h"
#include "ast/access/KernelAccess.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/Expr.h"

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

/// To an object of ours of type T, if to no memory of a parameter.
void AccessWalker::leadsTo(Passed &P, QualType T) {
  T = Whole.context().getBaseElementType(T);
  if (P.Memory || T->isIncompleteType() || T->isDependentType())
    return;
  P.Number = carriesNumber(T, Whole.context());
  P.Plain = !mayHoldPointers(T) || mixesPointers(T);
  P.Holds = mayHoldPointers(T);
}

/// A distance is followed where it is added to a pointer: through locals, not through memory.
bool AccessWalker::isDistance(QualType T) { return T->isIntegerType() && !T->isBooleanType(); }

/// What both pointers lead to, if that is not the same: `a + (b - a)` leads where b does.
Roots AccessWalker::distance(const BinaryOperator &E) {
  const Roots To = value(E.getLHS()), From = value(E.getRHS());
  if (To == From)
    return 0;
  if (!To || !From) // from null it is an address, from shared memory as good as one
    flag(To | From, Unknown | Escape);
  return To | From;
}

Roots AccessWalker::distancesIn(const Location &L) const {
  Roots Value = 0;
  for (const ValueDecl *V : L.Locals)
    if (!mayHoldPointers(V->getType()))
      Value |= Held.lookup(V);
  return Value;
}

void AccessWalker::keepDistance(const Location &L, Roots Value) {
  if (!Value)
    return;
  for (const ValueDecl *V : L.Locals) {
    Roots &Now = Held[V];
    Changed |= (mayHoldPointers(V->getType()) && Mixed.insert(V).second) || (Now | Value) != Now;
    Now |= Value;
  }
}

Roots AccessWalker::distanceIn(const Passed &Number, const Expr &Argument) const {
  Location L;
  L.Locals = Number.Locals;
  return Argument.isGLValue() ? distancesIn(L) : Number.Memory;
}

/// Whoever gets a distance may add it to any of the pointers.
void AccessWalker::addDistances(llvm::MutableArrayRef<Passed> Arguments, Roots Distances) {
  for (Passed &A : Arguments)
    if (Distances && (A.Memory || A.Behind)) {
      A.Memory |= Distances;
      A.Behind |= Distances;
      A.Parts.reset();
    }
}

} // namespace gpuinstr
