// Whether a device function ends, whatever the host, other kernels and other blocks do.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ENDS_SURELYENDS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ENDS_SURELYENDS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>

namespace clang {
class CallExpr;
class CXXConstructExpr;
class Expr;
class FunctionDecl;
class LambdaExpr;
class Stmt;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

/// By allow-list: every loop leaves by itself (LoopExits.h), every callee is visible and ends, or
/// is known to. No recursion, indirect call, launch, assembly or jump. What is not listed may wait.
class SurelyEnds {
public:
  explicit SurelyEnds(KernelAccess &Whole) : Whole(Whole) {}
  bool of(const clang::FunctionDecl &F);

private:
  /// A function ends if the parameters that these bits stand for refer to variables of the caller's
  /// own, each to another one, that nothing else leads to.
  struct Answer {
    bool Ends = false;
    uint32_t Followed = 0;
  };
  Answer answer(const clang::FunctionDecl &F);
  bool passesOwn(const clang::CallExpr &E, uint32_t Followed);
  bool body(const clang::FunctionDecl &Definition);
  bool statement(const clang::Stmt *S);
  bool expression(const clang::Expr *E);
  bool children(const clang::Stmt &S);
  bool call(const clang::CallExpr &E);
  bool callee(const clang::FunctionDecl &F, uint32_t &Followed);

  KernelAccess &Whole;
  /// False while a function is looked at, and for good where it may wait.
  llvm::DenseMap<const clang::FunctionDecl *, Answer> Answers;
  const clang::FunctionDecl *Current = nullptr; ///< whose body is looked at
  uint32_t Needed = 0;                          ///< of its parameters, so far
};

} // namespace gpuinstr

#endif
