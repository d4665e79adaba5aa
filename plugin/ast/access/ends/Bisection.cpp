// Loops that search by halves.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/ends/Bisection.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {
namespace {

/// What becomes of the range on all ways through a statement.
enum class Effect { None, Smaller, Left, Lost };

/// `low < high`, `low <= high`, `high - low > 1`.
enum class Bounds { Open, Closed, Apart };

class Bisection {
public:
  Bisection(const LocalValues &Values, const Loop &L, const FunctionDecl &F)
      : Values(Values), L(L), F(F), Context(F.getASTContext()) {}

  bool run() {
    const auto *Body = dyn_cast<CompoundStmt>(L.Body);
    if (!Body || L.Step || isa<DoStmt>(L.At) || !findRange(L.Condition) || touches(L.Condition))
      return false;
    Effect Whole = Effect::None;
    for (const Stmt *S : Body->body()) {
      if (!Middle && findMiddle(S))
        continue;
      const Effect Here = effect(S);
      if (Here == Effect::None)
        continue;
      if (Here == Effect::Lost || Whole != Effect::None)
        return false;
      Whole = Here;
    }
    return Whole == Effect::Smaller;
  }

private:
  const VarDecl *variable(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    const VarDecl *V = isa<DeclRefExpr>(E) ? Values.local(E) : nullptr;
    const bool Counts = V && V->getType()->isIntegerType() && !V->getType()->isBooleanType() &&
                        Context.getTypeSize(V->getType()) >= 32;
    return Counts ? V : nullptr;
  }

  std::optional<int64_t> number(const Expr *E) const {
    Expr::EvalResult Result;
    if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
        !E->EvaluateAsInt(Result, Context) || Result.Val.getInt().getSignificantBits() > 32)
      return std::nullopt;
    return Result.Val.getInt().getExtValue();
  }

  /// Between two variables of one type.
  bool isRange(const Expr *From, const Expr *To, Bounds How) {
    Low = variable(From);
    High = variable(To);
    Kind = How;
    // Unsigned, `low <= high` holds for all that a `high` at the end of its range is compared with.
    if (How == Bounds::Closed && Low && !Low->getType()->isSignedIntegerType())
      return false;
    return Low && High && Low != High &&
           Context.hasSameUnqualifiedType(Low->getType(), High->getType());
  }

  /// One of the operands of &&: the others only end it earlier.
  bool findRange(const Expr *E) {
    const auto *Binary = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (!Binary)
      return false;
    const Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
    switch (Binary->getOpcode()) {
    case BO_LAnd:
      return findRange(Left) || findRange(Right);
    case BO_LT:
      return isRange(Left, Right, Bounds::Open);
    case BO_LE:
      return isRange(Left, Right, Bounds::Closed);
    case BO_GE:
      return isRange(Right, Left, Bounds::Closed);
    case BO_GT: {
      const auto *Distance = dyn_cast<BinaryOperator>(Left->IgnoreParenImpCasts());
      if (Distance && Distance->getOpcode() == BO_Sub && number(Right) == 1)
        return isRange(Distance->getRHS(), Distance->getLHS(), Bounds::Apart);
      return isRange(Right, Left, Bounds::Open);
    }
    default:
      return false;
    }
  }

  bool isHalf(const Expr *E, const BinaryOperator *&Of) const {
    const auto *Half = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (!Half || !((Half->getOpcode() == BO_Div && number(Half->getRHS()) == 2) ||
                   (Half->getOpcode() == BO_Shr && number(Half->getRHS()) == 1)))
      return false;
    Of = dyn_cast<BinaryOperator>(Half->getLHS()->IgnoreParenImpCasts());
    RoundsToZero = Half->getOpcode() == BO_Div;
    return Of && Context.hasSameUnqualifiedType(Of->getType(), Low->getType());
  }

  bool isMiddle(const Expr *E) const {
    const BinaryOperator *Of = nullptr;
    if (isHalf(E, Of)) { // (low + high) / 2
      const VarDecl *A = variable(Of->getLHS()), *B = variable(Of->getRHS());
      if (Of->getOpcode() != BO_Add || !((A == Low && B == High) || (A == High && B == Low)))
        return false;
      // The sum wraps around; of two that are apart `low <= high` is not said.
      if (!Low->getType()->isSignedIntegerType())
        return Context.getTypeSize(Low->getType()) >= 64 && Kind != Bounds::Apart;
      return !RoundsToZero || Kind != Bounds::Open || isNeverNegative(*Low);
    }
    const auto *Sum = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (!Sum || Sum->getOpcode() != BO_Add)
      return false;
    for (auto [Base, Half] :
         {std::pair(Sum->getLHS(), Sum->getRHS()), std::pair(Sum->getRHS(), Sum->getLHS())})
      if (variable(Base) == Low && isHalf(Half, Of) && Of->getOpcode() == BO_Sub &&
          variable(Of->getLHS()) == High && variable(Of->getRHS()) == Low)
        return true;
    return false;
  }

  /// How often V is assigned, but for where it is declared.
  static unsigned assignments(const Stmt *S, const VarDecl *V) {
    if (!S)
      return 0;
    llvm::SmallVector<Assignment, 2> Found;
    if (!isa<DeclStmt>(S))
      LocalValues::assignment(S, Found);
    unsigned Number = llvm::count_if(Found, [&](const Assignment &A) { return A.Variable == V; });
    for (const Stmt *Child : S->children())
      Number += assignments(Child, V);
    return Number;
  }

