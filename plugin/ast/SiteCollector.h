// Describes the calls of the functions that the IR pass asks about.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SITECOLLECTOR_H
#define GPUINSTR_PLUGIN_AST_SITECOLLECTOR_H

#include "SiteTable.h"
#include "ast/CallWalker.h"
#include "ast/Destination.h"
#include "ast/SymbolToDecl.h"
#include "ast/access/KernelAccess.h"
#include "ast/source/ArchConditionals.h"
#include "ast/source/CodeOrigin.h"
#include "ast/source/NvccSource.h"
#include "ast/source/SourceText.h"

namespace clang {
class CallExpr;
class CompilerInstance;
class CXXConstructExpr;
} // namespace clang

namespace gpuinstr {

/// Nothing is read ahead: a function is looked up by its symbol and its body walked when the IR
/// pass asks, so what a PCH, module or header holds in vain costs nothing.
class SiteCollector : public SiteSource, private CallWalker {
public:
  /// Arch is null where the source comes preprocessed.
  SiteCollector(clang::CompilerInstance &CI, clang::ASTContext &Context,
                std::shared_ptr<ArchConditionals> Arch);

  /// A top-level declaration of this unit's own text.
  void note(clang::Decl *D) { Decls.note(D); }

  void describe(const std::string &Mangled, SiteTable &Into) override;
  std::vector<KernelDescription> kernels() override;
  FunctionOrigin origin(const std::string &Symbol) override;
  std::string functionName(const std::string &Symbol) override;
  uint64_t pointersToConst(const std::string &Symbol) override;

private:
  KernelDescription describeKernel(const clang::FunctionDecl &F, KernelAccess &Accesses);
  void found(const CallFound &C) override;
  bool describeCall(const clang::CallExpr &Call, const CallFound &C, CallDescription &D);
  bool describeConstructor(const clang::CXXConstructExpr &Call, const CallFound &C,
                           CallDescription &D);
  bool describeNewOrDelete(const clang::Expr &E, const CallFound &C, CallDescription &D);
  void describeApiCall(const clang::CallExpr &Call, const clang::FunctionDecl &Callee,
                       CallDescription &D);
  void restoreNvccSource(const CallFound &C, CallDescription &D);
  void setCallerVariable(const clang::Expr *const *Arguments, unsigned Count, const CallFound &C,
                         CallDescription &D);
  void addArguments(const clang::Expr *const *Arguments, unsigned Count, CallDescription &D);

  clang::CompilerInstance &CI;
  clang::ASTContext &Context;
  std::shared_ptr<ArchConditionals> Arch;
  SourceText Text;
  SymbolToDecl Decls;
  CodeOrigin Origins;
  DestinationNamer Namer;
  NvccSource Real;
  std::optional<std::vector<KernelDescription>> Kernels; ///< nvcc's can be parsed once
  bool Respelled = false;       ///< the main file is what cudafe++ made of another
  SiteTable *Into = nullptr;    ///< while a function is described
  std::string Symbol, Function; ///< the function being described
  const clang::FunctionDecl *Walked = nullptr;
  std::vector<std::string> Parameters;
  std::string Returned; ///< returnedVariable()
};

} // namespace gpuinstr

#endif
