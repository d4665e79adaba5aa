// Maps a mangled symbol of the module to its declaration, without walking the unit.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SYMBOLTODECL_H
#define GPUINSTR_PLUGIN_AST_SYMBOLTODECL_H

#include "clang/AST/GlobalDecl.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class DeclContext;
class FunctionDecl;
class MangleContext;
class NamedDecl;
class Stmt;
class VarDecl;
} // namespace clang

namespace gpuinstr {

/// Looks names up in the scopes that the symbol spells and compares mangled names, so that only
/// declarations of that name are mangled, and only they are read from a PCH or module. Lambdas and
/// local classes are found by walking the function around them.
class SymbolToDecl {
public:
  explicit SymbolToDecl(clang::ASTContext &Context);
  ~SymbolToDecl();

  /// A declaration that this unit's own text holds: lambdas in its initialisers, kernels.
  void note(clang::Decl *D);
  /// Functions that have the symbol, usually one. Lambdas of internal linkage share one, because
  /// only code generation knows their running number; suffixes (.omp_outlined) are ignored.
  llvm::SmallVector<const clang::FunctionDecl *, 1> find(llvm::StringRef Symbol);
  /// Variables of this unit with initialisers, in order.
  const std::vector<const clang::VarDecl *> &variables();
  /// A kernel, or under nvcc the host function that stands for one: all it does is call its stub.
  static bool isKernel(const clang::FunctionDecl &F);
  /// Every function that is a kernel, instantiations included.
  const std::vector<const clang::FunctionDecl *> &kernels();
  std::string mangled(clang::GlobalDecl GD);
  /// The symbol of the function, host stub of a kernel; Base for the base variant of a structor.
  std::string symbolOf(const clang::FunctionDecl &F, bool Base = false);

private:
  using Functions = llvm::SmallVector<const clang::FunctionDecl *, 1>;
  using Contexts = llvm::SmallVector<const clang::DeclContext *, 8>;

  Functions lookUp(llvm::StringRef Symbol);
  /// What the scopes around a symbol name may be, outermost first.
  Contexts contextsOf(const std::vector<std::string> &Scopes, llvm::StringRef Symbol);
  void remember(const clang::FunctionDecl *F);
  void rememberAll(const clang::NamedDecl *D);
  void rememberUnnamed(const clang::DeclContext &Scope, llvm::StringRef Base);
  void rememberLocals(const clang::Stmt *S);
  void rememberLocalsOf(const clang::FunctionDecl &F);
  void findLocal(llvm::StringRef Symbol);
  void findNamed(llvm::StringRef Symbol);
  void findPlain(llvm::StringRef Name);
  void walkNoted();

  clang::ASTContext &Context;
  std::unique_ptr<clang::MangleContext> Mangler;
  std::vector<clang::Decl *> Noted;
  bool NotedWalked = false;
  std::vector<const clang::VarDecl *> Variables;
  std::vector<const clang::FunctionDecl *> Kernels;
  llvm::DenseSet<const clang::Decl *> Known; ///< in BySymbol
  llvm::DenseSet<const clang::Decl *> WalkedForLocals;
  llvm::StringMap<Functions> BySymbol; ///< key: normalisedSymbol
  llvm::StringMap<Functions> Answers;  ///< by symbol as asked
};

} // namespace gpuinstr

#endif
