// Summarises one device function: which roots its statements read, write and let escape.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/walker/AccessWalker.h"

#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gpuinstr {
using namespace access;

namespace {

constexpr unsigned MaxPasses = 12; ///< until the locals' roots settle

constexpr Roots AllMemory = 0x5555555555555555;

} // namespace

const Expr *withoutVoid(const Expr *E) {
  const auto *Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  const bool IsVoid =
      Cast && Cast->getCastKind() == CK_BitCast && Cast->getType()->isVoidPointerType();
  return IsVoid ? Cast->getSubExpr() : E;
}

bool tradesPlaces(QualType From, QualType To, const ASTContext &Context) {
  return mayHoldPointers(From) && mayHoldPointers(To) &&
         !Context.hasSameUnqualifiedType(Context.getBaseElementType(From),
                                         Context.getBaseElementType(To)) &&
         (carriesNumber(From, Context) || carriesNumber(To, Context));
}

bool isConstant(const Expr &E, const ASTContext &Context) {
  Expr::EvalResult Value;
  return !E.isValueDependent() && E.EvaluateAsInt(Value, Context);
}

bool carriesAddress(QualType T, const ASTContext &Context) {
  return !T.isNull() && !T->isIncompleteType() && !T->isDependentType() &&
         !T->isRealFloatingType() && !mayHoldPointers(T) && !T->isFunctionType() &&
         Context.getTypeSize(T) >= 64;
}

bool carriesAddress(const Expr &E, const ASTContext &Context) {
  return carriesAddress(E.getType(), Context) && !isConstant(E, Context);
}

AccessWalker::AccessWalker(KernelAccess &Whole, const FunctionDecl &F, const MemberRoots &Members)
    : Whole(Whole), F(F), Members(Members), Flow(Whole, F) {}

bool AccessWalker::run(AccessSummary &Out) {
  Object = rootOf(F, F.getNumParams());
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  // The closure is a parameter of the lambda's own, not the object.
  if (Object >= MaxRootedParameters ||
      (Method && Method->isExplicitObjectMemberFunction() && Method->getParent()->isLambda()))
    return false;
  if (isa<CXXDestructorDecl>(F)) // its members' destructors stand nowhere
    flagUnseen(memoryOf(Object) | behind(Object), Unknown | Escape);
  for (unsigned I = 0; I < F.getNumParams(); ++I) {
    const ParmVarDecl *P = F.getParamDecl(I);
    const unsigned Root = rootOf(F, I);
    const bool HasRoot = Root < MaxRootedParameters;
    if (P->getType()->isReferenceType())
      References[P] = objectOf(Root);
    else if (mayHoldPointers(P->getType()))
      Held[P] = memoryOf(Root) | Members.of(I);
    if (P->getType().isDestructedType())
      destroyed(P->getType(),
                (HasRoot ? memoryOf(Root) | behind(Root) : 0) | Members.of(I) | Members.of(I) << 1);
  }
  for (unsigned Pass = 0; Pass < MaxPasses && !GaveUp; ++Pass) {
    const AccessSummary Before = Summary;
    Changed = false;
    pass();
    giveAway();
    if (!Changed && Before == Summary) {
      Out = Summary;
      return !GaveUp;
    }
  }
  return false;
}

void AccessWalker::pass() {
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(&F))
    for (const CXXCtorInitializer *Init : Constructor->inits()) {
      Location Own;
      Own.Memory = memoryOf(Object);
      // A base or delegated constructor stores into the same object.
      const FieldDecl *Member = Init->getAnyMember();
      const bool Reference = Member && Member->getType()->isReferenceType();
      Roots Stored = Init->getInit()->isGLValue() && Reference ? address(place(Init->getInit()))
                                                               : value(Init->getInit());
      Stored = Reference ? Stored : withoutDistance(Stored, Init->getInit()->getType());
      if (Stored)
        store(Own, Stored);
    }
  statement(F.getBody());
}

