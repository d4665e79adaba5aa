// A parser and Sema beside the compile's own, over the same declarations.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_SECONDPARSER_H
#define GPUINSTR_PLUGIN_AST_NVCC_SECONDPARSER_H

#include "clang/Basic/SourceLocation.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <vector>

namespace clang {
class CompilerInstance;
class FunctionDecl;
class FunctionTemplateDecl;
class IdentifierInfo;
class TemplateArgument;
} // namespace clang

namespace gpuinstr {

/// An extended lambda: cudafe++ put an object of `__nv_dl_wrapper_t` in its place.
struct DisabledLambda {
  clang::SourceLocation Begin; ///< of its `[`
  unsigned Number = 0;         ///< in its function, the last argument of its `__nv_dl_tag`
  /// What that object is given, in the order of its members: a variable's name, `this` for `*this`,
  /// null for anything else.
  std::vector<const clang::IdentifierInfo *> Given;
};

/// Nothing that it does is seen by the compile: its diagnostics go nowhere, and no consumer hears
/// of what it declares or instantiates. To be used when code generation is done with the
/// declarations.
class SecondParser {
public:
  explicit SecondParser(clang::CompilerInstance &CI);
  ~SecondParser();

  /// The tokens of `[Begin, End)` of the main file as the parser wants them, without directives.
  /// Bodies of lambdas, which are disabled once more, stand in their places. Nothing where other
  /// code is disabled.
  std::vector<clang::Token> lex(unsigned Begin, unsigned End, std::vector<DisabledLambda> &Lambdas);
  /// Parses `{...}`, or `: initialisers {...}`, as the body of F, which must have none. False on
  /// any error.
  bool parseBody(clang::FunctionDecl &F, llvm::ArrayRef<clang::Token> Tokens);
  /// A kernel's specialisation for other arguments, declared; null if there is none.
  clang::FunctionDecl *specialise(clang::FunctionTemplateDecl &Template,
                                  llvm::ArrayRef<clang::TemplateArgument> Arguments);
  /// Makes the body of an instantiation from its pattern's. F must have none. False on any error.
  bool instantiate(clang::FunctionDecl &F);

private:
  void declareBuiltins(llvm::ArrayRef<clang::Token> Tokens);

  struct State;
  std::unique_ptr<State> S;
};

} // namespace gpuinstr

#endif
