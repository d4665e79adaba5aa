// Loops of device functions that count, and whether such a one has any round.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_COUNTEDLOOP_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ELEMENTS_COUNTEDLOOP_H

#include "ast/access/ends/LocalValues.h"
#include "clang/AST/OperationKinds.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace clang {
class ASTContext;
class ForStmt;
} // namespace clang

namespace gpuinstr {

/// `for (k = First; k < Bound; k += Step)`: k is a local variable that the body leaves alone, as
/// it does all others that the head reads; memory is not read there.
struct CountedLoop {
  const clang::ForStmt *At = nullptr;
  const clang::VarDecl *Variable = nullptr;
  const clang::Expr *First = nullptr, *Bound = nullptr; ///< of one type, the variable's
  const clang::Expr *Step = nullptr;                    ///< null: one
  clang::BinaryOperatorKind Until = clang::BO_LT;
  bool Falls = false;
  Variables Named; ///< what else the head reads
};

/// Loops inside each other, the innermost first.
using LoopList = llvm::SmallVector<const CountedLoop *, 2>;

/// A condition that is known to hold, or not to.
struct Guard {
  const clang::Expr *Condition = nullptr;
  bool Holds = false;
};

/// What stands around a place.
struct Surroundings {
  llvm::SmallVector<const CountedLoop *, 4> Open; ///< the outermost first
  llvm::SmallVector<Guard, 4> Guards;
};

/// Spelled alike.
bool isSameExpression(const clang::Expr *A, const clang::Expr *B, const clang::ASTContext &Context);
std::optional<llvm::APSInt> constantOf(const clang::Expr *E, const clang::ASTContext &Context);

/// It has a round, by constants or by what the guards say: `for (k = 0; k < n; ++k)` has none
/// where n is zero. What the head reads never changes.
bool hasRound(const CountedLoop &Loop, llvm::ArrayRef<Guard> Guards, const LocalValues &Values,
              const clang::ASTContext &Context);

} // namespace gpuinstr

#endif
