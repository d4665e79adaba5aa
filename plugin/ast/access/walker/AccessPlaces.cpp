// Where the glvalues of device code lie.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/access/walker/AccessWalker.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace gpuinstr {
bool isSharedOfCudafe(const VarDecl &V) {
  if (V.getASTContext().getLangOpts().CUDA || !V.hasAttr<UnusedAttr>() || isa<ParmVarDecl>(V))
    return false;
  const SourceManager &SM = V.getASTContext().getSourceManager();
  const auto [File, Offset] = SM.getDecomposedLoc(SM.getFileLoc(V.getLocation()));
  StringRef Before = SM.getBufferData(File).take_front(Offset);
  // `union {...} t`: what comes before the class that is defined there.
  const TagDecl *Tag = V.getASTContext().getBaseElementType(V.getType())->getAsTagDecl();
  Tag = Tag ? Tag->getDefinition() : nullptr;
  if (Tag && Tag->getBraceRange().isValid()) {
    const auto [Of, Begin] = SM.getDecomposedLoc(SM.getFileLoc(Tag->getOuterLocStart()));
    const auto [Same, End] = SM.getDecomposedLoc(SM.getFileLoc(Tag->getBraceRange().getEnd()));
    if (Of == File && Same == File && Begin < End && End < Offset &&
        Before.drop_front(End + 1).find_first_of(";{}") == StringRef::npos)
      Before = Before.take_front(Begin);
  }
  Before = Before.drop_front(Before.find_last_of(";{}") + 1); // npos + 1: all of it
  return Before.contains("__attribute__((unused)) ");
}

namespace {

bool holdsMutable(QualType T) {
  const auto *Class = T->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && Class->hasMutableFields();
}

/// A variable that lives longer than the kernel: not shared memory, nor what nobody may write.
bool isGlobal(const VarDecl &V) {
  const QualType Element = V.getASTContext().getBaseElementType(V.getType());
  return !V.hasAttr<CUDASharedAttr>() && !isSharedOfCudafe(V) &&
         (!Element.isConstQualified() || mayHoldPointers(Element) || holdsMutable(Element));
}

/// Where the closure whose call operator this is holds what it captured of V; null unknown.
const FieldDecl *fieldOf(const ValueDecl &V, const FunctionDecl &F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (!Method || !Method->getParent()->isLambda())
    return nullptr;
  llvm::DenseMap<const ValueDecl *, FieldDecl *> Fields;
  FieldDecl *This = nullptr;
  Method->getParent()->getCaptureFields(Fields, This);
  for (const auto &[Captured, Field] : Fields)
    if (Captured->getCanonicalDecl() == V.getCanonicalDecl())
      return Field;
  return nullptr;
}

/// The closure whose call operator this is holds a copy, of a reference one of what it refers to.
bool isCopied(const ValueDecl &V, const FunctionDecl &F) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&F);
  if (!Method || !Method->getParent()->isLambda() ||
      V.getType().getNonReferenceType()->isFunctionType()) // which nothing copies
    return false;
  for (const LambdaCapture &C : Method->getParent()->captures())
    if (C.capturesVariable() && C.getCapturedVar()->getCanonicalDecl() == V.getCanonicalDecl())
      return C.getCaptureKind() == LCK_ByCopy;
  return false;
}

void moveTo(Location &L, const FieldDecl &Field) {
  const ASTContext &Context = Field.getASTContext();
  if (L.Offset)
    *L.Offset += Context.toCharUnitsFromBits(Context.getFieldOffset(&Field)).getQuantity();
}

} // namespace

Location AccessWalker::placeOfName(const Expr *E) {
  Location L;
  const ValueDecl *V = cast<DeclRefExpr>(E)->getDecl();
  if (const auto *Binding = dyn_cast<BindingDecl>(V))
    return Binding->getBinding() ? place(Binding->getBinding()) : L;
  const auto *Variable = dyn_cast<VarDecl>(V);
  if (!Variable) {
    if (!isa<FunctionDecl>(V)) // an object that is a template's argument
      L.Memory = Globals;
    return L;
  }
  // What an init capture declares stands in the call operator.
  const bool Own =
      Variable->isLocalVarDeclOrParm() && isOwn(*Variable) && !Variable->isInitCapture();
  if (Variable->isLocalVarDeclOrParm() && Variable->hasLocalStorage() && !Own)
    return placeOfCaptured(*Variable);
  if (V->getType()->isReferenceType()) {
    const bool IsLocal = Variable->isLocalVarDeclOrParm() && !Variable->hasExternalStorage();
    if (!IsLocal)
      L.Memory = Globals;
    return IsLocal ? References.lookup(V) : L;
  }
  if (Own && Variable->hasLocalStorage() && !isSharedOfCudafe(*Variable)) {
    L.Locals = {V};
    L.Offset = 0;
  } else if (isGlobal(*Variable)) {
    L.Memory = Globals;
  }
  return L; // shared memory: of no parameter
}