void AccessWalker::giveAway() {
  for (const auto &[V, Leads] : Held)
    if (Summary.MakesKept && V->getType()->getBaseElementTypeUnsafe()->isRecordType())
      flag(Leads, Unknown | Escape);
}

void AccessWalker::flag(Roots R, uint8_t Access, bool Regular) {
  if (Access & (Unknown | Escape))
    R |= heldIn(R);
  if (Access & Write && !Regular)
    Access |= Anywhere;
  for (unsigned Bit = 0; R; R >>= 1, ++Bit)
    if (R & 1)
      Summary.Access[Bit] |= Access;
}

void AccessWalker::flagUnseen(Roots R, uint8_t Access) {
  flag(R, Access);
  flag(Globals | BehindGlobals, Unknown);
}

/// Its destructor stands nowhere. Value: what pointers in it lead to.
void AccessWalker::destroyed(QualType T, Roots Value) {
  flagUnseen(Value, Unknown | Escape);
  T = Whole.context().getBaseElementType(T);
  const CXXRecordDecl *Class = T->getAsCXXRecordDecl();
  const CXXDestructorDecl *Destructor = Class ? Class->getDestructor() : nullptr;
  if (!carriesNumber(T, Whole.context()) ||
      (Destructor && Whole.isSystem(Destructor->getLocation())))
    return;
  const AccessSummary *Known = Destructor ? Whole.summary(*Destructor) : nullptr;
  if (!Known || Known->Access[2 * GlobalsIndex] & Forged)
    forge();
}

Roots AccessWalker::next(Roots R) {
  flag(R & ~AllMemory, Unknown);
  Roots Value = (R & AllMemory) << 1 | heldIn(R);
  for (unsigned I = 0; I < Members.end(Object); ++I)
    if (R & memoryOf(I))
      Value |= Summary.Stored[I];
  return Value;
}

Roots AccessWalker::load(const Location &L, QualType T, bool Own) {
  if (!Own)
    flag(L.Memory, Read);
  if (!mayHoldPointers(T))
    return distancesIn(L);
  const bool HasSize = !T->isIncompleteType() && !T->isDependentType();
  const uint64_t Bytes = HasSize ? Whole.context().getTypeSizeInChars(T).getQuantity() : 0;
  if (const std::optional<Roots> Value = HasSize ? heldAt(L, 0, Bytes) : std::nullopt)
    return *Value;
  Roots Value = L.Temporary | next(L.Memory);
  for (const ValueDecl *V : L.Locals)
    Value |= Held.lookup(V);
  return Value;
}

void AccessWalker::store(const Location &L, Roots Value, bool Regular) {
  flag(L.Memory, Write, Regular);
  for (const ValueDecl *V : L.Locals) {
    if (V->getType()->isUnionType())
      flag(Value, Escape); // may be read as something else
    Roots &Now = Held[V];
    Changed |= (Value && Mixed.insert(V).second) || (Now | Value) != Now;
    Now |= Value;
  }
  if (L.Captured)
    flag(Value, Escape); // who reads it there is not followed
  if (!Value || (!L.Memory && !L.Temporary && !L.Locals.empty()))
    return;
  if (L.Memory & (Globals | BehindGlobals))
    flag(Value, Escape);
  // Into the memory of one parameter: the caller may know which object that is.
  for (unsigned I = 0; I < Members.end(Object); ++I)
    if (L.Memory == memoryOf(I)) {
      Summary.Stored[I] |= Value;
      return;
    }
  flag(Value, Escape);
}

Roots AccessWalker::address(const Location &L) {
  for (const ValueDecl *V : L.Locals)
    flag(Held.lookup(V), Escape);
  flag(L.Temporary | heldIn(L.Memory), Escape);
  if (!L.Locals.empty() || L.Temporary || !L.Memory) {
    Changed |= !OwnPlaces;
    OwnPlaces = true;
  }
  return L.Memory;
}

