// Where Clang's headers differ between LLVM 19 to 22. Not in LLVMCompat.h, as parsing these headers
// takes three times as long as LLVM's, and most sources need LLVM's alone.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_COMPAT_CLANGCOMPAT_H
#define GPUINSTR_PLUGIN_COMPAT_CLANGCOMPAT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Config/llvm-config.h"

namespace gpuinstr::compat {

/// The file location that CGDebugInfo::setLocation chooses for a location in a macro.
inline clang::SourceLocation debugLocation(const clang::SourceManager &SM,
                                           const clang::CodeGenOptions &CodeGen,
                                           clang::SourceLocation Loc) {
#if LLVM_VERSION_MAJOR >= 22
  if (!CodeGen.DebugInfoMacroExpansionLoc)
    return SM.getFileLoc(Loc);
#endif
  return SM.getExpansionLoc(Loc);
}

/// For reading a command line; Consumer stays the caller's.
inline llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>
diagnosticsFor(clang::DiagnosticConsumer &Consumer) {
#if LLVM_VERSION_MAJOR >= 21
  static clang::DiagnosticOptions Options; // referred to, not owned
  return clang::CompilerInstance::createDiagnostics(*llvm::vfs::getRealFileSystem(), Options,
                                                    &Consumer, false);
#elif LLVM_VERSION_MAJOR == 20
  return clang::CompilerInstance::createDiagnostics(*llvm::vfs::getRealFileSystem(),
                                                    new clang::DiagnosticOptions, &Consumer, false);
#else
  return clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &Consumer, false);
#endif
}

/// A compiler that reports to Consumer.
inline std::unique_ptr<clang::CompilerInstance>
compilerFor(std::shared_ptr<clang::CompilerInvocation> Invocation,
            clang::DiagnosticConsumer &Consumer) {
#if LLVM_VERSION_MAJOR >= 22
  auto CI = std::make_unique<clang::CompilerInstance>(std::move(Invocation));
  CI->createVirtualFileSystem();
  CI->createDiagnostics(&Consumer, false);
#elif LLVM_VERSION_MAJOR >= 20
  auto CI = std::make_unique<clang::CompilerInstance>();
  CI->setInvocation(std::move(Invocation));
  CI->createDiagnostics(*llvm::vfs::getRealFileSystem(), &Consumer, false);
#else
  auto CI = std::make_unique<clang::CompilerInstance>();
  CI->setInvocation(std::move(Invocation));
  CI->createDiagnostics(&Consumer, false);
#endif
  return CI;
}

/// A preprocessor beside that of CI, with the same files and names, that reports to Diagnostics.
inline std::unique_ptr<clang::Preprocessor> preprocessorFor(clang::CompilerInstance &CI,
                                                            clang::DiagnosticsEngine &Diagnostics,
                                                            clang::IdentifierInfoLookup &Names) {
#if LLVM_VERSION_MAJOR >= 21
  const clang::PreprocessorOptions &Options = CI.getPreprocessorOpts();
#else
  auto Options = std::make_shared<clang::PreprocessorOptions>(CI.getPreprocessorOpts());
#endif
  return std::make_unique<clang::Preprocessor>(
      Options, Diagnostics, CI.getLangOpts(), CI.getSourceManager(),
      CI.getPreprocessor().getHeaderSearchInfo(), CI, &Names);
}

/// The text, without its operands.
inline std::string assemblyOf(const clang::GCCAsmStmt &S) {
#if LLVM_VERSION_MAJOR >= 21
  return S.getAsmString();
#else
  return S.getAsmString()->getString().str();
#endif
}

inline clang::QualType typeOf(const clang::ASTContext &Context, const clang::CXXRecordDecl &Class) {
#if LLVM_VERSION_MAJOR >= 22
  return Context.getCanonicalTagType(&Class);
#else
  return Context.getRecordType(&Class);
#endif
}

/// The newest PTX that this version's NVPTX target knows.
inline const char *newestPtxFeature() {
#if LLVM_VERSION_MAJOR >= 22
  return "+ptx88";
#elif LLVM_VERSION_MAJOR >= 20
  return "+ptx86";
#else
  return "+ptx85";
#endif
}

} // namespace gpuinstr::compat

#endif
