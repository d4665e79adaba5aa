// Visits the calls of one function body in evaluation order.
// SPDX-License-Identifier: Apache-2.0
#include "ast/CallWalker.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace gpuinstr {
namespace {

bool isPushConfiguration(const Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  const IdentifierInfo *Name = Callee ? Callee->getIdentifier() : nullptr;
  return Name && Name->isStr("__cudaPushCallConfiguration");
}

} // namespace

void CallWalker::walkFunction(const FunctionDecl &F) {
  const FunctionDecl *Definition = nullptr;
  const Stmt *Body = F.getBody(Definition);
  if (!Definition)
    return;
  Current = Definition->getLocation();
  if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Definition))
    for (const CXXCtorInitializer *Init : Constructor->inits()) {
      llvm::SaveAndRestore Kind(BuildsBase, Init->isBaseInitializer());
      ValueUse Use;
      Use.Declared = Init->getAnyMember();
      value(Init->getInit(), Use);
    }
  if (Body)
    statement(Body);
}

void CallWalker::walkInitialiser(const ValueDecl &D, const Expr &Init) {
  Current = D.getLocation();
  ValueUse Use;
  Use.Declared = &D;
  value(&Init, Use);
}

void CallWalker::statement(const Stmt *S) {
  if (!S)
    return;
  if (const auto *E = dyn_cast<Expr>(S)) {
    ValueUse Use;
    Use.Discarded = true;
    return value(E, Use);
  }
  if (const auto *Declarations = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Declarations->decls())
      if (const auto *V = dyn_cast<VarDecl>(D); V && V->hasInit()) {
        ValueUse Use;
        Use.Declared = V;
        value(V->getInit(), Use);
      }
    return;
  }
  // Only these have expressions as children whose value is used.
  auto Used = [&](const Expr *E) {
    if (E)
      value(E, {});
  };
  if (const auto *If = dyn_cast<IfStmt>(S)) {
    statement(If->getInit());
    statement(If->getConditionVariableDeclStmt());
    Used(If->getCond());
    statement(If->getThen());
    statement(If->getElse());
  } else if (const auto *For = dyn_cast<ForStmt>(S)) {
    statement(For->getInit());
    statement(For->getConditionVariableDeclStmt());
    Used(For->getCond());
    statement(For->getBody());
    statement(For->getInc());
  } else if (const auto *While = dyn_cast<WhileStmt>(S)) {
    statement(While->getConditionVariableDeclStmt());
    Used(While->getCond());
    statement(While->getBody());
  } else if (const auto *Do = dyn_cast<DoStmt>(S)) {
    statement(Do->getBody());
    Used(Do->getCond());
  } else if (const auto *Switch = dyn_cast<SwitchStmt>(S)) {
    statement(Switch->getInit());
    statement(Switch->getConditionVariableDeclStmt());
    Used(Switch->getCond());
    statement(Switch->getBody());
  } else if (const auto *Range = dyn_cast<CXXForRangeStmt>(S)) {
    statement(Range->getInit());
    statement(Range->getRangeStmt());
    statement(Range->getBeginStmt());
    statement(Range->getEndStmt());
    Used(Range->getCond());
    statement(Range->getLoopVarStmt());
    statement(Range->getBody());
    statement(Range->getInc());
  } else if (const auto *Return = dyn_cast<ReturnStmt>(S)) {
    Used(Return->getRetValue());
  } else if (const auto *Captured = dyn_cast<CapturedStmt>(S)) {
    statement(Captured->getCapturedStmt()); // the body of an OpenMP region
  } else {
    for (const Stmt *Child : S->children())
      statement(Child);
  }
}