void AccessWalker::declare(const ValueDecl *V, const Expr *Init) {
  if (const auto *Decomposed = dyn_cast<DecompositionDecl>(V))
    for (const BindingDecl *Binding : Decomposed->bindings())
      if (Binding->getHoldingVar()) // bound through get<>()
        GaveUp = true;
  if (V->getType()->isReferenceType()) {
    Location L;
    if (Init->isGLValue())
      L = place(Init);
    else
      L.Temporary = withoutDistance(value(Init), Init->getType());
    Location &Known = References[V];
    Changed |= (Known.Memory | L.Memory) != Known.Memory ||
               (Known.Temporary | L.Temporary) != Known.Temporary ||
               Known.Locals.size() != L.Locals.size();
    L.Memory |= Known.Memory;
    L.Temporary |= Known.Temporary;
    Known = std::move(L);
    return;
  }
  Roots Value = value(Init);
  if (V->getType().isDestructedType()) // with all that it is given later
    destroyed(V->getType(), Value | Held.lookup(V));
  const auto *Variable = dyn_cast<VarDecl>(V);
  if (Variable && (!Variable->hasLocalStorage() || isSharedOfCudafe(*Variable)))
    flag(Value, Escape);
  else if (V->getType()->isUnionType())
    flag(Value, Escape); // may be read as something else
  else if (mayHoldPointers(V->getType())) {
    Roots &Now = Held[V];
    Changed |= (Now | Value) != Now;
    Now |= Value;
    keepFields(V, Init);
  } else if (Value) {
    Location L;
    L.Locals = {V};
    keepDistance(L, Value);
  }
}

void AccessWalker::statement(const Stmt *S) {
  if (!S || GaveUp)
    return;
  if (!Whole.step()) {
    GaveUp = true;
    return;
  }
  if (const auto *E = dyn_cast<Expr>(S)) {
    value(E);
  } else if (const auto *Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declarations->decls()) {
      const auto *V = dyn_cast<VarDecl>(D);
      GaveUp |= V && V->hasAttr<CleanupAttr>(); // a call that stands nowhere
      if (V && V->hasInit())
        declare(V, V->getInit());
    }
  } else if (const auto *Return = dyn_cast<ReturnStmt>(S)) {
    if (const Expr *E = Return->getRetValue()) {
      const bool Refers = E->isGLValue() && F.getReturnType()->isReferenceType();
      const Roots Value = Refers ? address(place(E)) : value(E);
      Summary.Returned |=
          Refers || isDistance(E->getType()) ? Value : withoutDistance(Value, E->getType());
    }
  } else if (const auto *Assembly = dyn_cast<AsmStmt>(S)) {
    assembly(Assembly);
  } else {
    for (const Stmt *Child : S->children())
      statement(Child);
  }
}

/// Memory of parameters and variables is followed whatever its type; the caller may know one.
void AccessWalker::pun(QualType From, QualType To, Roots Memory) {
  const bool Differs =
      mayHoldPointers(From) != mayHoldPointers(To) || tradesPlaces(From, To, Whole.context());
  if (Differs && (!Memory || OwnPlaces))
    forge();
  else if (Differs || From->isVoidType())
    Summary.Punned |= Memory;
  if (Differs)
    Summary.Retyped |= Memory;
  const bool MayHold = From->isVoidType() || mayHoldPointers(From);
  if (MayHold && !To->isVoidType() && (Differs || !mayHoldPointers(To)))
    Summary.Exposed |= Memory;
}

/// An address as a number: what it leads to may be written by that, as numbers.
void AccessWalker::expose(Roots Value, const Expr &Pointer) {
  flag(Value, Unknown | Escape);
  Summary.Punned |= Value;
  const QualType To = Pointer.IgnoreParenImpCasts()->getType();
  if (!Value && To->isPointerType() && mayHoldPointers(To->getPointeeType()))
    forge();
}

} // namespace gpuinstr
