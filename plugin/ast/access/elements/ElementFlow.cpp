// What a thread of a device function has written before it reads it, and whether memory decides
// where it writes.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/elements/ElementFlow.h"

#include "ast/access/KernelAccess.h"
#include "ast/access/elements/SettledPlaces.h"
#include "ast/access/ends/OuterValues.h"
#include "ast/access/library/LibraryFunctions.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace gpuinstr {
namespace {

constexpr unsigned MaxKnown = 32; ///< elements that are remembered at a time
constexpr unsigned MaxDeep = 3;   ///< loops of a row

const Expr *stripped(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    const auto *Full = dyn_cast<FullExpr>(E);
    if (!Full)
      return E;
    E = Full->getSubExpr();
  }
}

/// The left side of an assignment, of objects too where copying one is trivial.
const Expr *assigned(const Expr *E, const Expr *&Value, KernelAccess &Whole) {
  Value = nullptr;
  if (const auto *Binary = dyn_cast<BinaryOperator>(E); Binary && Binary->isAssignmentOp()) {
    Value = Binary->getRHS();
    return Binary->getLHS();
  }
  if (const auto *Unary = dyn_cast<UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
    return Unary->getSubExpr();
  const auto *Call = dyn_cast<CXXOperatorCallExpr>(E);
  const auto *Method = Call ? dyn_cast_or_null<CXXMethodDecl>(Call->getDirectCallee()) : nullptr;
  if (!Method || Call->getNumArgs() != 2)
    return nullptr;
  const bool Copies = Method->isTrivial() &&
                      (Method->isCopyAssignmentOperator() || Method->isMoveAssignmentOperator());
  if (!Copies && !isNarrowAssignment(*Method, Whole))
    return nullptr;
  Value = Call->getArg(1);
  return Call->getArg(0);
}

bool keepsOld(const Expr *E) { return isa<CompoundAssignOperator, UnaryOperator>(E); }

/// What this does not follow: jumps to labels and into statements, assembly, exceptions.
bool isStrange(const Stmt *S) {
  if (!S)
    return false;
  if (isa<LabelStmt, GotoStmt, IndirectGotoStmt, AsmStmt, CXXTryStmt, StmtExpr>(S))
    return true;
  if (const auto *Switch = dyn_cast<SwitchStmt>(S); Switch && entersStatements(*Switch))
    return true;
  return llvm::any_of(S->children(), isStrange);
}

/// `if (…) return;`, `if (…) { …; return; }`: what follows is its other side.
const IfStmt *leaving(const Stmt *S) {
  const auto *If = dyn_cast<IfStmt>(S);
  if (!If || If->getElse() || !If->getCond())
    return nullptr;
  const Stmt *Last = If->getThen();
  if (const auto *Block = dyn_cast<CompoundStmt>(Last))
    Last = Block->body_empty() ? nullptr : Block->body_back();
  return isa_and_nonnull<ReturnStmt>(Last) ? If : nullptr;
}

bool isLoop(const Stmt *S) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S); }

} // namespace

ElementFlow::ElementFlow(KernelAccess &Whole, const FunctionDecl &F)
    : Whole(Whole), Values(Whole, F), OfObject(Values), Rows(Whole, Values, F) {
  const Stmt *Body = F.getBody();
  OfObject.keepObject();
  if (isStrange(Body) || !findOuterValues(Whole, OfObject, *Body, Outer))
    return;
  Written Known;
  llvm::SmallVector<const Stmt *, 16> Statements;
  if (const auto *Block = dyn_cast<CompoundStmt>(Body))
    llvm::append_range(Statements, Block->body());
  else
    Statements.push_back(Body);
  bool Leaves = llvm::any_of(Statements, [&](const Stmt *S) {
    const IfStmt *If = leaving(S);
    const auto *Block = If ? dyn_cast<CompoundStmt>(If->getThen()) : nullptr;
    if (!If)
      return jumps(S, false, true);
    return Block && llvm::any_of(Block->body(), [&](const Stmt *Inner) {
             return Inner != Block->body_back() && jumps(Inner, outside(If->getCond()), true);
           });
  });
  sequence(Statements, Known, Leaves);
  if (Spent) {
    Own.clear();
    Regular.clear();
  }
}

void ElementFlow::forget(Written &Known, const Variables &Changed) {
  llvm::erase_if(Known, [&](const Element &E) {
    return llvm::any_of(E.Named, [&](const VarDecl *V) { return Changed.contains(V); });
  });
}

