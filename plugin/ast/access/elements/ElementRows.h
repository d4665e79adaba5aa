// Rows of elements that a loop of a device function writes one by one.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_ELEMENTROWS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_ELEMENTROWS_H

#include "ast/access/elements/CountedLoop.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace gpuinstr {

class KernelAccess;

/// Which elements a row is sure to have. `s[i * n + k]` for all k from 0 to n has those of the same
/// loop, of one over a part of it, and `s[i * n + best]`, where all that the local variable `best`
/// is ever set to is one of these k, or, if the loop surely has a round, the first or the last. Of
/// two loops inside each other, of which none counts by the other, it has each k with each i.
class ElementRows {
public:
  ElementRows(KernelAccess &Whole, const LocalValues &Values, const clang::FunctionDecl &F)
      : Whole(Whole), Values(Values), F(F) {}

  /// Changed: what its body assigns.
  std::optional<CountedLoop> counted(const clang::Stmt *S, const Variables &Changed) const;
  /// `Place` is one of the elements `Written` of the loops Over.
  bool covers(llvm::ArrayRef<const CountedLoop *> Over, const clang::Expr *Written,
              const clang::Expr *Place, const Surroundings &Around);
  /// A declaration, inside of the loops Open: `int at = i * n + k;` is another name of that
  /// expression where neither the variable nor what the expression reads changes while the
  /// variable is there.
  void noteDeclared(const clang::VarDecl &V, llvm::ArrayRef<const CountedLoop *> Open);
  /// In place of such variables, what their expressions read.
  void expandNames(Variables &Named) const;
  /// Adds what S assigns. False when the budget is spent.
  bool findChanged(const clang::Stmt *S, Variables &Changed);

private:
  /// Or what a variable of noteDeclared() stands for.
  const clang::Expr *expanded(const clang::Expr *E) const;
  bool mentions(const clang::Stmt *S, const clang::VarDecl *V) const;
  bool matches(llvm::ArrayRef<const CountedLoop *> Over, const clang::Expr *Written,
               const clang::Expr *Place, llvm::MutableArrayRef<const clang::Expr *> Indices);
  bool isWithin(const CountedLoop &Over, const clang::Expr *Index, const Surroundings &Around);
  bool isPart(const CountedLoop &Inner, const CountedLoop &Over) const;
  bool isConstantOf(const clang::Expr *Value, const CountedLoop &Over) const;
  bool isLastOf(const clang::Expr *Value, const CountedLoop &Over) const;
  bool staysWithin(const clang::VarDecl &V, const clang::Stmt *S, const CountedLoop &Over,
                   llvm::SmallVectorImpl<const clang::Stmt *> &Around, bool &NeedsRound);
  bool isSame(const clang::Expr *A, const clang::Expr *B) const;
  /// `n - 1` for a bound that is `n`.
  bool isOneBelow(const clang::Expr *E, const clang::Expr *Bound) const;

  KernelAccess &Whole;
  const LocalValues &Values;
  const clang::FunctionDecl &F;
  llvm::DenseMap<const clang::VarDecl *, const clang::Expr *> Declared; ///< by noteDeclared()
};

} // namespace gpuinstr

#endif
