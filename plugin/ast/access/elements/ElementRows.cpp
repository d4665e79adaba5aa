// Rows of elements that a loop of a device function writes one by one.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/elements/ElementRows.h"

#include "ast/access/KernelAccess.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// The variable whose value E is, unconverted.
const Expr *variableRead(const Expr *E) {
  const auto *Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  const Expr *Read = Cast && Cast->getCastKind() == CK_LValueToRValue
                         ? Cast->getSubExpr()->IgnoreParens()
                         : nullptr;
  return isa_and_nonnull<DeclRefExpr>(Read) ? Read : nullptr;
}

bool isOne(const Expr *E, const ASTContext &Context) {
  std::optional<llvm::APSInt> Value = constantOf(E, Context);
  return Value && *Value == 1;
}

bool sameOperation(const Expr *A, const Expr *B) {
  if (const auto *Cast = dyn_cast<CastExpr>(A))
    return Cast->getCastKind() == cast<CastExpr>(B)->getCastKind();
  if (const auto *Binary = dyn_cast<BinaryOperator>(A))
    return !Binary->isAssignmentOp() && Binary->getOpcode() == cast<BinaryOperator>(B)->getOpcode();
  if (const auto *Unary = dyn_cast<UnaryOperator>(A))
    return Unary->getOpcode() == UO_Deref && cast<UnaryOperator>(B)->getOpcode() == UO_Deref;
  if (const auto *Member = dyn_cast<MemberExpr>(A))
    return Member->getMemberDecl() == cast<MemberExpr>(B)->getMemberDecl();
  return isa<ArraySubscriptExpr>(A);
}

bool rises(const CountedLoop &L) { return !L.Step && !L.Falls; }

} // namespace

bool ElementRows::isSame(const Expr *A, const Expr *B) const {
  return isSameExpression(A, B, Whole.context());
}

bool ElementRows::isOneBelow(const Expr *E, const Expr *Bound) const {
  const auto *Less = dyn_cast<BinaryOperator>(E->IgnoreParens());
  return Less && Less->getOpcode() == BO_Sub && isSame(Less->getLHS(), Bound) &&
         isOne(Less->getRHS(), Whole.context());
}

bool ElementRows::findChanged(const Stmt *S, Variables &Changed) {
  if (!S)
    return true;
  if (!Whole.step())
    return false;
  llvm::SmallVector<Assignment, 2> Found;
  LocalValues::assignment(S, Found);
  for (const Assignment &A : Found)
    Changed.insert(A.Variable);
  if (const auto *Declarations = dyn_cast<DeclStmt>(S))
    for (const Decl *D : Declarations->decls())
      if (const auto *V = dyn_cast<VarDecl>(D)) {
        Changed.insert(V);
        if (!findChanged(V->getInit(), Changed))
          return false;
      }
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return findChanged(Child, Changed); });
}

std::optional<CountedLoop> ElementRows::counted(const Stmt *S, const Variables &Changed) const {
  const auto *For = dyn_cast<ForStmt>(S);
  if (!For || !For->getInit() || !For->getInc() || For->getConditionVariable())
    return std::nullopt;
  const auto *Until = dyn_cast_or_null<BinaryOperator>(For->getCond());
  llvm::SmallVector<Assignment, 2> Start, Step;
  const Stmt *Init = For->getInit(), *Inc = For->getInc()->IgnoreParens();
  if (const auto *E = dyn_cast<Expr>(Init))
    Init = E->IgnoreParens();
  LocalValues::assignment(Init, Start);
  LocalValues::assignment(Inc, Step);
  const Expr *Counter = Until && Until->isComparisonOp() ? variableRead(Until->getLHS()) : nullptr;
  if (!Counter || Start.size() != 1 || Step.size() != 1 || Start[0].Keeps || !Start[0].Value)
    return std::nullopt;
  CountedLoop L;
  L.At = For;
  L.Variable = Values.local(Counter);
  L.First = Start[0].Value;
  L.Bound = Until->getRHS();
  L.Until = Until->getOpcode();
  if (const auto *Unary = dyn_cast<UnaryOperator>(Inc)) {
    L.Falls = Unary->isDecrementOp();
  } else if (const auto *Moves = dyn_cast<CompoundAssignOperator>(Inc);
             Moves && (Moves->getOpcode() == BO_AddAssign || Moves->getOpcode() == BO_SubAssign)) {
    L.Step = Moves->getRHS();
    L.Falls = Moves->getOpcode() == BO_SubAssign;
  } else {
    return std::nullopt;
  }
  if (!L.Variable || Start[0].Variable != L.Variable || Step[0].Variable != L.Variable ||
      Changed.contains(L.Variable) || !L.Variable->getType()->isIntegerType())
    return std::nullopt;
  if (const auto *Declarations = dyn_cast<DeclStmt>(Init);
      Declarations && !Declarations->isSingleDecl())
    return std::nullopt;
  for (const Expr *E : {L.First, L.Bound, L.Step})
    if (E) {
      if (Values.comesFromOutside(E, {}))
        return std::nullopt;
      Values.collectReads(E, L.Named);
    }
  if (L.Named.contains(L.Variable) ||
      llvm::any_of(L.Named, [&](const VarDecl *V) { return Changed.contains(V); }))
    return std::nullopt;
  return L;
}