void ElementFlow::findChanged(const Stmt *S, Variables &Changed) {
  Spent = Spent || !Rows.findChanged(S, Changed);
}

void ElementFlow::addRows(const CountedLoop &Over, const Variables &Changed, const Written &Round,
                          Written &Known) {
  for (const Element &E : Round) {
    if (E.Over.size() >= MaxDeep || !E.Named.contains(Over.Variable) || Known.size() >= MaxKnown ||
        llvm::any_of(E.Named,
                     [&](const VarDecl *V) { return V != Over.Variable && Changed.contains(V); }) ||
        llvm::any_of(E.Over, [&](const CountedLoop *L) { // as many as this one counts to
          return L->Variable == Over.Variable || L->Named.contains(Over.Variable);
        }))
      continue;
    Element Row;
    Row.Id = E.Id;
    Row.Id.AddPointer(Over.At);
    Row.Named = Over.Named;
    Row.Named.insert(E.Named.begin(), E.Named.end());
    Row.Named.erase(Over.Variable);
    Row.Regular = E.Regular;
    Row.Place = E.Place;
    Row.Over = E.Over;
    Row.Over.push_back(&Over);
    Known.push_back(std::move(Row));
  }
}

bool ElementFlow::jumps(const Stmt *S, bool Decided, bool Returns) {
  if (!S || isa<Expr>(S))
    return false;
  if (isa<ReturnStmt>(S))
    return Returns && Decided;
  if (isa<BreakStmt, ContinueStmt>(S))
    return !Returns && Decided;
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    const bool Inner = Decided || outside(If->getCond());
    return jumps(If->getThen(), Inner, Returns) || jumps(If->getElse(), Inner, Returns);
  }
  if (const auto *Switch = dyn_cast<SwitchStmt>(S))
    Decided |= outside(Switch->getCond());
  if (isLoop(S) && !Returns)
    return false; // its own
  if (const auto *For = dyn_cast<ForStmt>(S))
    Decided |= For->getCond() && outside(For->getCond());
  else if (const auto *While = dyn_cast<WhileStmt>(S))
    Decided |= outside(While->getCond());
  else if (isa<CXXForRangeStmt>(S))
    Decided = true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *Child) { return jumps(Child, Decided, Returns); });
}

void ElementFlow::walk(const Stmt *S, Written &Known, bool Decided) {
  if (!S || Spent || (Spent = !Whole.step()))
    return;
  if (const auto *E = dyn_cast<Expr>(S))
    return whole(E, Known, Decided);
  if (isLoop(S))
    return loop(S, Known, Decided);
  if (isa<IfStmt, SwitchStmt>(S))
    return branch(S, Known, Decided);
  if (const auto *Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declarations->decls())
      if (const auto *V = dyn_cast<VarDecl>(D)) {
        if (V->getInit())
          whole(V->getInit(), Known, Decided);
        Variables Fresh;
        Fresh.insert(V);
        forget(Known, Fresh);
        Rows.noteDeclared(*V, Around.Open);
      }
    return;
  }
  if (const auto *Return = dyn_cast<ReturnStmt>(S)) {
    if (Return->getRetValue())
      whole(Return->getRetValue(), Known, Decided);
    return;
  }
  for (const Stmt *Child : S->children())
    walk(Child, Known, Decided);
}

void ElementFlow::loop(const Stmt *S, Written &Known, bool Decided) {
  const Expr *Condition = nullptr, *Step = nullptr;
  const Stmt *Body = nullptr;
  if (const auto *For = dyn_cast<ForStmt>(S)) {
    walk(For->getInit(), Known, Decided);
    Condition = For->getCond();
    Step = For->getInc();
    Body = For->getBody();
  } else if (const auto *While = dyn_cast<WhileStmt>(S)) {
    Condition = While->getCond();
    Body = While->getBody();
  } else if (const auto *Do = dyn_cast<DoStmt>(S)) {
    Condition = Do->getCond();
    Body = Do->getBody();
  } else {
    Body = cast<CXXForRangeStmt>(S)->getBody();
    Decided = true;
  }
  Variables Changed;
  findChanged(Body, Changed);
  const CountedLoop *Counted = nullptr;
  if (std::optional<CountedLoop> Loop = Rows.counted(S, Changed))
    Counted = &Loops.emplace_back(std::move(*Loop));
  for (const Stmt *Part : S->children())
    if (Part != Body)
      findChanged(Part, Changed);
  forget(Known, Changed);
  Decided |= (Condition && outside(Condition)) || jumps(Body, Decided, false);
  // A round may be the first, and may leave anywhere: what it writes counts in its body alone.
  Written Round = Known;
  if (Condition)
    whole(Condition, Round, Decided);
  Round = Known;
  if (Counted)
    Around.Open.push_back(Counted);
  walk(Body, Round, Decided);
  if (Counted) {
    Around.Open.pop_back();
    if (!jumps(Body, true, false) && !jumps(Body, true, true))
      addRows(*Counted, Changed, Round, Known);
  }
  Round = Known;
  if (Step)
    whole(Step, Round, Decided);
}

