// Visits the calls of one function body in evaluation order.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_CALLWALKER_H
#define GPUINSTR_PLUGIN_AST_CALLWALKER_H

#include "clang/Basic/SourceLocation.h"

namespace clang {
class Expr;
class FunctionDecl;
class Stmt;
class ValueDecl;
} // namespace clang

namespace gpuinstr {

/// What becomes of an expression's value.
struct ValueUse {
  bool Discarded = false;
  const clang::ValueDecl *Declared = nullptr; ///< it initialises this variable or field
  const clang::Expr *Assigned = nullptr;      ///< it is assigned to this
  bool IsNew = false;                         ///< ... as the address of what a new makes
};

/// A CallExpr, a constructor call that leaves a call in the IR, a new (its operator new) or a
/// delete (its destructor).
struct CallFound {
  const clang::Expr *Call = nullptr;
  clang::SourceLocation Loc; ///< what code generation takes the debug location from
  ValueUse Use;
  bool Base = false;   ///< a constructor that builds a base class
  bool Launch = false; ///< kernel<<<...>>>(...), nvcc's respelling included
};

class CallWalker {
public:
  virtual ~CallWalker() = default;
  void walkFunction(const clang::FunctionDecl &F);
  /// An initialiser outside of functions.
  void walkInitialiser(const clang::ValueDecl &D, const clang::Expr &Init);

protected:
  virtual void found(const CallFound &C) = 0;

private:
  void statement(const clang::Stmt *S);
  void value(const clang::Expr *E, ValueUse Use);
  bool passesThrough(const clang::Expr *E, ValueUse Use);
  bool special(const clang::Expr *E, ValueUse Use);
  void call(const clang::Expr *E, ValueUse Use);
  void report(const clang::Expr *E, ValueUse Use);
  void children(const clang::Stmt *S);

  clang::SourceLocation Current; ///< of the innermost expression that has a location
  bool Pinned = false;           ///< what is inside of the current expression has its location
  bool BuildsBase = false;
  bool InLaunch = false;
};

} // namespace gpuinstr

#endif
