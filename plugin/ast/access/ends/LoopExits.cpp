// Whether the loops of a function leave by themselves.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/ends/LoopExits.h"

#include "ast/access/KernelAccess.h"
#include "ast/access/ends/Bisection.h"
#include "ast/access/ends/LocalValues.h"
#include "ast/access/ends/OuterValues.h"
#include "ast/access/library/LibraryClasses.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <utility>

using namespace clang;

namespace gpuinstr {
namespace {

/// Looks for a `continue` of this very loop.
bool continues(const Stmt *S) {
  if (!S || isa<Expr>(S) || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
    return false;
  if (isa<ContinueStmt>(S))
    return true;
  for (const Stmt *Child : S->children())
    if (continues(Child))
      return true;
  return false;
}

class LoopJudge {
public:
  LoopJudge(KernelAccess &Whole, const FunctionDecl &F) : Whole(Whole), F(F), Values(Whole, F) {
    Values.keepConstants();
  }

  void followReferences() { Values.followReferences(); }
  uint32_t followed() const { return Values.followed(); }

  bool allEnd(const Stmt *S) const {
    if (!S)
      return true;
    if (!Whole.step())
      return false;
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
      const QualType T = Range->getRangeInit()->getType();
      if (!T->isConstantArrayType() && !isLibraryArray(T, Whole))
        return false;
    } else if (Loop L; asLoop(S, L)) {
      if (!ends(L))
        return false;
    } else if (isa<LambdaExpr>(S)) {
      return true; // judged where it is called
    }
    for (const Stmt *Child : S->children())
      if (!allEnd(Child))
        return false;
    return true;
  }

private:
  bool ends(const Loop &L) const {
    if (L.Condition && L.Condition->isValueDependent())
      return false;
    OuterValues In(Whole, Values, L);
    if (!In.run())
      return false;
    if (isEndless(L))
      return isLeft(L, In);
    if (!L.Condition) // a variable
      return false;
    if (!Values.comesFromOutside(L.Condition, In.Outer)) {
      if (In.Left) // else it may be left in this way alone
        return advances(L, L.Condition, In);
      Variables Read;
      Values.collectReads(L.Condition, Read);
      for (const VarDecl *V : Read)
        if (In.Assigned.contains(V))
          return true;
      bool Value = true; // `do { } while (0)`
      return L.Condition->EvaluateAsBooleanCondition(Value, Whole.context()) && !Value;
    }
    return counts(L, L.Condition, In) || bisects(Values, L, F);
  }

  /// By its head alone.
  bool isEndless(const Loop &L) const {
    const auto *For = dyn_cast<ForStmt>(L.At);
    bool Value = false;
    return L.Condition ? L.Condition->EvaluateAsBooleanCondition(Value, Whole.context()) && Value
                       : For && !For->getConditionVariable();
  }

  /// `for (;;) { ...; if (i >= n) break; ... }`: as if that stood in its head.
  bool isLeft(const Loop &L, const OuterValues &In) const {
    const auto *Body = dyn_cast<CompoundStmt>(L.Body);
    return Body && !continues(Body) && llvm::any_of(Body->body(), [&](const Stmt *S) {
             const auto *If = dyn_cast<IfStmt>(S);
             const Stmt *Then = If && !If->isConsteval() ? If->getThen() : nullptr;
             if (const auto *Block = dyn_cast_or_null<CompoundStmt>(Then))
               Then = Block->body_empty() ? nullptr : Block->body_back();
             if (!isa_and_nonnull<BreakStmt, ReturnStmt>(Then) || If->getConditionVariable() ||
                 Values.comesFromOutside(If->getCond(), In.Outer))
               return false;
             Variables Read;
             Values.collectReads(If->getCond(), Read);
             return In.Left ? advances(L, If->getCond(), In, true)
                            : llvm::any_of(
                                  Read, [&](const VarDecl *V) { return In.Assigned.contains(V); });
           });
  }

  static bool isNumber(const Expr *E) {
    return E->getType()->isIntegralOrEnumerationType() || E->getType()->isPointerType();
  }

  /// One of the operands of && in E comes to an end by itself: nothing in it comes from outside.
  /// Until: it goes on as long as E does not hold.
  bool advances(const Loop &L, const Expr *E, const OuterValues &In, bool Until = false) const {
    E = E->IgnoreParenImpCasts();
    const auto *Binary = dyn_cast<BinaryOperator>(E);
    if (!Binary)
      return !Until && moves(L, E, false, In) && meets(L, E, nullptr);
    const Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
    BinaryOperatorKind Op = Binary->getOpcode();
    if (Until && Op == BO_LOr)
      Op = BO_LAnd;
    else if (Until && (!Binary->isComparisonOp() || Op == BO_Cmp || !isNumber(Left) ||
                       !isNumber(Right))) // not a number, neither it nor its opposite holds
      return false;
    else if (Until)
      Op = BinaryOperator::negateComparisonOp(Op);
    const bool Inclusive = Op == BO_LE || Op == BO_GE;
    switch (Op) {
    case BO_LAnd:
      return advances(L, Left, In, Until) || advances(L, Right, In, Until);
    case BO_LE:
    case BO_LT:
      return passes(L, Left, Right, true, Inclusive, In) ||
             passes(L, Right, Left, false, Inclusive, In);
    case BO_GE:
    case BO_GT:
      return passes(L, Right, Left, true, Inclusive, In) ||
             passes(L, Left, Right, false, Inclusive, In);
    case BO_NE:
      for (const auto &[Counter, Bound] : {std::pair(Left, Right), std::pair(Right, Left)})
        if (stays(Bound, In))
          for (bool Up : {true, false})
            if (moves(L, Counter, Up, In) && meets(L, Counter, Bound))
              return true;
      return false;
    default:
      return false;
    }
  }

  /// The loop sets none of the variables in it.
  bool stays(const Expr *E, const OuterValues &In) const {
    Variables Read;
    Values.collectReads(E, Read);
    return llvm::none_of(Read, [&](const VarDecl *V) { return In.Assigned.contains(V); });
  }

  std::optional<llvm::APSInt> constant(const Expr *E) const {
    Expr::EvalResult Result;
    if (!E->getType()->isIntegralOrEnumerationType() || !E->EvaluateAsInt(Result, Whole.context()))
      return std::nullopt;
    return Result.Val.getInt();
  }

  /// Counter goes towards a bound that stays, or comes towards it, and gets to its other side.
  bool passes(const Loop &L, const Expr *Counter, const Expr *Bound, bool Up, bool Inclusive,
              const OuterValues &In) const {
    if (!stays(Bound, In) && (!moves(L, Bound, !Up, In) || mayWrap(*moved(Bound))))
      return false;
    if (!moves(L, Counter, Up, In))
      return false;
    const VarDecl *V = moved(Counter);
    const std::optional<llvm::APSInt> Number = constant(Bound->IgnoreParenImpCasts());
    if (IsScaled) // zero stays zero
      return Up ? startsPositive(L, *V) && isScaledInReach(*Bound->IgnoreParenImpCasts(), *V)
             : !Inclusive ? !Number || !Number->isNegative()
                          : (Number ? Number->isStrictlyPositive() : Values.isPositive(Bound));
    if (!V->getType()->isIntegerType())
      return true;
    if (!Up && !StepIsOne && V->getType()->isUnsignedIntegerType()) // wraps around below zero
      return false;
    return Number ? isWithin(*Number, *V, Up, Inclusive) : isInReach(*Bound, *V, Inclusive);
  }

  /// By the step that moves() found, which is not one.
  bool mayWrap(const VarDecl &V) const {
    return !StepIsOne && !IsScaled && V.getType()->isUnsignedIntegerType();
  }

  /// Of a bound that is no constant: V does not wrap around before it is there. A signed number of
  /// 32 bits may not do so at all.
  bool isInReach(const Expr &Bound, const VarDecl &V, bool Inclusive) const {
    const ASTContext &Context = Whole.context();
    const unsigned Own = Context.getTypeSize(V.getType());
    const unsigned Other = Context.getTypeSize(Bound.IgnoreParenImpCasts()->getType());
    if (Own >= 64 || (Own >= 32 && V.getType()->isSignedIntegerType()))
      return true; // of 64 bits it does not come that far
    return Own > Other || (Own == Other && !Inclusive && StepIsOne);
  }

  /// It is multiplied, and not wrapped around before it is beyond its bound. A signed number of 32
  /// bits may not be multiplied so; shifted it may.
  bool isScaledInReach(const Expr &Bound, const VarDecl &V) const {
    const bool Signed = V.getType()->isSignedIntegerType();
    const unsigned Bits = Whole.context().getTypeSize(V.getType());
    if (Bits >= 32 && !Shifts && Signed)
      return true;
    std::optional<llvm::APSInt> Most = constant(Bound.IgnoreParenImpCasts());
    if (!Most && isThreadIndex(&Bound)) // of a block or a grid
      Most = llvm::APSInt::getMaxValue(31, true);
    const unsigned Room = Bits - Signed;
    return Most && Factor && !Most->isNegative() &&
           Most->getActiveBits() + Factor->getActiveBits() <= Room + 1 &&
           (Most->getActiveBits() + Factor->getActiveBits() <= Room || Factor->isPowerOf2());
  }

  /// Counter is at the bound some time, null: at zero, instead of going by.
  bool meets(const Loop &L, const Expr *Counter, const Expr *Bound) const {
    const std::optional<llvm::APSInt> Number =
        Bound ? constant(Bound->IgnoreParenImpCasts()) : llvm::APSInt::get(0);
    if (!IsScaled)
      return StepIsOne;
    const VarDecl *V = moved(Counter);
    return Number && Number->isZero() && !ScalesUp &&
           (!Shifts || V->getType()->isUnsignedIntegerType() || startsPositive(L, *V));
  }

  /// Where the head of the loop declares it.
  bool startsPositive(const Loop &L, const VarDecl &V) const {
    const auto *For = dyn_cast<ForStmt>(L.At);
    const auto *Init = For ? dyn_cast_or_null<DeclStmt>(For->getInit()) : nullptr;
    return Init && llvm::is_contained(Init->decls(), &V) && Values.isPositive(V.getInit());
  }

  const VarDecl *moved(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const auto *Unary = dyn_cast<UnaryOperator>(E);
    return counter(Unary && Unary->isIncrementDecrementOp() ? Unary->getSubExpr() : E);
  }

  const VarDecl *counter(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const VarDecl *V = isa<DeclRefExpr>(E) ? Values.local(E) : nullptr;
    const bool Counts = V && !V->getType()->isBooleanType() &&
                        (V->getType()->isIntegerType() || V->getType()->isPointerType());
    return Counts ? V : nullptr;
  }
  bool moves(const Loop &L, const Expr *E, bool Up, const OuterValues &In) const {
    // `n-- > 0`
    const auto *Unary = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
    if (Unary && Unary->isIncrementDecrementOp()) {
      const VarDecl *V = counter(Unary->getSubExpr());
      StepIsOne = true;
      IsScaled = false;
      return V && Unary->isIncrementOp() == Up && onlyAssignment(V, In) == Unary;
    }
    const VarDecl *V = counter(E);
    IsScaled = false;
    if (V && isStep(L, V, Up, In))
      return true;
    return IsScaled = V && isScaled(L, V, Up, In);
  }
  /// `half >>= 1`, `offset /= 2`, `stride *= 2`.
  bool isScaled(const Loop &L, const VarDecl *V, bool Up, const OuterValues &In) const {
    const auto *Binary = dyn_cast_or_null<BinaryOperator>(onlyAssignment(V, In));
    if (!Binary || !isMadeInEveryRound(L, Binary))
      return false;
    Expr::EvalResult By;
    const bool Known = Binary->getRHS()->EvaluateAsInt(By, Whole.context());
    Shifts = Binary->getOpcode() == BO_ShrAssign || Binary->getOpcode() == BO_ShlAssign;
    ScalesUp = Up;
    Factor.reset();
    if (Known && By.Val.getInt().isStrictlyPositive() && By.Val.getInt().ult(1 << 15))
      Factor = Shifts ? llvm::APInt(64, 1).shl(By.Val.getInt().getLimitedValue(40))
                      : llvm::APInt(64, By.Val.getInt().getLimitedValue());
    switch (Binary->getOpcode()) {
    case BO_ShrAssign:
      return !Up && Values.isPositive(Binary->getRHS());
    case BO_ShlAssign:
      return Up && Values.isPositive(Binary->getRHS());
    case BO_DivAssign:
      return !Up && Known && By.Val.getInt() > 1;
    case BO_MulAssign:
      return Up && Known && By.Val.getInt() > 1;
    default:
      return false;
    }
  }

  /// One of the operands of && in E compares a counter with its bound.
  bool counts(const Loop &L, const Expr *E, const OuterValues &In) const {
    E = E->IgnoreParenImpCasts();
    const auto *Binary = dyn_cast<BinaryOperator>(E);
    if (!Binary)
      return false;
    if (Binary->getOpcode() == BO_LAnd)
      return counts(L, Binary->getLHS(), In) || counts(L, Binary->getRHS(), In);
    switch (Binary->getOpcode()) {
    case BO_LT:
    case BO_LE:
      return reaches(L, Binary->getLHS(), Binary->getRHS(), true, Binary->getOpcode() == BO_LE,
                     In) ||
             reaches(L, Binary->getRHS(), Binary->getLHS(), false, Binary->getOpcode() == BO_LE,
                     In);
    case BO_GT:
    case BO_GE:
      return reaches(L, Binary->getLHS(), Binary->getRHS(), false, Binary->getOpcode() == BO_GE,
                     In) ||
             reaches(L, Binary->getRHS(), Binary->getLHS(), true, Binary->getOpcode() == BO_GE, In);
    default:
      return false;
    }
  }

  /// Counter moves up (or down) in every round, and the bound stands where it must come to.
  bool reaches(const Loop &L, const Expr *Counter, const Expr *Bound, bool Up, bool Inclusive,
               const OuterValues &In) const {
    const Expr *Bare = Counter->IgnoreParenImpCasts();
    const VarDecl *V = isa<DeclRefExpr>(Bare) ? Values.local(Bare) : nullptr;
    if (!V || !V->getType()->isIntegerType() || V->getType()->isBooleanType() ||
        !isStep(L, V, Up, In))
      return false;
    const Expr *Plain = Bound->IgnoreParenImpCasts();
    const ASTContext &Context = Whole.context();
    const bool Signed = V->getType()->isSignedIntegerType();
    Expr::EvalResult Constant;
    if (Plain->EvaluateAsInt(Constant, Context))
      return isWithin(Constant.Val.getInt(), *V, Up, Inclusive);
    if (!Plain->getType()->isIntegerType() || !isPlainRead(Plain) || !stays(Plain, In))
      return false;
    // Whatever stands in memory, a counter of 32 bits is there soon. A bound at the end of its
    // range must not be one that the counter cannot pass.
    const unsigned Own = Context.getTypeSize(V->getType());
    const unsigned Other = Context.getTypeSize(Plain->getType());
    if (Other > 32 || Own < 32 || Own < Other)
      return false;
    return Own > Other || (!Inclusive && (Signed || StepIsOne));
  }

  /// V passes the bound before it leaves the range of its type.
  bool isWithin(const llvm::APSInt &Bound, const VarDecl &V, bool Up, bool Inclusive) const {
    const bool Signed = V.getType()->isSignedIntegerType();
    const unsigned Bits = Whole.context().getTypeSize(V.getType());
    if (!Signed && !StepIsOne) {
      if (!Up) // wraps around below zero
        return false;
      return llvm::APSInt::compareValues(Bound, llvm::APSInt::getMaxValue(Bits - 1, true)) <= 0;
    }
    const llvm::APSInt End =
        Up ? llvm::APSInt::getMaxValue(Bits, !Signed) : llvm::APSInt::getMinValue(Bits, !Signed);
    const int Beyond = llvm::APSInt::compareValues(Bound, End) * (Up ? 1 : -1);
    return Inclusive ? Beyond < 0 : Beyond <= 0;
  }

  /// To V in the loop.
  static const Stmt *onlyAssignment(const VarDecl *V, const OuterValues &In) {
    const Stmt *Only = nullptr;
    for (const Assignment &A : In.Assignments) {
      if (A.Variable != V)
        continue;
      if (Only)
        return nullptr;
      Only = A.At;
    }
    return Only;
  }

  /// The only assignment, made in every round, moves it by a fixed step.
  bool isStep(const Loop &L, const VarDecl *V, bool Up, const OuterValues &In) const {
    const Stmt *Only = onlyAssignment(V, In);
    if (!Only || !isMadeInEveryRound(L, Only))
      return false;
    StepIsOne = false;
    if (const auto *Unary = dyn_cast<UnaryOperator>(Only)) {
      StepIsOne = true;
      return Unary->isIncrementOp() == Up;
    }
    const auto *Binary = dyn_cast<BinaryOperator>(Only);
    if (!Binary)
      return false;
    if (Binary->getOpcode() == BO_AddAssign || Binary->getOpcode() == BO_SubAssign)
      return (Binary->getOpcode() == BO_AddAssign) == Up && Values.isPositive(Binary->getRHS());
    const auto *Sum = dyn_cast<BinaryOperator>(Binary->getRHS()->IgnoreParenImpCasts());
    if (Binary->getOpcode() != BO_Assign || !Sum)
      return false;
    auto IsV = [&](const Expr *E) {
      E = E->IgnoreParenImpCasts();
      return isa<DeclRefExpr>(E) && Values.local(E) == V;
    };
    if (Sum->getOpcode() == BO_Add && Up)
      return (IsV(Sum->getLHS()) && Values.isPositive(Sum->getRHS())) ||
             (IsV(Sum->getRHS()) && Values.isPositive(Sum->getLHS()));
    return Sum->getOpcode() == BO_Sub && !Up && IsV(Sum->getLHS()) &&
           Values.isPositive(Sum->getRHS());
  }

  static bool isOperandOf(const Expr *E, const Stmt *At) {
    E = E ? E->IgnoreParenImpCasts() : nullptr;
    if (!E || E == At)
      return E;
    const auto *Comma = dyn_cast<BinaryOperator>(E);
    return Comma && Comma->getOpcode() == BO_Comma &&
           (isOperandOf(Comma->getLHS(), At) || isOperandOf(Comma->getRHS(), At));
  }

  /// In the step of a `for`, or a statement of the body itself that no `continue` passes by.
  static bool isMadeInEveryRound(const Loop &L, const Stmt *At) {
    if (isOperandOf(L.Step, At))
      return true;
    if (continues(L.Body))
      return false;
    const auto *Block = dyn_cast<CompoundStmt>(L.Body);
    if (!Block)
      return isa<Expr>(L.Body) && isOperandOf(cast<Expr>(L.Body), At);
    for (const Stmt *S : Block->body())
      if (const auto *E = dyn_cast<Expr>(S); E && isOperandOf(E, At))
        return true;
    return false;
  }

  /// Reads memory, but neither waits for it nor changes it.
  bool isPlainRead(const Expr *E) const {
    E = E->IgnoreParens();
    if (E->getType().isVolatileQualified() || isa<AtomicExpr, LambdaExpr, StmtExpr>(E))
      return false;
    if (const auto *Call = dyn_cast<CallExpr>(E)) {
      const FunctionDecl *Callee = Call->getDirectCallee();
      if (!Callee || !Whole.onlyReads(*Callee))
        return false;
    }
    for (const Stmt *Child : E->children())
      if (const auto *Part = dyn_cast_or_null<Expr>(Child); Part && !isPlainRead(Part))
        return false;
    return true;
  }

  KernelAccess &Whole;
  const FunctionDecl &F;
  LocalValues Values;
  // Of the step that moves() or isStep() found.
  mutable bool StepIsOne = false, IsScaled = false, Shifts = false, ScalesUp = false;
  mutable std::optional<llvm::APInt> Factor; ///< where it is known
};

} // namespace

bool loopsEnd(KernelAccess &Whole, const FunctionDecl &F, uint32_t &Followed) {
  LoopJudge Judge(Whole, F);
  Followed = 0;
  if (Judge.allEnd(F.getBody()))
    return true;
  if (llvm::none_of(F.parameters(), [](auto *P) { return P->getType()->isReferenceType(); }))
    return false;
  Judge.followReferences();
  const bool End = Judge.allEnd(F.getBody());
  Followed = Judge.followed();
  return End;
}

} // namespace gpuinstr
