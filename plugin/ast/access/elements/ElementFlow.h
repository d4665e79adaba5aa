// What a thread of a device function has written before it reads it, and whether memory decides
// where it writes.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_ELEMENTFLOW_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_ELEMENTFLOW_H

#include "ast/access/elements/ElementRows.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>

namespace clang {
class CallExpr;
class Expr;
class FunctionDecl;
class Stmt;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

/// Follows the statements in their order. In `s[j] = 0; for (…) s[j] += x[i];` the loop reads what
/// the same thread has just written: nobody learns what the memory held before. Elements are the
/// same where pointer and index are spelled alike and none of their variables changed in between.
/// What is not understood is a read of what was there, and a write that memory decides on.
class ElementFlow {
public:
  ElementFlow(KernelAccess &Whole, const clang::FunctionDecl &F);

  /// The glvalue is read where the thread has surely written it before.
  bool isOwn(const clang::Expr *Place) const { return Own.contains(Place); }
  /// It is written whatever memory holds, and where constants, parameters by value, thread indices
  /// and counters say.
  bool isRegular(const clang::Expr *PlaceOrCall) const { return Regular.contains(PlaceOrCall); }

private:
  /// An element that the thread has written, and the variables that name it; or, of a loop, a row.
  struct Element {
    llvm::FoldingSetNodeID Id;
    Variables Named;
    const clang::Expr *Place = nullptr;
    LoopList Over;                                    ///< of a row, the innermost first
    bool Regular = false;                             ///< whatever memory holds
    bool Settled = false;                             ///< memory may decide whether, not where
    llvm::SmallVector<const clang::Expr *, 2> Places; ///< of the writes, while it is not regular
  };
  using Written = llvm::SmallVector<Element, 4>;

  void walk(const clang::Stmt *S, Written &Known, bool Decided);
  void loop(const clang::Stmt *S, Written &Known, bool Decided);
  void branch(const clang::Stmt *S, Written &Known, bool Decided);
  /// The statements of the function: behind `if (…) return;` comes what else there is.
  void sequence(llvm::ArrayRef<const clang::Stmt *> Statements, Written &Known, bool Decided);
  void choose(const clang::IfStmt *If, llvm::ArrayRef<const clang::Stmt *> Else, Written &Known,
              bool Decided);
  /// Walks what is reached where the guard holds.
  void under(Guard Known, llvm::function_ref<void()> Walk);
  /// `Changed`: by either side, where memory alone chooses between them; else null.
  void join(const Written &Then, const Written &Else, const Variables *Changed, Written &Known);
  void whole(const clang::Expr *E, Written &Known, bool Decided);
  void assign(const clang::Expr *E, Written &Known, bool Decided, const Variables &Changed);
  void write(const clang::Expr *Place, Written &Known, bool Decided, const Variables &Changed);
  void reads(const clang::Stmt *S, const Written &Known, bool Decided);
  const Element *find(const clang::Expr *Place, const Written &Known) const;
  bool isKnown(const clang::Expr *Place, const Written &Known) const { return find(Place, Known); }
  bool isElement(const clang::Expr *Place, Variables &Named) const;
  bool outside(const clang::Expr *E) const { return OfObject.comesFromOutside(E, Outer); }
  void findChanged(const clang::Stmt *S, Variables &Changed);
  /// Each round of the loop has written what Round has: after it these are rows.
  void addRows(const CountedLoop &Over, const Variables &Changed, const Written &Round,
               Written &Known);
  /// Memory decides on a jump out of S, or, for its own loop, within it.
  bool jumps(const clang::Stmt *S, bool Decided, bool Returns);
  static void forget(Written &Known, const Variables &Changed);

  KernelAccess &Whole;
  LocalValues Values;
  LocalValues OfObject; ///< keepObject(): what writes are regular by
  mutable ElementRows Rows;
  std::deque<CountedLoop> Loops; ///< those of rows
  Surroundings Around;           ///< of what is looked at
  Variables Outer;               ///< local variables whose values come from memory or other threads
  bool Spent = false;
  llvm::DenseSet<const clang::Expr *> Own, Regular;
};

} // namespace gpuinstr

#endif