/// Wrappers that hand their operand's value on, with the same use.
bool CallWalker::passesThrough(const Expr *E, ValueUse Use) {
  const Expr *Inner = nullptr;
  if (const auto *Paren = dyn_cast<ParenExpr>(E))
    Inner = Paren->getSubExpr();
  else if (const auto *Full = dyn_cast<FullExpr>(E))
    Inner = Full->getSubExpr();
  else if (const auto *Temporary = dyn_cast<MaterializeTemporaryExpr>(E))
    Inner = Temporary->getSubExpr();
  else if (const auto *Bound = dyn_cast<CXXBindTemporaryExpr>(E))
    Inner = Bound->getSubExpr();
  else if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    Inner = Cast->getSubExpr();
    Use.Discarded |= Cast->getCastKind() == CK_ToVoid;
  } else if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(E))
    Inner = Default->getExpr();
  else if (const auto *Generic = dyn_cast<GenericSelectionExpr>(E))
    Inner = Generic->isResultDependent() ? nullptr : Generic->getResultExpr();
  else if (const auto *Substituted = dyn_cast<SubstNonTypeTemplateParmExpr>(E))
    Inner = Substituted->getReplacement();
  if (Inner)
    value(Inner, Use);
  return Inner;
}

/// Expressions whose operands are used differently from plain operands. True when E is dealt with.
bool CallWalker::special(const Expr *E, ValueUse Use) {
  if (isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, TypeTraitExpr>(E))
    return true; // not evaluated
  if (const auto *Lambda = dyn_cast<LambdaExpr>(E)) {
    for (const Expr *Capture : Lambda->capture_inits())
      if (Capture)
        value(Capture, {});
    return true; // its body is a function of its own
  }
  if (const auto *Block = dyn_cast<StmtExpr>(E)) {
    for (const Stmt *S : Block->getSubStmt()->body()) {
      const auto *Last = dyn_cast<Expr>(S);
      if (Last && S == Block->getSubStmt()->body_back())
        value(Last, Use);
      else
        statement(S);
    }
    return true;
  }
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    value(Choice->getCond(), {});
    llvm::SaveAndRestore Launch(InLaunch, InLaunch || isPushConfiguration(Choice->getCond()));
    value(Choice->getTrueExpr(), Use);
    value(Choice->getFalseExpr(), Use);
    return true;
  }
  if (const auto *Binary = dyn_cast<BinaryOperator>(E)) {
    ValueUse Left, Right;
    if (Binary->getOpcode() == BO_Comma) {
      Left.Discarded = true;
      Right = Use;
    } else if (Binary->getOpcode() == BO_Assign) {
      Right.Assigned = Binary->getLHS();
      value(Binary->getRHS(), Right); // evaluated first
      value(Binary->getLHS(), Left);
      return true;
    }
    value(Binary->getLHS(), Left);
    value(Binary->getRHS(), Right);
    return true;
  }
  if (const auto *New = dyn_cast<CXXNewExpr>(E)) {
    const Expr *Made = New->getInitializer();
    ValueUse Object = Use;
    Object.IsNew = true;
    // The loop over a new array's elements stands where the new does.
    llvm::SaveAndRestore InLoop(Pinned, Pinned || (New->isArray() && New->getConstructExpr()));
    for (const Stmt *Child : New->children())
      if (const auto *Part = dyn_cast_or_null<Expr>(Child))
        value(Part, Part == Made || Part == New->getConstructExpr() ? Object : ValueUse{});
    report(E, Use);
    return true;
  }
  if (const auto *Delete = dyn_cast<CXXDeleteExpr>(E)) {
    value(Delete->getArgument(), {});
    report(E, Use);
    return true;
  }
  if (const auto *List = dyn_cast<InitListExpr>(E)) {
    const InitListExpr *Semantic =
        List->isSemanticForm() || !List->getSemanticForm() ? List : List->getSemanticForm();
    children(Semantic);
    return true;
  }
  if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return !Opaque->getSourceExpr() || (value(Opaque->getSourceExpr(), {}), true);
  return false;
}

void CallWalker::report(const Expr *E, ValueUse Use) {
  CallFound C;
  C.Call = E;
  C.Loc = Current;
  C.Use = Use;
  found(C);
}