/// Captured by the closure whose call operator this is: `this` holds it.
Location AccessWalker::placeOfCaptured(const VarDecl &V) {
  Location L;
  const bool Copied = isCopied(V, F);
  if (const FieldDecl *Field = Copied && Members.isSplit(Object) ? fieldOf(V, F) : nullptr) {
    L = objectOf(Object);
    moveTo(L, *Field);
    return L;
  }
  const bool Refers = V.getType()->isReferenceType() && !Copied;
  const bool Holds = Refers || mayHoldPointers(V.getType().getNonReferenceType());
  L.Captured = true;
  L.Temporary = behind(Object);
  L.Memory = behind(Object);
  if (!Refers && (Holds || Copied))
    L.Memory = 0;
  if (!Holds && !L.Memory)
    L.Temporary = 0;
  return L;
}

Location AccessWalker::placeOfMember(const Expr *E) {
  Location L;
  const auto *Member = cast<MemberExpr>(E);
  const Expr *Base = Member->getBase();
  if (Member->isArrow())
    L = pointee(Base);
  else if (Base->isGLValue())
    L = place(Base);
  else
    L.Temporary = withoutDistance(value(Base), Base->getType());
  if (const auto *Static = dyn_cast<VarDecl>(Member->getMemberDecl())) {
    L = Location();
    L.Memory = isGlobal(*Static) ? Globals : 0;
    return L;
  }
  const auto *Of = dyn_cast<RecordDecl>(Member->getMemberDecl()->getDeclContext());
  const auto *Field = dyn_cast<FieldDecl>(Member->getMemberDecl());
  if (Field && Of && !Of->isInvalidDecl())
    moveTo(L, *Field);
  else
    L.Offset.reset();
  if (Of && Of->isUnion() && !L.Memory && mayHoldPointers(Member->getMemberDecl()->getType()) &&
      llvm::any_of(Of->fields(), [](const FieldDecl *F) { return !mayHoldPointers(F->getType()); }))
    forge(); // what it holds may have been put there as something else
  if (Member->getMemberDecl()->getType()->isReferenceType()) {
    Location Target;
    Target.Memory = load(L, Member->getMemberDecl()->getType());
    return Target;
  }
  return L;
}

Location AccessWalker::placeOfOperator(const Expr *E) {
  Location L;
  if (const auto *Unary = dyn_cast<UnaryOperator>(E)) {
    if (Unary->getOpcode() == UO_Deref)
      return pointee(Unary->getSubExpr());
    const Expr *Sub = Unary->getSubExpr()->IgnoreParens();
    L = place(Sub);
    if (Unary->isIncrementDecrementOp()) {
      const Roots Value = load(L, Unary->getType(), Flow.isOwn(Sub));
      store(L, Value, Flow.isRegular(Sub));
      noteStepBack(*Unary, Value);
    }
    return L;
  }
  const auto *Binary = cast<BinaryOperator>(E);
  if (Binary->getOpcode() == BO_Comma) {
    value(Binary->getLHS());
    return place(Binary->getRHS());
  }
  if (Binary->isPtrMemOp()) {
    flagUnseen(others(Binary));
    return L;
  }
  Roots Value = value(Binary->getRHS());
  const Expr *Left = Binary->getLHS()->IgnoreParens();
  L = place(Left);
  // Of a bit-field the bits beside it stay.
  if (Binary->isCompoundAssignmentOp() || Left->refersToBitField())
    Value |= load(L, Left->getType(), Flow.isOwn(Left));
  noteStepBack(*Binary, Value);
  const bool HoldsPointers = mayHoldPointers(Left->getType());
  store(L, HoldsPointers ? Value : 0, Flow.isRegular(Left));
  if (!HoldsPointers)
    keepDistance(L, Value);
  return L;
}

