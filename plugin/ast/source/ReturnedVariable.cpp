// Which variable of its own a function returns.
// SPDX-License-Identifier: Apache-2.0
#include "ast/source/ReturnedVariable.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <optional>

using namespace clang;

namespace gpuinstr {
namespace {

/// Finds what all return statements of a function name, and whether that is the same object from
/// where it is filled to there: `std::swap(in, out); return in;` returns what `out` was.
class ReturnedVariable {
public:
  explicit ReturnedVariable(const Stmt &Body) {
    findReturns(Body);
    if (Variable && IsOnlyOne)
      look(Body, 0);
  }
  const VarDecl *get() const {
    const bool IsKept = llvm::all_of(Writes, [](const auto &Write) { return Write.second < 2; });
    return IsOnlyOne && IsKept ? Variable : nullptr;
  }

private:
  static const Expr *spelled(const Expr *E) {
    return E ? E->IgnoreUnlessSpelledInSource()->IgnoreParenCasts() : nullptr;
  }

  /// nullptr, 0, {}, Matrix(): there is nothing that could have a name.
  static bool isNothing(const Expr *E) {
    E = spelled(E);
    if (const auto *List = dyn_cast_or_null<InitListExpr>(E))
      return List->getNumInits() == 0;
    if (const auto *Made = dyn_cast_or_null<CXXConstructExpr>(E))
      return Made->getNumArgs() == 0;
    return !E || isa<CXXNullPtrLiteralExpr, GNUNullExpr, IntegerLiteral>(E);
  }

  /// Lambdas return on their own.
  void findReturns(const Stmt &S) {
    if (const auto *Return = dyn_cast<ReturnStmt>(&S)) {
      const auto *Reference = dyn_cast_or_null<DeclRefExpr>(spelled(Return->getRetValue()));
      const auto *V = Reference ? dyn_cast<VarDecl>(Reference->getDecl()) : nullptr;
      if (V && V->isLocalVarDecl() && V->getIdentifier() && (!Variable || Variable == V))
        Variable = V;
      else
        IsOnlyOne &= isNothing(Return->getRetValue());
      return;
    }
    if (!isa<Expr>(S))
      for (const Stmt *Child : S.children())
        if (Child)
          findReturns(*Child);
  }

  /// The variable (nullptr), or the first of its members, that the place is or lies in.
  std::optional<const ValueDecl *> partAt(const Expr *Place) const {
    const ValueDecl *Part = nullptr;
    for (Place = spelled(Place); Place;) {
      if (const auto *Member = dyn_cast<MemberExpr>(Place)) {
        Part = Member->getMemberDecl();
        Place = spelled(Member->getBase());
      } else if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Place))
        Place = spelled(Element->getBase());
      else
        break;
    }
    const auto *Reference = dyn_cast_or_null<DeclRefExpr>(Place);
    return Reference && Reference->getDecl() == Variable ? std::optional(Part) : std::nullopt;
  }

  /// A number is what it is returned as, however often it was another one.
  void noteWrite(const Expr *Place, unsigned Times) {
    auto Part = Place ? partAt(Place) : std::nullopt;
    if (Part && !Place->getType().getNonReferenceType()->isArithmeticType())
      Writes[*Part] += LoopDepth > DeclaredAt ? 2 : Times;
  }

  static bool isSwap(const CallExpr &Call) {
    const FunctionDecl *Callee = Call.getDirectCallee();
    return !Callee || (Callee->getIdentifier() &&
                       (Callee->getName() == "swap" || Callee->getName() == "exchange"));
  }

  /// Who gets it by reference or address may put something else there.
  void lookAtArgument(const Expr &Argument, const ParmVarDecl *Param, unsigned Times) {
    const QualType T = Param ? Param->getType() : QualType();
    const bool IsConst = Param && (T->isReferenceType() || T->isPointerType()) &&
                         T->getPointeeType().isConstQualified();
    const auto *Address = dyn_cast<UnaryOperator>(Argument.IgnoreParenCasts());
    if (Address && Address->getOpcode() == UO_AddrOf && !IsConst)
      noteWrite(Address->getSubExpr(), Times);
    else if (Argument.isGLValue() && !IsConst)
      noteWrite(&Argument, Times);
  }

