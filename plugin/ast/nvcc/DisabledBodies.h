// Gives device functions the bodies that cudafe++ disabled, for as long as somebody reads them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_DISABLEDBODIES_H
#define GPUINSTR_PLUGIN_AST_NVCC_DISABLEDBODIES_H

#include "ast/nvcc/DisabledText.h"
#include "ast/nvcc/EarlierNames.h"
#include "ast/nvcc/SecondParser.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>
#include <memory>
#include <vector>

namespace clang {
class CompilerInstance;
class CXXRecordDecl;
class FunctionDecl;
class Stmt;
class TemplateArgument;
} // namespace clang

namespace gpuinstr {

/// Works behind the end of the translation unit, when its code has been generated: bodies are
/// parsed one by one, on demand, in the scopes of the declarations that they belong to, by a parser
/// and a Sema of their own, whose consumer drops everything. Parsing the whole file again would
/// cost a fifth of nvcc's time. At the end each function has its former body again.
class DisabledBodies {
public:
  explicit DisabledBodies(clang::CompilerInstance &CI);
  ~DisabledBodies();
  DisabledBodies(const DisabledBodies &) = delete;
  DisabledBodies &operator=(const DisabledBodies &) = delete;

  /// The declaration that now has F's body as the program wrote it. Null where there is none, where
  /// it does not parse, or where it may name something that is declared behind it.
  const clang::FunctionDecl *definition(const clang::FunctionDecl &F);
  /// Where that body stands, if cudafe++ disabled it.
  std::optional<DisabledText> textOf(const clang::FunctionDecl &Definition) const;

  /// The pointers of both lie in the same places: A may hold objects that stand for the lambdas
  /// that B holds.
  bool isLaidOutAlike(clang::QualType A, clang::QualType B) const;

private:
  const clang::FunctionDecl *find(clang::FunctionDecl &F);
  const clang::FunctionDecl *withLambdas(clang::FunctionDecl &F);
  const clang::CXXRecordDecl *closureOf(const clang::TemplateArgument &Tag);
  void findClosures(clang::FunctionDecl &Around);
  const clang::FunctionDecl *findWritten(clang::FunctionDecl &F);
  const clang::FunctionDecl *instantiate(clang::FunctionDecl &F);
  bool parse(clang::FunctionDecl &Into, unsigned Begin, unsigned End);
  SecondParser &second();
  std::optional<DisabledText> textBehind(const clang::FunctionDecl &D) const;
  void takeBodies(clang::FunctionDecl &F);

  clang::CompilerInstance &CI;
  EarlierNames Names;
  std::unique_ptr<SecondParser> Second;
  llvm::DenseMap<const clang::FunctionDecl *, const clang::FunctionDecl *> Answers;
  llvm::DenseMap<const clang::FunctionDecl *, DisabledText> Texts;
  std::vector<DisabledLambda> Lambdas; ///< in all that was parsed
  /// Closures by the function around them and their number there.
  std::map<std::pair<const clang::FunctionDecl *, unsigned>, const clang::CXXRecordDecl *> Closures;
  llvm::DenseSet<const clang::CXXRecordDecl *> InOrder; ///< those that hold what their object does
  llvm::DenseSet<const clang::FunctionDecl *> SearchedForClosures;
  std::vector<std::pair<clang::FunctionDecl *, clang::Stmt *>> Former; ///< bodies to be given back
};

} // namespace gpuinstr

#endif
