// Whether the loops of a function leave by themselves.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/ends/LoopExits.h"

#include "ast/access/KernelAccess.h"
#include "ast/access/ends/LocalValues.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace gpuinstr {
namespace {

struct Loop {
  const Stmt *At = nullptr;
  const Expr *Condition = nullptr, *Step = nullptr;
  const Stmt *Body = nullptr;
};

bool asLoop(const Stmt *S, Loop &L) {
  L.At = S;
  if (const auto *For = dyn_cast<ForStmt>(S)) {
    L.Condition = For->getConditionVariable() ? nullptr : For->getCond();
    L.Step = For->getInc();
    L.Body = For->getBody();
  } else if (const auto *While = dyn_cast<WhileStmt>(S)) {
    L.Condition = While->getConditionVariable() ? nullptr : While->getCond();
    L.Body = While->getBody();
  } else if (const auto *Do = dyn_cast<DoStmt>(S)) {
    L.Condition = Do->getCond();
    L.Body = Do->getBody();
  } else {
    return false;
  }
  return true;
}

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

/// Finds the local variables that depend on memory or on other threads, in one loop.
class OuterValues {
public:
  OuterValues(KernelAccess &Whole, const LocalValues &Values, const Loop &L)
      : Whole(Whole), Values(Values), L(L) {}

  /// False when the budget is spent.
  bool run() {
    std::size_t Before = 0, Jumps = 0;
    do {
      Before = Outer.size();
      Jumps = Jumping.size();
      visit(L.Condition, false);
      // What is assigned in the body may be skipped by a `continue` that memory decides on.
      visit(L.Body, Jumping.contains(L.At));
      visit(L.Step, false);
    } while (!Spent && (Before != Outer.size() || Jumps != Jumping.size()));
    return !Spent;
  }

  Variables Outer, Assigned;
  std::vector<Assignment> Assignments;
  bool Left = false; ///< by a `break` or `return` that memory or another thread decides on

private:
  /// Decided: memory or another thread decides whether S is reached.
  void visit(const Stmt *S, bool Decided) {
    if (!S || Spent || (Spent = !Whole.step()))
      return;
    if (const auto *If = dyn_cast<IfStmt>(S)) {
      visit(If->getInit(), Decided);
      visit(If->getConditionVariableDeclStmt(), Decided);
      visit(If->getCond(), Decided);
      const bool Inner = Decided || outside(If->getCond());
      visit(If->getThen(), Inner);
      return visit(If->getElse(), Inner);
    }
    if (const auto *Switch = dyn_cast<SwitchStmt>(S)) {
      visit(Switch->getInit(), Decided);
      visit(Switch->getConditionVariableDeclStmt(), Decided);
      visit(Switch->getCond(), Decided);
      return enter(S, Switch->getBody(),
                   Decided || outside(Switch->getCond()) || Jumping.contains(S));
    }
    if (isa<CXXForRangeStmt>(S)) {
      for (const Stmt *Child : S->children())
        enter(S, Child, true); // how often is not looked at
      return;
    }
    if (Loop Inner; asLoop(S, Inner)) {
      if (const auto *For = dyn_cast<ForStmt>(S))
        visit(For->getInit(), Decided);
      const bool Here =
          Decided || !Inner.Condition || outside(Inner.Condition) || Jumping.contains(S);
      enter(S, Inner.Condition, Here);
      enter(S, Inner.Body, Here);
      return enter(S, Inner.Step, Here);
    }
    if (isa<BreakStmt>(S) || isa<ContinueStmt>(S))
      return jump(isa<ContinueStmt>(S), Decided);
    Left |= Decided && isa<ReturnStmt>(S);
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S)) {
      for (const Expr *Captured : Lambda->capture_inits())
        visit(Captured, Decided);
      return;
    }
    if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(S)) {
      visit(Choice->getCond(), Decided);
      const bool Inner = Decided || outside(Choice->getCond());
      visit(Choice->getTrueExpr(), Inner);
      return visit(Choice->getFalseExpr(), Inner);
    }
    if (const auto *Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isLogicalOp()) {
      visit(Binary->getLHS(), Decided);
      return visit(Binary->getRHS(), Decided || outside(Binary->getLHS()));
    }
    note(S, Decided);
    for (const Stmt *Child : S->children())
      visit(Child, Decided);
    if (const auto *Declarations = dyn_cast<DeclStmt>(S))
      for (const Decl *D : Declarations->decls())
        if (const auto *V = dyn_cast<VarDecl>(D); V && V->hasInit())
          visit(V->getInit(), Decided);
  }
  void enter(const Stmt *Around, const Stmt *S, bool Decided) {
    Open.push_back(Around);
    visit(S, Decided);
    Open.pop_back();
  }
  void jump(bool Continue, bool Decided) {
    if (!Decided)
      return;
    // A `break` of the loop itself only ends it. From an inner one it decides what follows there.
    for (auto I = Open.rbegin(); I != Open.rend(); ++I) {
      Jumping.insert(*I);
      if (!Continue || !isa<SwitchStmt>(*I))
        return;
    }
    if (Continue)
      Jumping.insert(L.At);
    else
      Left = true;
  }
  void note(const Stmt *S, bool Decided) {
    llvm::SmallVector<Assignment, 2> Found;
    LocalValues::assignment(S, Found);
    for (const Assignment &A : Found) {
      if (Assigned.insert(A.Variable).second || Seen.insert(A.At).second)
        Assignments.push_back(A);
      Seen.insert(A.At);
      if (Decided || Values.comesFromOutside(A, Outer))
        Outer.insert(A.Variable);
    }
  }
  bool outside(const Expr *E) const { return Values.comesFromOutside(E, Outer); }

  KernelAccess &Whole;
  const LocalValues &Values;
  const Loop &L;
  llvm::SmallVector<const Stmt *, 4> Open; ///< loops and switches inside L, around the visit
  llvm::DenseSet<const Stmt *> Jumping;    ///< left or continued as memory decides
  llvm::DenseSet<const Stmt *> Seen;
  bool Spent = false;
};

