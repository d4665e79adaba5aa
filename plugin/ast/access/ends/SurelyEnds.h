// Whether a device function ends, whatever the host, other kernels and other blocks do.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_ENDS_SURELYENDS_H
#define GPUINSTR_PLUGIN_AST_ACCESS_ENDS_SURELYENDS_H

#include "llvm/ADT/DenseMap.h"

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
  bool body(const clang::FunctionDecl &Definition);
  bool statement(const clang::Stmt *S);
  bool expression(const clang::Expr *E);
  bool children(const clang::Stmt &S);
  bool call(const clang::CallExpr &E);
  bool callee(const clang::FunctionDecl &F);

  KernelAccess &Whole;
  /// False while a function is looked at, and for good where it may wait.
  llvm::DenseMap<const clang::FunctionDecl *, bool> Answers;
};

} // namespace gpuinstr

#endif