/// The standard library's smart pointers: what they are made of is what they are.
static bool isSmartPointer(const CXXRecordDecl &Class) {
  const IdentifierInfo *Name = Class.getIdentifier();
  return Name && Class.isInStdNamespace() &&
         (Name->isStr("unique_ptr") || Name->isStr("shared_ptr"));
}

/// `std::unique_ptr<float, Free> held(make(n))`
static ValueUse useIn(const CXXConstructExpr &Call, const Expr &Argument, ValueUse Use) {
  const bool Holds = Call.getArg(0) == &Argument && Argument.getType()->isPointerType() &&
                     isSmartPointer(*Call.getConstructor()->getParent());
  Use.Discarded = false;
  return Holds && !Use.IsNew ? Use : ValueUse();
}

/// `held = make(n)`: an object's assignment from another of its class; `held.reset(make(n))`.
static ValueUse useIn(const CallExpr &Call, const Expr &Argument) {
  ValueUse Use;
  const auto *Member = dyn_cast<CXXMemberCallExpr>(&Call);
  const CXXMethodDecl *Method = Member ? Member->getMethodDecl() : nullptr;
  if (Method && Method->getIdentifier() && Method->getIdentifier()->isStr("reset") &&
      Call.getArg(0) == &Argument && isSmartPointer(*Method->getParent()))
    Use.Assigned = Member->getImplicitObjectArgument();
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(&Call);
  if (Operator && Operator->getOperator() == OO_Equal && Operator->getNumArgs() == 2 &&
      Operator->getArg(1) == &Argument) {
    const Expr *Object = Operator->getArg(0);
    if (Object->getType().getCanonicalType().getUnqualifiedType() ==
        Argument.getType().getCanonicalType().getUnqualifiedType())
      Use.Assigned = Object;
  }
  return Use;
}

void CallWalker::call(const Expr *E, ValueUse Use) {
  CallFound C;
  C.Call = E;
  C.Loc = Current;
  C.Use = Use;
  if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(E)) {
    value(Launch->getConfig(), {});
    C.Launch = true;
  } else if (isa<CallExpr>(E)) {
    C.Launch = InLaunch;
  }
  const bool Base = BuildsBase;
  {
    llvm::SaveAndRestore Operands(BuildsBase, false);
    llvm::SaveAndRestore Arguments(InLaunch, false);
    if (const auto *Construct = dyn_cast<CXXConstructExpr>(E)) {
      C.Base = Construct->getConstructionKind() == CXXConstructionKind::NonVirtualBase ||
               Construct->getConstructionKind() == CXXConstructionKind::VirtualBase || Base;
      for (const Expr *Argument : Construct->arguments())
        value(Argument, useIn(*Construct, *Argument, Use));
      if (Construct->isElidable() && Construct->getNumArgs())
        return;
    } else if (const auto *Call = dyn_cast<CallExpr>(E)) {
      value(Call->getCallee(), {});
      for (const Expr *Argument : Call->arguments())
        value(Argument, useIn(*Call, *Argument));
    }
  }
  found(C);
}

void CallWalker::value(const Expr *E, ValueUse Use) {
  if (!E || E->isTypeDependent())
    return;
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(E)) {
    // Code generation gives all of it the place of the call.
    llvm::SaveAndRestore AtUse(Pinned, true);
    return value(Default->getExpr(), Use);
  }
  llvm::SaveAndRestore Loc(Current);
  if (!Pinned && E->getExprLoc().isValid())
    Current = E->getExprLoc();
  if (passesThrough(E, Use) || special(E, Use))
    return;
  if (isa<CallExpr, CXXConstructExpr>(E))
    return call(E, Use);
  children(E);
}

void CallWalker::children(const Stmt *S) {
  for (const Stmt *Child : S->children())
    if (const auto *E = dyn_cast_or_null<Expr>(Child))
      value(E, {});
    else
      statement(Child);
}

} // namespace gpuinstr