void ElementFlow::branch(const Stmt *S, Written &Known, bool Decided) {
  if (const auto *Switch = dyn_cast<SwitchStmt>(S)) {
    walk(Switch->getInit(), Known, Decided);
    walk(Switch->getConditionVariableDeclStmt(), Known, Decided);
    whole(Switch->getCond(), Known, Decided);
    Variables Changed;
    findChanged(Switch->getBody(), Changed);
    forget(Known, Changed);
    const bool Inner = Decided || outside(Switch->getCond());
    const bool Leaves = Inner || jumps(Switch->getBody(), false, false);
    for (const Stmt *Child : Switch->getBody()->children()) { // any of them may come first
      Written Case = Known;
      walk(Child, Case, Leaves);
    }
    return;
  }
  const auto *If = cast<IfStmt>(S);
  walk(If->getInit(), Known, Decided);
  walk(If->getConditionVariableDeclStmt(), Known, Decided);
  whole(If->getCond(), Known, Decided);
  llvm::SmallVector<const Stmt *, 1> Else;
  if (If->getElse())
    Else.push_back(If->getElse());
  choose(If, Else, Known, Decided);
}

void ElementFlow::choose(const IfStmt *If, llvm::ArrayRef<const Stmt *> Else, Written &Known,
                         bool Decided) {
  const bool Inner = Decided || outside(If->getCond());
  Variables Changed;
  if (Inner && !Decided) { // else nothing is to be learnt
    findChanged(If->getThen(), Changed);
    for (const Stmt *S : Else)
      findChanged(S, Changed);
  }
  Written One = Known, Other = Known;
  under({If->getCond(), true}, [&] { walk(If->getThen(), One, Inner); });
  under({If->getCond(), false}, [&] { sequence(Else, Other, Inner); });
  join(One, Other, Inner && !Decided ? &Changed : nullptr, Known);
}

void ElementFlow::under(Guard Known, llvm::function_ref<void()> Walk) {
  if (Known.Condition)
    Around.Guards.push_back(Known);
  Walk();
  if (Known.Condition)
    Around.Guards.pop_back();
}

void ElementFlow::join(const Written &Then, const Written &Else, const Variables *Changed,
                       Written &Known) {
  Known.clear();
  for (const Element &E : Then)
    for (const Element &O : Else)
      if (O.Id == E.Id) {
        Element Both = E;
        Both.Regular &= O.Regular;
        Both.Settled &= O.Settled;
        llvm::append_range(Both.Places, O.Places);
        // Whichever side memory chooses, and both mean the same one by it.
        if (Changed && Both.Settled &&
            llvm::none_of(Both.Named, [&](const VarDecl *V) { return Changed->contains(V); })) {
          Regular.insert(Both.Places.begin(), Both.Places.end());
          Both.Regular = true;
          Both.Places.clear();
        }
        Known.push_back(std::move(Both));
        break;
      }
}

void ElementFlow::sequence(llvm::ArrayRef<const Stmt *> Statements, Written &Known, bool Decided) {
  for (; !Statements.empty(); Statements = Statements.drop_front()) {
    const IfStmt *If = leaving(Statements.front());
    if (!If) {
      walk(Statements.front(), Known, Decided);
      continue;
    }
    walk(If->getInit(), Known, Decided);
    walk(If->getConditionVariableDeclStmt(), Known, Decided);
    whole(If->getCond(), Known, Decided);
    return choose(If, Statements.drop_front(), Known, Decided);
  }
}

void ElementFlow::whole(const Expr *E, Written &Known, bool Decided) {
  if (!E) // the condition of `if consteval`
    return;
  E = stripped(E);
  if (const auto *Comma = dyn_cast<BinaryOperator>(E); Comma && Comma->getOpcode() == BO_Comma) {
    whole(Comma->getLHS(), Known, Decided);
    return whole(Comma->getRHS(), Known, Decided);
  }
  Variables Changed;
  findChanged(E, Changed);
  forget(Known, Changed);
  assign(E, Known, Decided, Changed);
}

