// Whether the names in a body that is parsed late mean what they meant where it stands.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_EARLIERNAMES_H
#define GPUINSTR_PLUGIN_AST_NVCC_EARLIERNAMES_H

#include "clang/AST/Type.h"
#include <vector>

namespace clang {
class CompilerInstance;
class Decl;
class DeclContext;
class DeclRefExpr;
class FunctionDecl;
class NamedDecl;
class NamespaceDecl;
class Stmt;
} // namespace clang

namespace gpuinstr {

/// A parser behind the end of the unit finds what is declared behind the body, too: an overload
/// that fits better, a variable of an inner namespace.
class EarlierNames {
public:
  explicit EarlierNames(clang::CompilerInstance &CI) : CI(CI) {}
  /// All that the body names was declared, and visible, before it.
  bool areAllIn(const clang::FunctionDecl &Definition);

private:
  /// `using namespace` outside of functions.
  struct Directive {
    unsigned Offset;
    const clang::NamespaceDecl *Opens;
    bool OfFile; ///< in no namespace
  };
  bool statement(const clang::Stmt *S);
  bool isNamedAlike(const clang::DeclRefExpr &Name);
  bool type(clang::QualType T) const;
  bool isEarlier(const clang::Decl *D) const;
  bool isOpenedLater(const clang::NamedDecl &D, bool Qualified);
  void findDirectives(const clang::DeclContext &In, bool OfFile);

  clang::CompilerInstance &CI;
  const clang::FunctionDecl *Around = nullptr; ///< whose body is looked at
  bool IsInstance = false;                     ///< ... of a template
  unsigned End = 0;                            ///< of its body, in the main file
  bool HasDirectives = false;
  std::vector<Directive> Directives;
};

} // namespace gpuinstr

#endif