void AccessWalker::moveToElement(Location &L, const ArraySubscriptExpr &E, QualType Of) {
  const ConstantArrayType *Array = Whole.context().getAsConstantArrayType(Of);
  Expr::EvalResult Index;
  if (!L.Offset || !Array || E.getIdx()->isValueDependent() ||
      !E.getIdx()->EvaluateAsInt(Index, Whole.context()) || Index.Val.getInt().isNegative() ||
      Index.Val.getInt().getActiveBits() > 32 ||
      Index.Val.getInt().getZExtValue() >= Array->getSize().getZExtValue())
    return L.Offset.reset();
  *L.Offset += Index.Val.getInt().getZExtValue() *
               Whole.context().getTypeSizeInChars(Array->getElementType()).getQuantity();
}

/// Only where the base's place in the object is known does the cast lead somewhere known.
void AccessWalker::moveToBase(Location &L, const CastExpr &Cast) {
  if (Cast.getCastKind() == CK_NoOp || !L.Offset)
    return;
  if (Cast.getCastKind() != CK_DerivedToBase && Cast.getCastKind() != CK_UncheckedDerivedToBase)
    return L.Offset.reset();
  const QualType From = Cast.getSubExpr()->getType();
  const CXXRecordDecl *Class =
      From->isPointerType() ? From->getPointeeCXXRecordDecl() : From->getAsCXXRecordDecl();
  for (const CXXBaseSpecifier *Base : Cast.path()) {
    const CXXRecordDecl *To = Base->getType()->getAsCXXRecordDecl();
    if (!Class || !To || Base->isVirtual())
      return L.Offset.reset();
    *L.Offset += Whole.context().getASTRecordLayout(Class).getBaseClassOffset(To).getQuantity();
    Class = To;
  }
}

Location AccessWalker::place(const Expr *E) {
  Location L;
  if (GaveUp || !Whole.step()) {
    GaveUp = true;
    return L;
  }
  E = E->IgnoreParens();
  if (isa<DeclRefExpr>(E))
    return placeOfName(E);
  if (isa<MemberExpr>(E))
    return placeOfMember(E);
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const Roots Distance = value(Subscript->getIdx());
    const Expr *Base = Subscript->getBase()->IgnoreParens();
    const auto *Decay = dyn_cast<ImplicitCastExpr>(Base);
    if (Decay && Decay->getCastKind() == CK_ArrayToPointerDecay) {
      L = place(Decay->getSubExpr()); // an element lies where its array lies
      moveToElement(L, *Subscript, Decay->getSubExpr()->getType());
      L.Memory |= Distance;
      return L;
    }
    if (Base->getType()->isVectorType())
      return Base->isGLValue() ? place(Base) : L;
    offset(*Subscript->getBase(), *Subscript->getIdx());
    L.Memory = value(Base) | Distance;
    if (isBackwards(*Subscript->getIdx(), Whole.context()))
      flag(L.Memory, Before);
    return L;
  }
  if (isa<UnaryOperator, BinaryOperator>(E))
    return placeOfOperator(E);
  if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
    value(Choice->getCond());
    for (const Expr *Side : {Choice->getTrueExpr(), Choice->getFalseExpr()})
      if (Side->isGLValue())
        L.join(place(Side));
    return L;
  }
  if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    L = place(Cast->getSubExpr());
    moveToBase(L, *Cast);
    if (Cast->getCastKind() == CK_LValueBitCast)
      pun(Cast->getSubExpr()->getType(), Cast->getType(), L.Memory);
    return L;
  }
  if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E)) {
    const Expr *Of = Temporary->getSubExpr();
    L.Temporary = withoutDistance(value(Of), Of->getType());
    return L;
  }
  if (const Expr *Through = passedThrough(E))
    return place(Through);
  if (const auto *Call = dyn_cast<CallExpr>(E)) {
    L.Memory = call(Call);
    return L;
  }
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return place(Full->getSubExpr());
  if (const auto *Argument = dyn_cast<CXXDefaultArgExpr>(E))
    return place(Argument->getExpr());
  if (const auto *Member = dyn_cast<CXXDefaultInitExpr>(E))
    return place(initialiser(*Member));
  if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    return place(Substituted->getReplacement());
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E);
      Opaque && Opaque->getSourceExpr() && Opaque->getSourceExpr()->isGLValue())
    return place(Opaque->getSourceExpr());
  if (const auto *Indexed = dyn_cast<PackIndexingExpr>(E))
    return place(Indexed->getSelectedExpr());
  if (isa<ExtVectorElementExpr>(E) && cast<ExtVectorElementExpr>(E)->getBase()->isGLValue())
    return place(cast<ExtVectorElementExpr>(E)->getBase());
  if (isa<StringLiteral, PredefinedExpr>(E))
    return L;
  flagUnseen(others(E));
  return L;
}

} // namespace gpuinstr