void ElementFlow::assign(const Expr *E, Written &Known, bool Decided, const Variables &Changed) {
  E = stripped(E);
  const Expr *Value = nullptr, *Place = assigned(E, Value, Whole);
  if (!Place)
    return reads(E, Known, Decided);
  const Expr *Inner = nullptr;
  if (Value && assigned(stripped(Value->IgnoreParenImpCasts()), Inner, Whole))
    assign(Value->IgnoreParenImpCasts(), Known, Decided, Changed);
  else if (Value)
    reads(Value, Known, Decided);
  if ((keepsOld(E) || Place->refersToBitField()) && isKnown(Place, Known))
    Own.insert(Place->IgnoreParens());
  for (const Stmt *Child : Place->IgnoreParens()->children())
    reads(Child, Known, Decided);
  write(Place, Known, Decided, Changed);
}

void ElementFlow::write(const Expr *Place, Written &Known, bool Decided, const Variables &Changed) {
  Place = Place->IgnoreParens();
  // Where the thread has written in any case, it may write once more.
  auto *Before = const_cast<Element *>(find(Place, Known));
  Element E;
  E.Settled = isSettledPlace(Place, Whole, OfObject, Outer);
  E.Regular = (Before && Before->Regular) || (!Decided && E.Settled);
  if (E.Regular)
    Regular.insert(Place);
  else
    (Before ? Before : &E)->Places.push_back(Place);
  if (Known.size() >= MaxKnown || Before || !isElement(Place, E.Named) ||
      llvm::any_of(E.Named, [&](const VarDecl *V) { return Changed.contains(V); }))
    return;
  Place->Profile(E.Id, Whole.context(), true);
  Rows.expandNames(E.Named);
  E.Place = Place;
  Known.push_back(std::move(E));
}

/// All that S reads; assignments and calls that stand inside count for nothing else.
void ElementFlow::reads(const Stmt *S, const Written &Known, bool Decided) {
  if (!S || Spent || (Spent = !Whole.step()) || isa<LambdaExpr>(S))
    return;
  const auto *E = dyn_cast<Expr>(S);
  if (E && E->isGLValue() && isKnown(E, Known))
    Own.insert(E->IgnoreParens());
  if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(S)) {
    reads(Choice->getCond(), Known, Decided);
    Decided |= outside(Choice->getCond());
    under({Choice->getCond(), true}, [&] { reads(Choice->getTrueExpr(), Known, Decided); });
    return under({Choice->getCond(), false},
                 [&] { reads(Choice->getFalseExpr(), Known, Decided); });
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(S); Binary && Binary->isLogicalOp()) {
    reads(Binary->getLHS(), Known, Decided);
    return reads(Binary->getRHS(), Known, Decided || outside(Binary->getLHS()));
  }
  if (const auto *Call = dyn_cast<CallExpr>(S);
      Call && !Decided && isSettledCall(*Call, OfObject, Outer))
    Regular.insert(Call);
  for (const Stmt *Child : S->children())
    reads(Child, Known, Decided);
}

const ElementFlow::Element *ElementFlow::find(const Expr *Place, const Written &Known) const {
  // With an object its members were written.
  for (Place = Place->IgnoreParens();; Place = cast<MemberExpr>(Place)->getBase()->IgnoreParens()) {
    llvm::FoldingSetNodeID Id;
    if (!Known.empty()) {
      Place->Profile(Id, Whole.context(), true);
      const auto *At = llvm::find_if(Known, [&](const Element &E) {
        return E.Over.empty() ? E.Id == Id : Rows.covers(E.Over, E.Place, Place, Around);
      });
      if (At != Known.end())
        return At;
    }
    const auto *Member = dyn_cast<MemberExpr>(Place);
    if (!Member || Member->isArrow() || Known.empty())
      return nullptr;
  }
}

/// An element of what a pointer leads to, named by values that are the same each time. Named gets
/// the variables.
bool ElementFlow::isElement(const Expr *Place, Variables &Named) const {
  return isPlace(Place, [&](const Expr *E) {
    if ((isa<CallExpr>(E) && E->isGLValue()) || Values.comesFromOutside(E, {}))
      return false;
    Values.collectReads(E, Named);
    return true;
  });
}

} // namespace gpuinstr