  void lookAtCall(const CallExpr &Call) {
    const unsigned Times = isSwap(Call) ? 2 : 1;
    const auto *Operator = dyn_cast<CXXOperatorCallExpr>(&Call);
    if (Operator && Operator->isAssignmentOp())
      return noteWrite(Operator->getArg(0), 1);
    const FunctionDecl *Callee = Call.getDirectCallee();
    const unsigned Object = Operator && isa_and_nonnull<CXXMethodDecl>(Callee) ? 1 : 0;
    for (unsigned I = Object; I < Call.getNumArgs(); ++I)
      lookAtArgument(*Call.getArg(I),
                     Callee && I - Object < Callee->getNumParams()
                         ? Callee->getParamDecl(I - Object)
                         : nullptr,
                     Times);
    if (const auto *Member = dyn_cast<CXXMemberCallExpr>(&Call); Member && Times == 2)
      noteWrite(Member->getImplicitObjectArgument(), Times);
  }

  void lookAtDeclaration(const VarDecl &V) {
    if (V.isImplicit()) // of a range loop
      return;
    if (V.getName() == Variable->getName())
      IsOnlyOne &= &V == Variable;
    const Expr *Init = V.getInit();
    if (&V == Variable) {
      DeclaredAt = LoopDepth;
      Writes[nullptr] += !isNothing(Init) && !V.getType()->isArithmeticType();
    } else if (Init && V.getType()->isReferenceType())
      noteWrite(Init, V.getType()->getPointeeType().isConstQualified() ? 0 : 2);
    else if (Init)
      lookAtArgument(*Init, nullptr, 1);
  }

  /// Not the `do ... while (0)` of a macro.
  static bool isLoop(const Stmt &S) {
    const auto *Do = dyn_cast<DoStmt>(&S);
    const Expr *Condition = Do ? Do->getCond()->IgnoreParenCasts() : nullptr;
    if (const auto *Number = dyn_cast_or_null<IntegerLiteral>(Condition))
      return Number->getValue() != 0;
    if (const auto *Truth = dyn_cast_or_null<CXXBoolLiteralExpr>(Condition))
      return Truth->getValue();
    return Do || isa<ForStmt, WhileStmt, CXXForRangeStmt>(S);
  }

  void look(const Stmt &S, unsigned Loops) {
    LoopDepth = Loops;
    if (const auto *Reference = dyn_cast<DeclRefExpr>(&S)) {
      const IdentifierInfo *Name = Reference->getDecl()->getIdentifier();
      IsOnlyOne &= Name != Variable->getIdentifier() || Reference->getDecl() == Variable;
    } else if (const auto *Call = dyn_cast<CallExpr>(&S))
      lookAtCall(*Call);
    else if (const auto *Binary = dyn_cast<BinaryOperator>(&S); Binary && Binary->isAssignmentOp())
      noteWrite(Binary->getLHS(), Binary->isCompoundAssignmentOp() ? 2 : 1);
    else if (const auto *Unary = dyn_cast<UnaryOperator>(&S);
             Unary && Unary->isIncrementDecrementOp())
      noteWrite(Unary->getSubExpr(), 2);
    else if (const auto *Declarations = dyn_cast<DeclStmt>(&S)) {
      for (const Decl *D : Declarations->decls())
        if (const auto *V = dyn_cast<VarDecl>(D); V && V->getIdentifier())
          lookAtDeclaration(*V);
    }
    for (const Stmt *Child : S.children())
      if (Child && IsOnlyOne)
        look(*Child, Loops + isLoop(S));
  }

  const VarDecl *Variable = nullptr;
  bool IsOnlyOne = true;
  unsigned LoopDepth = 0, DeclaredAt = 0;
  std::map<const ValueDecl *, unsigned>
      Writes; ///< of the variable itself (nullptr) and its members
};

} // namespace

std::string returnedVariable(const FunctionDecl &F) {
  const Stmt *Body = F.getBody();
  const VarDecl *V = Body ? ReturnedVariable(*Body).get() : nullptr;
  return V ? V->getName().str() : "";
}

} // namespace gpuinstr
