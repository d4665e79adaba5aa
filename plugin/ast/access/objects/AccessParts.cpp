// Objects of device code whose pointers are known apart: parameters, and copies of them.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/access/walker/AccessWalker.h"
#include "compat/ClangCompat.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace gpuinstr {

const Expr *passedThrough(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee || Call->getNumArgs() != 1 || !Callee->isInStdNamespace() || !Callee->getIdentifier())
    return nullptr;
  const llvm::StringRef Name = Callee->getName();
  const bool Same = Name == "forward" || Name == "move" || Name == "as_const";
  return Same && Call->getArg(0)->isGLValue() ? Call->getArg(0) : nullptr;
}

namespace {

/// What is copied where E makes a copy byte by byte.
const Expr *copied(const Expr *E) {
  const auto *Construct = dyn_cast<CXXConstructExpr>(E);
  if (!Construct || !Construct->getConstructor()->isTrivial() || Construct->getNumArgs() != 1 ||
      !Construct->getConstructor()->isCopyOrMoveConstructor())
    return nullptr;
  return Construct->getArg(0);
}

const Expr *withoutWrappers(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (const auto *Full = dyn_cast<FullExpr>(E))
      E = Full->getSubExpr();
    else if (const auto *Cast = dyn_cast<CastExpr>(E);
             Cast &&
             (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_ConstructorConversion))
      E = Cast->getSubExpr();
    else
      return E;
  }
}

uint64_t bytesAt(const FieldDecl &Field) {
  const ASTContext &Context = Field.getASTContext();
  return uint64_t(Context.toCharUnitsFromBits(Context.getFieldOffset(&Field)).getQuantity());
}

/// Where a closure holds `*this`; null if it does not.
const FieldDecl *copyOfThis(const CXXRecordDecl &Class) {
  if (!Class.isLambda())
    return nullptr;
  llvm::DenseMap<const ValueDecl *, FieldDecl *> Fields;
  FieldDecl *This = nullptr;
  Class.getCaptureFields(Fields, This);
  return This && This->getType()->isRecordType() ? This : nullptr;
}

/// So that it may be looked at twice: calls in calls would cost twice as much with each level.
bool callsNothing(const Stmt *S) {
  if (!S)
    return true;
  if (const auto *E = dyn_cast<Expr>(S)) {
    if (isThreadIndex(E))
      return true;
    if (const Expr *Through = passedThrough(E))
      return callsNothing(Through);
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E);
        Construct && !Construct->getConstructor()->isTrivial())
      return false;
    if (const auto *Closure = dyn_cast<LambdaExpr>(E))
      return llvm::all_of(Closure->capture_inits(), callsNothing);
    if (isa<CallExpr, StmtExpr, PseudoObjectExpr>(E))
      return false;
  }
  return llvm::all_of(S->children(), callsNothing);
}

} // namespace

Location AccessWalker::objectOf(unsigned Parameter) const {
  Location L;
  L.Memory = memoryOf(Parameter);
  if (Members.isSplit(Parameter))
    L.Offset = 0;
  return L;
}

Roots AccessWalker::heldIn(Roots R) const {
  Roots Value = 0;
  for (unsigned I = 0; I <= Object; ++I)
    if (R & memoryOf(I) && (I == Object || F.getParamDecl(I)->getType()->isReferenceType()))
      Value |= Members.of(I);
  return Value;
}

std::optional<Roots> AccessWalker::heldAt(const Location &L, uint64_t Offset, uint64_t Bytes) {
  if (L.Temporary || L.Captured)
    return std::nullopt;
  const uint64_t At = L.Offset.value_or(0) + Offset;
  if (L.Locals.empty()) { // what a parameter refers to, or the own object
    for (unsigned I = 0; I <= Object && L.Offset; ++I)
      if (L.Memory == memoryOf(I) && Members.isSplit(I) && !Summary.Stored[I])
        return Members.at(I, At, Bytes);
    return std::nullopt;
  }
  if (L.Memory)
    return std::nullopt;
  const ValueDecl *V = L.Locals[0];
  if (L.Offset && L.Locals.size() == 1 && !Mixed.contains(V)) {
    if (const auto *P = dyn_cast<ParmVarDecl>(V); P && Members.isSplit(P->getFunctionScopeIndex()))
      return Members.at(P->getFunctionScopeIndex(), At, Bytes);
    if (const auto Known = Apart.find(V); Known != Apart.end())
      return Known->second.at(At, Bytes);
  }
  Roots Value = 0; // any of what the variables hold
  for (const ValueDecl *Local : L.Locals)
    Value |= Held.lookup(Local);
  return Value;
}

