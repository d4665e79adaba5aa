// Local variables whose values depend on memory or on other threads.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ENDS_OUTERVALUES_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ENDS_OUTERVALUES_H

#include "ast/access/ends/LocalValues.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace clang {
class SwitchStmt;
} // namespace clang

namespace gpuinstr {

struct Loop {
  const clang::Stmt *At = nullptr;
  const clang::Expr *Condition = nullptr, *Step = nullptr;
  const clang::Stmt *Body = nullptr;
};

/// False where S is none.
bool asLoop(const clang::Stmt *S, Loop &L);

/// A label of it stands inside of a statement, whose beginning is jumped over.
bool entersStatements(const clang::SwitchStmt &Switch);

/// Finds the local variables that depend on memory or on other threads, in one loop.
class OuterValues {
public:
  OuterValues(KernelAccess &Whole, const LocalValues &Values, const Loop &L)
      : Whole(Whole), Values(Values), L(L) {}

  /// False when the budget is spent.
  bool run();

  Variables Outer, Assigned;
  std::vector<Assignment> Assignments;
  bool Left = false; ///< by a `break` or `return` that memory or another thread decides on

private:
  /// Decided: memory or another thread decides whether S is reached.
  void visit(const clang::Stmt *S, bool Decided);
  void enter(const clang::Stmt *Around, const clang::Stmt *S, bool Decided);
  void jump(bool Continue, bool Decided);
  void note(const clang::Stmt *S, bool Decided);
  bool outside(const clang::Expr *E) const { return Values.comesFromOutside(E, Outer); }

  KernelAccess &Whole;
  const LocalValues &Values;
  const Loop &L;
  llvm::SmallVector<const clang::Stmt *, 4> Open; ///< loops and switches inside L, around the visit
  llvm::DenseSet<const clang::Stmt *> Jumping;    ///< left or continued as memory decides
  llvm::DenseSet<const clang::Stmt *> Seen;
  bool Spent = false;
};

/// The local variables of a body whose values depend on memory or on other threads. False when the
/// budget is spent.
bool findOuterValues(KernelAccess &Whole, const LocalValues &Values, const clang::Stmt &Body,
                     Variables &Outer);

} // namespace gpuinstr

#endif