  /// It begins at a constant, and only the loop moves it: upwards.
  bool isNeverNegative(const VarDecl &V) const {
    const std::optional<int64_t> First =
        V.hasInit() && !isa<ParmVarDecl>(V) ? number(V.getInit()) : std::nullopt;
    return First && *First >= 0 && assignments(F.getBody(), &V) == assignments(L.Body, &V);
  }

  bool findMiddle(const Stmt *S) {
    const VarDecl *V = nullptr;
    const Expr *Value = nullptr;
    if (const auto *Declared = dyn_cast<DeclStmt>(S); Declared && Declared->isSingleDecl()) {
      V = dyn_cast<VarDecl>(Declared->getSingleDecl());
      Value = V ? V->getInit() : nullptr;
      if (V && (!V->hasLocalStorage() || !Values.isUnshared(*V)))
        return false;
    } else if (const auto *Assigned = dyn_cast<BinaryOperator>(S);
               Assigned && Assigned->getOpcode() == BO_Assign) {
      V = variable(Assigned->getLHS());
      Value = Assigned->getRHS();
    }
    if (!V || !Value || V == Low || V == High || !isMiddle(Value) ||
        !Context.hasSameUnqualifiedType(V->getType(), Low->getType()) ||
        assignments(L.Body, V) != (isa<DeclStmt>(S) ? 0 : 1))
      return false;
    Middle = V;
    return true;
  }

  bool touches(const Stmt *S) const {
    return assignments(S, Low) || assignments(S, High) || (Middle && assignments(S, Middle));
  }

  /// `low = middle + 1`, `high = middle`.
  bool isSmaller(const BinaryOperator &E) const {
    const VarDecl *To = variable(E.getLHS());
    const Expr *From = E.getRHS()->IgnoreParenImpCasts();
    int64_t By = 0;
    if (const auto *Sum = dyn_cast<BinaryOperator>(From);
        Sum && (Sum->getOpcode() == BO_Add || Sum->getOpcode() == BO_Sub)) {
      const std::optional<int64_t> Number = number(Sum->getRHS());
      if (!Number || *Number != 1)
        return false;
      By = Sum->getOpcode() == BO_Add ? 1 : -1;
      From = Sum->getLHS();
    }
    if (!Middle || E.getOpcode() != BO_Assign || variable(From) != Middle)
      return false;
    if (To == Low)
      return By == 1 || (By == 0 && Kind == Bounds::Apart);
    if (To != High || By == 1 || (By == 0 && Kind == Bounds::Closed))
      return false;
    // Below zero it wraps around, which a distance above one does not.
    return By == 0 || Kind == Bounds::Apart || Low->getType()->isSignedIntegerType();
  }

  Effect effect(const Stmt *S) const {
    if (!S)
      return Effect::None;
    if (isa<ReturnStmt, BreakStmt>(S))
      return Effect::Left;
    if (isa<ContinueStmt>(S))
      return Effect::Lost;
    if (const auto *Block = dyn_cast<CompoundStmt>(S)) {
      Effect All = Effect::None;
      for (const Stmt *Child : Block->body()) {
        const Effect Here = effect(Child);
        if (Here == Effect::Lost || (Here == Effect::Smaller && All == Effect::Smaller))
          return Effect::Lost;
        if (Here == Effect::Left)
          return Effect::Left;
        All = Here == Effect::None ? All : Here;
      }
      return All;
    }
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      if (touches(If->getInit()) || touches(If->getCond()) || If->getConditionVariable())
        return Effect::Lost;
      return either(effect(If->getThen()), effect(If->getElse()));
    }
    if (const auto *Choice = dyn_cast<ConditionalOperator>(S)) {
      if (touches(Choice->getCond()))
        return Effect::Lost;
      return either(effect(Choice->getTrueExpr()->IgnoreParens()),
                    effect(Choice->getFalseExpr()->IgnoreParens()));
    }
    if (!touches(S))
      return isa<Expr, DeclStmt, NullStmt>(S) || !jumps(S) ? Effect::None : Effect::Lost;
    const auto *Binary = dyn_cast<BinaryOperator>(S);
    return Binary && !touches(Binary->getRHS()) && isSmaller(*Binary) ? Effect::Smaller
                                                                      : Effect::Lost;
  }

  static Effect either(Effect A, Effect B) {
    if (A == B)
      return A;
    if (A == Effect::Lost || B == Effect::Lost)
      return Effect::Lost;
    if (A != Effect::None && B != Effect::None)
      return Effect::Smaller;
    return A == Effect::Smaller || B == Effect::Smaller ? Effect::Lost : Effect::None;
  }

  /// To the next round, or out of another statement than this loop.
  static bool jumps(const Stmt *S) {
    if (!S || isa<Expr>(S))
      return false;
    return isa<ContinueStmt, GotoStmt>(S) || llvm::any_of(S->children(), jumps);
  }

  const LocalValues &Values;
  const Loop &L;
  const FunctionDecl &F;
  const ASTContext &Context;
  const VarDecl *Low = nullptr, *High = nullptr, *Middle = nullptr;
  Bounds Kind = Bounds::Open;
  mutable bool RoundsToZero = false; ///< the half that isHalf() found
};

} // namespace

bool bisects(const LocalValues &Values, const Loop &L, const FunctionDecl &F) {
  return Bisection(Values, L, F).run();
}

} // namespace gpuinstr
