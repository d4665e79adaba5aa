// A parser and Sema beside the compile's own, over the same declarations.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_SECONDPARSER_H
#define GPUINSTR_PLUGIN_AST_NVCC_SECONDPARSER_H

#include "clang/Lex/Token.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <vector>

namespace clang {
class CompilerInstance;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

/// Nothing that it does is seen by the compile: its diagnostics go nowhere, and no consumer hears
/// of what it declares or instantiates. To be used when code generation is done with the
/// declarations.
class SecondParser {
public:
  explicit SecondParser(clang::CompilerInstance &CI);
  ~SecondParser();

  /// The tokens of `[Begin, End)` of the main file as the parser wants them, directives left out.
  std::vector<clang::Token> lex(unsigned Begin, unsigned End);
  /// Parses `{...}`, or `: initialisers {...}`, as the body of F, which must have none. False on
  /// any error.
  bool parseBody(clang::FunctionDecl &F, llvm::ArrayRef<clang::Token> Tokens);
  /// Makes the body of an instantiation from its pattern's. F must have none. False on any error.
  bool instantiate(clang::FunctionDecl &F);

private:
  struct State;
  std::unique_ptr<State> S;
};

} // namespace gpuinstr

#endif
