// Local variables whose values depend on memory or on other threads.
// SPDX-License-Identifier: Apache-2.0
#include "ast/access/ends/OuterValues.h"

#include "ast/access/KernelAccess.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace gpuinstr {

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

bool entersStatements(const SwitchStmt &Switch) {
  llvm::SmallPtrSet<const SwitchCase *, 16> Direct;
  auto Collect = [&](const Stmt *S) {
    for (const auto *Label = dyn_cast_or_null<SwitchCase>(S); Label;
         Label = dyn_cast<SwitchCase>(Label->getSubStmt()))
      Direct.insert(Label);
  };
  if (const auto *Block = dyn_cast<CompoundStmt>(Switch.getBody()))
    llvm::for_each(Block->body(), Collect);
  else
    Collect(Switch.getBody());
  for (const SwitchCase *Label = Switch.getSwitchCaseList(); Label;
       Label = Label->getNextSwitchCase())
    if (!Direct.contains(Label))
      return true;
  return false;
}

bool OuterValues::run() {
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

void OuterValues::visit(const Stmt *S, bool Decided) {
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
    if (const auto *For = dyn_cast<ForStmt>(S)) {
      visit(For->getInit(), Decided);
      visit(For->getConditionVariableDeclStmt(), Decided);
    } else if (const auto *While = dyn_cast<WhileStmt>(S)) {
      visit(While->getConditionVariableDeclStmt(), Decided);
    }
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

void OuterValues::enter(const Stmt *Around, const Stmt *S, bool Decided) {
  Open.push_back(Around);
  visit(S, Decided);
  Open.pop_back();
}

void OuterValues::jump(bool Continue, bool Decided) {
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

void OuterValues::note(const Stmt *S, bool Decided) {
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