void ElementRows::noteDeclared(const VarDecl &V, llvm::ArrayRef<const CountedLoop *> Open) {
  const Expr *Value = V.getInit();
  if (!Value || Open.empty() || !V.getType()->isIntegerType() || !Values.keepsFirst(V) ||
      V.getType().isVolatileQualified() || Values.comesFromOutside(Value, {}) ||
      !Whole.context().hasSameUnqualifiedType(V.getType(), Value->getType()))
    return;
  Variables Read;
  Values.collectReads(Value, Read);
  // Counters stay as they are in the bodies of their loops.
  const bool Stays = llvm::all_of(Read, [&](const VarDecl *R) {
    return R != &V && (Values.keepsFirst(*R) ||
                       llvm::any_of(Open, [&](const CountedLoop *L) { return L->Variable == R; }));
  });
  if (Stays)
    Declared[&V] = Value;
}

void ElementRows::expandNames(Variables &Named) const {
  llvm::SmallVector<const VarDecl *, 8> Open(Named.begin(), Named.end());
  while (!Open.empty()) {
    const VarDecl *V = Open.pop_back_val();
    const Expr *Value = Declared.lookup(V);
    if (!Value)
      continue;
    Variables Read;
    Values.collectReads(Value, Read);
    Named.erase(V);
    Named.insert(Read.begin(), Read.end());
    Open.append(Read.begin(), Read.end());
  }
}

const Expr *ElementRows::expanded(const Expr *E) const {
  for (E = E->IgnoreParens();;) {
    const Expr *Read = variableRead(E);
    const Expr *Value = Read ? Declared.lookup(Values.local(Read)) : nullptr;
    if (!Value)
      return E;
    E = Value->IgnoreParens();
  }
}

bool ElementRows::mentions(const Stmt *S, const VarDecl *V) const {
  if (!Whole.step()) // chains of such variables may grow without end
    return true;
  if (const auto *E = dyn_cast<Expr>(S))
    S = expanded(E);
  if (const auto *Name = dyn_cast<DeclRefExpr>(S))
    return Name->getDecl() == V;
  return llvm::any_of(S->children(),
                      [&](const Stmt *Child) { return Child && mentions(Child, V); });
}

/// The same but for the counters, in whose places `Indices` stand.
bool ElementRows::matches(llvm::ArrayRef<const CountedLoop *> Over, const Expr *Written,
                          const Expr *Place, llvm::MutableArrayRef<const Expr *> Indices) {
  Written = expanded(Written);
  Place = expanded(Place);
  if (!Whole.step() || !Whole.context().hasSameType(Written->getType(), Place->getType()))
    return false;
  if (const Expr *Read = variableRead(Written))
    for (auto [Loop, Index] : llvm::zip_equal(Over, Indices))
      if (mentions(Read, Loop->Variable)) {
        const bool IsSame = !Index || isSame(Index, Place);
        Index = Place;
        return IsSame;
      }
  if (llvm::none_of(Over, [&](const CountedLoop *L) { return mentions(Written, L->Variable); }))
    return isSame(Written, Place);
  if (Written->getStmtClass() != Place->getStmtClass() || !sameOperation(Written, Place))
    return false;
  return llvm::all_of(llvm::zip_equal(Written->children(), Place->children()), [&](auto Pair) {
    auto [Left, Right] = Pair;
    return matches(Over, cast<Expr>(Left), cast<Expr>(Right), Indices);
  });
}

bool ElementRows::covers(llvm::ArrayRef<const CountedLoop *> Over, const Expr *Written,
                         const Expr *Place, const Surroundings &Around) {
  llvm::SmallVector<const Expr *, 2> Indices(Over.size());
  return matches(Over, Written, Place, Indices) &&
         llvm::all_of(llvm::zip_equal(Over, Indices), [&](auto Pair) {
           auto [Loop, Index] = Pair;
           return Index && isWithin(*Loop, Index, Around);
         });
}

bool ElementRows::isWithin(const CountedLoop &Over, const Expr *Index, const Surroundings &Around) {
  if (constantOf(Index, Whole.context()))
    return isConstantOf(Index, Over);
  const Expr *Read = variableRead(Index);
  const VarDecl *V = Read ? Values.local(Read) : nullptr;
  if (!V)
    return false;
  for (const CountedLoop *Inner : llvm::reverse(Around.Open))
    if (Inner->Variable == V)
      return isPart(*Inner, Over);
  // It may be set anywhere, and so must be what the head reads: a parameter has a value before.
  llvm::SmallVector<const Stmt *, 4> Loops;
  bool NeedsRound = false;
  if (isa<ParmVarDecl>(V) ||
      !llvm::all_of(Over.Named, [&](const VarDecl *N) { return Values.isFixed(*N); }) ||
      !staysWithin(*V, F.getBody(), Over, Loops, NeedsRound))
    return false;
  // In the body of a loop over a part of it, it has had one.
  return !NeedsRound || hasRound(Over, Around.Guards, Values, Whole.context()) ||
         llvm::any_of(Around.Open, [&](const CountedLoop *L) { return isPart(*L, Over); });
}