std::optional<Fields> AccessWalker::fieldsAt(const Location &L, QualType T) {
  llvm::SmallVector<MemberRoot, 8> Pointers;
  if (!heldAt(L, 0, 0) || !pointersOf(T, Whole.context(), Pointers))
    return std::nullopt;
  Fields Out;
  Out.Of = Whole.context().getCanonicalType(T).getUnqualifiedType();
  for (const MemberRoot &Pointer : Pointers)
    Out.All.push_back({Pointer.Offset, *heldAt(L, Pointer.Offset, PointerBytes)});
  return Out;
}

std::optional<Fields> AccessWalker::fieldsOf(const Expr *E) {
  return E->getType()->isRecordType() && callsNothing(E) ? fieldsOfObject(E) : std::nullopt;
}

std::optional<Fields> AccessWalker::fieldsOfObject(const Expr *E) {
  E = withoutWrappers(E);
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    return fieldsOfObject(Temporary->getSubExpr());
  if (E->isGLValue())
    return fieldsAt(place(E), E->getType());
  if (const Expr *From = copied(E))
    return fieldsOfObject(From);
  llvm::SmallVector<MemberRoot, 8> Pointers;
  if (!isa<LambdaExpr, InitListExpr>(E) || !pointersOf(E->getType(), Whole.context(), Pointers))
    return std::nullopt;
  Fields Out;
  Out.Of = Whole.context().getCanonicalType(E->getType()).getUnqualifiedType();
  if (!addFields(E, E->getType(), 0, Out) || Out.All.size() != Pointers.size())
    return std::nullopt;
  llvm::sort(Out.All);
  for (auto [Found, Pointer] : llvm::zip(Out.All, Pointers))
    if (Found.first != Pointer.Offset)
      return std::nullopt;
  return Out;
}

/// Of an object, an array or a pointer of type T that E initialises, at Offset.
bool AccessWalker::addFields(const Expr *E, QualType T, uint64_t Offset, Fields &Out) {
  if (GaveUp || !mayHoldPointers(T))
    return !GaveUp && !value(E); // no distance
  E = E->IgnoreParens();
  if (T->isReferenceType() || T->isPointerType()) {
    Out.All.push_back({Offset, E->isGLValue() ? address(place(E)) : value(E)});
    return true;
  }
  E = withoutWrappers(E);
  if (const auto *Closure = dyn_cast<LambdaExpr>(E))
    return addCaptures(Closure, Offset, Out);
  if (const auto *List = dyn_cast<InitListExpr>(E))
    return addList(List, Offset, Out);
  const std::optional<Fields> Part = T->isRecordType() ? fieldsOfObject(E) : std::nullopt;
  if (!Part || Part->Of != Whole.context().getCanonicalType(T).getUnqualifiedType())
    return false;
  for (const auto &[At, Leads] : Part->All)
    Out.All.push_back({Offset + At, Leads});
  return true;
}

bool AccessWalker::addCaptures(const LambdaExpr *E, uint64_t Offset, Fields &Out) {
  if (isPartOfThis(*E)) // nobody has to know what it holds
    return false;
  auto Init = E->capture_init_begin();
  for (const FieldDecl *Field : E->getLambdaClass()->fields()) {
    if (Init == E->capture_init_end() || !*Init ||
        !addFields(*Init++, Field->getType(), Offset + bytesAt(*Field), Out))
      return false;
  }
  return Init == E->capture_init_end();
}