class LoopJudge {
public:
  LoopJudge(KernelAccess &Whole, const FunctionDecl &F) : Whole(Whole), Values(Whole, F) {}

  bool allEnd(const Stmt *S) const {
    if (!S)
      return true;
    if (!Whole.step())
      return false;
    if (const auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
      if (!Range->getRangeInit()->getType()->isConstantArrayType())
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
    if (!L.Condition || L.Condition->isValueDependent())
      return false;
    OuterValues In(Whole, Values, L);
    if (!In.run())
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
    return counts(L, L.Condition, In);
  }

  /// One of the operands of && in E comes to an end by itself: nothing in it comes from outside.
  bool advances(const Loop &L, const Expr *E, const OuterValues &In) const {
    E = E->IgnoreParenImpCasts();
    const auto *Binary = dyn_cast<BinaryOperator>(E);
    if (!Binary)
      return moves(L, E, false, In);
    const Expr *Left = Binary->getLHS(), *Right = Binary->getRHS();
    switch (Binary->getOpcode()) {
    case BO_LAnd:
      return advances(L, Left, In) || advances(L, Right, In);
    case BO_LE:
    case BO_LT:
      return moves(L, Left, true, In) || (!holdsAlways(Binary->getOpcode() == BO_LE, Right, Left) &&
                                          moves(L, Right, false, In));
    case BO_GE:
    case BO_GT:
      return moves(L, Right, true, In) ||
             (!holdsAlways(Binary->getOpcode() == BO_GE, Left, Right) && moves(L, Left, false, In));
    case BO_NE:
      return moves(L, Left, true, In) || moves(L, Left, false, In) || moves(L, Right, true, In) ||
             moves(L, Right, false, In);
    default:
      return false;
    }
  }

  /// No unsigned number is below zero.
  bool holdsAlways(bool Inclusive, const Expr *Large, const Expr *Small) const {
    Expr::EvalResult Bound;
    return Inclusive && Large->IgnoreParenImpCasts()->getType()->isUnsignedIntegerType() &&
           Small->EvaluateAsInt(Bound, Whole.context()) && Bound.Val.getInt().isZero();
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
      return V && Unary->isIncrementOp() == Up && onlyAssignment(V, In) == Unary;
    }
    const VarDecl *V = counter(E);
    return V && (isStep(L, V, Up, In) || isScaled(L, V, Up, In));
  }
  /// `half >>= 1`, `offset /= 2`, `stride *= 2`.
  bool isScaled(const Loop &L, const VarDecl *V, bool Up, const OuterValues &In) const {
    const auto *Binary = dyn_cast_or_null<BinaryOperator>(onlyAssignment(V, In));
    if (!Binary || !isMadeInEveryRound(L, Binary))
      return false;
    Expr::EvalResult By;
    const bool Known = Binary->getRHS()->EvaluateAsInt(By, Whole.context());
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
    if (!Plain->getType()->isIntegerType() || !isPlainRead(Plain))
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
  LocalValues Values;
  mutable bool StepIsOne = false; ///< of the step that isStep found
};

} // namespace

bool loopsEnd(KernelAccess &Whole, const FunctionDecl &F) {
  return LoopJudge(Whole, F).allEnd(F.getBody());
}

bool findOuterValues(KernelAccess &Whole, const LocalValues &Values, const Stmt &Body,
                     Variables &Outer) {
  Loop Once;
  Once.At = Once.Body = &Body;
  OuterValues In(Whole, Values, Once);
  const bool Done = In.run();
  Outer = std::move(In.Outer);
  return Done;
}

} // namespace gpuinstr