bool ElementRows::isPart(const CountedLoop &Inner, const CountedLoop &Over) const {
  const ASTContext &Context = Whole.context();
  if (!Context.hasSameType(Inner.Variable->getType(), Over.Variable->getType()) ||
      Inner.Until != Over.Until)
    return false;
  const bool SameBound = isSame(Inner.Bound, Over.Bound),
             SameFirst = isSame(Inner.First, Over.First);
  if (SameFirst && SameBound && Inner.Falls == Over.Falls && !Inner.Step == !Over.Step &&
      (!Inner.Step || isSame(Inner.Step, Over.Step)))
    return true;
  if (!rises(Inner) || !rises(Over) || (Over.Until != BO_LT && Over.Until != BO_LE))
    return false;
  auto IsAtLeast = [&](const Expr *A, const Expr *B) {
    std::optional<llvm::APSInt> Left = constantOf(A, Context), Right = constantOf(B, Context);
    return Left && Right && llvm::APSInt::compareValues(*Left, *Right) >= 0;
  };
  // Unsigned, `n - 1` is the largest number where n is zero.
  const bool IsBelow =
      Inner.Bound->getType()->isSignedIntegerType() && isOneBelow(Inner.Bound, Over.Bound);
  return (SameFirst || IsAtLeast(Inner.First, Over.First)) &&
         (SameBound || IsAtLeast(Over.Bound, Inner.Bound) || IsBelow);
}

/// It meets it for sure: of a loop over `n` nobody knows whether it has any round.
bool ElementRows::isConstantOf(const Expr *Value, const CountedLoop &Over) const {
  const ASTContext &Context = Whole.context();
  std::optional<llvm::APSInt> Number = constantOf(Value, Context),
                              First = constantOf(Over.First, Context),
                              Bound = constantOf(Over.Bound, Context);
  return Number && First && Bound && rises(Over) && Over.Until == BO_LT &&
         llvm::APSInt::compareValues(*Number, *First) >= 0 &&
         llvm::APSInt::compareValues(*Number, *Bound) < 0;
}

/// `n - 1` in a loop from 0 to n.
bool ElementRows::isLastOf(const Expr *Value, const CountedLoop &Over) const {
  std::optional<llvm::APSInt> First = constantOf(Over.First, Whole.context());
  return First && *First == 0 && rises(Over) && Over.Until == BO_LT &&
         isOneBelow(Value, Over.Bound);
}

/// All that S sets V to is an index of the loop. NeedsRound: if it has a round; who searches in
/// such a row from its first element does not know that there is one.
bool ElementRows::staysWithin(const VarDecl &V, const Stmt *S, const CountedLoop &Over,
                              llvm::SmallVectorImpl<const Stmt *> &Around, bool &NeedsRound) {
  if (!S)
    return true;
  if (!Whole.step())
    return false;
  llvm::SmallVector<Assignment, 2> Found;
  LocalValues::assignment(S, Found);
  for (const Assignment &A : Found) {
    if (A.Variable != &V)
      continue;
    if (A.Keeps || !A.Value || !Whole.context().hasSameType(A.Value->getType(), V.getType()))
      return false;
    if (isConstantOf(A.Value, Over))
      continue;
    if (isLastOf(A.Value, Over) || isSame(A.Value, Over.First)) {
      NeedsRound = true;
      continue;
    }
    const Expr *Read = variableRead(A.Value);
    const VarDecl *Counter = Read ? Values.local(Read) : nullptr;
    const auto *At = llvm::find_if(Around, [&](const Stmt *L) {
      Variables Changed;
      if (!Counter || !findChanged(cast<ForStmt>(L)->getBody(), Changed))
        return false;
      std::optional<CountedLoop> Inner = counted(L, Changed);
      return Inner && Inner->Variable == Counter && isPart(*Inner, Over);
    });
    if (At == Around.end())
      return false;
  }
  auto Goes = [&](const Stmt *Child) { return staysWithin(V, Child, Over, Around, NeedsRound); };
  const auto *For = dyn_cast<ForStmt>(S);
  if (!For)
    return llvm::all_of(S->children(), Goes);
  if (!Goes(For->getInit()) || !Goes(For->getConditionVariableDeclStmt()) ||
      !Goes(For->getCond()) || !Goes(For->getInc()))
    return false;
  Around.push_back(For);
  const bool Stays = Goes(For->getBody());
  Around.pop_back();
  return Stays;
}

} // namespace gpuinstr