bool AccessWalker::addList(const InitListExpr *E, uint64_t Offset, Fields &Out) {
  const InitListExpr *List = E->isSemanticForm() ? E : E->getSemanticForm();
  if (!List)
    return false;
  const QualType T = List->getType();
  if (List->isTransparent())
    return addFields(List->getInit(0), T, Offset, Out);
  if (const ConstantArrayType *Array = Whole.context().getAsConstantArrayType(T)) {
    const uint64_t Bytes =
        Whole.context().getTypeSizeInChars(Array->getElementType()).getQuantity();
    if (List->hasArrayFiller() && Array->getSize() != List->getNumInits())
      return false;
    for (unsigned I = 0; I < List->getNumInits(); ++I)
      if (!addFields(List->getInit(I), Array->getElementType(), Offset + I * Bytes, Out))
        return false;
    return true;
  }
  const CXXRecordDecl *Class = T->getAsCXXRecordDecl();
  if (!Class || Class->isUnion())
    return false;
  const ASTRecordLayout &Layout = Whole.context().getASTRecordLayout(Class);
  unsigned Next = 0;
  for (const CXXBaseSpecifier &Base : Class->bases()) {
    const CXXRecordDecl *Of = Base.getType()->getAsCXXRecordDecl();
    if (!Of || Base.isVirtual() || Next >= List->getNumInits() ||
        !addFields(List->getInit(Next++), Base.getType(),
                   Offset + Layout.getBaseClassOffset(Of).getQuantity(), Out))
      return false;
  }
  for (const FieldDecl *Field : Class->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    if (Next >= List->getNumInits() ||
        !addFields(List->getInit(Next++), Field->getType(), Offset + bytesAt(*Field), Out))
      return false;
  }
  return true;
}

/// Where the local variable V gets all that it ever holds by its initialiser.
void AccessWalker::keepFields(const ValueDecl *V, const Expr *Init) {
  std::optional<Fields> Now;
  if (V->getType()->isRecordType() && !Mixed.contains(V))
    Now = fieldsOf(Init);
  if (!Now || Now->Of != Whole.context().getCanonicalType(V->getType()).getUnqualifiedType()) {
    Changed |= Apart.erase(V);
    return;
  }
  Fields &Before = Apart[V];
  Changed |= Before.All != Now->All;
  Before = std::move(*Now);
}

uint32_t AccessWalker::worthSplitting(const FunctionDecl &Callee,
                                      llvm::ArrayRef<Passed> Arguments) {
  uint32_t Which = 0;
  for (unsigned I = 0; I < Arguments.size() && I < MaxRootedParameters; ++I) {
    const Passed &A = Arguments[I];
    const QualType T = A.Parts ? objectType(Callee, I) : QualType();
    if (T.isNull() || T != A.Parts->Of)
      continue;
    const bool Refers =
        I >= Callee.getNumParams() || Callee.getParamDecl(I)->getType()->isReferenceType();
    const bool Outer = Refers && A.Memory; // in an object of the caller's caller
    const Roots All = Refers ? A.Behind : A.Memory;
    if (llvm::any_of(A.Parts->All, [&](const auto &Part) { return Outer || Part.second != All; }))
      Which |= uint32_t(1) << I;
  }
  return Which;
}

Location AccessWalker::pointee(const Expr *Pointer) {
  Pointer = Pointer->IgnoreParens();
  Location L;
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (Method && isa<CXXThisExpr>(Pointer)) {
    const FieldDecl *Copy = copyOfThis(*Method->getParent());
    if (!Method->getParent()->isLambda() || (Copy && Members.isSplit(Object))) {
      L = objectOf(Object);
      if (Copy)
        *L.Offset += bytesAt(*Copy);
      return L;
    }
  }
  if (const auto *Cast = dyn_cast<CastExpr>(Pointer);
      Cast && (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_DerivedToBase ||
               Cast->getCastKind() == CK_UncheckedDerivedToBase)) {
    L = pointee(Cast->getSubExpr());
    moveToBase(L, *Cast);
    return L;
  }
  L.Memory = value(withoutVoid(Pointer));
  return L;
}

} // namespace gpuinstr
