// Where a declaration comes from: the program, the system, CUDA's headers or its libraries.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_CODEORIGIN_H
#define GPUINSTR_PLUGIN_AST_SOURCE_CODEORIGIN_H

#include "SiteTable.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace clang {
class ASTContext;
class Decl;
class FunctionDecl;
} // namespace clang

namespace gpuinstr {

class CodeOrigin {
public:
  explicit CodeOrigin(clang::ASTContext &Context) : Context(Context) {}

  FunctionOrigin of(const clang::FunctionDecl &F);
  /// By the file alone.
  FunctionOrigin ofLocation(clang::SourceLocation Loc);
  /// What the namespaces in the symbol tell without any lookup: std, thrust, cub ...
  static std::optional<FunctionOrigin> ofSymbol(llvm::StringRef Symbol);
  /// A symbol in namespace std, where a file of the program has opened that: where the function
  /// stands tells more than its symbol.
  bool mayBeProgramsStd(llvm::StringRef Symbol);
  /// std::make_unique, std::make_shared and the program's own like them, which do nothing but
  /// `return Ptr<T>(new T(std::forward<Args>(args)...))`: as transparent as those.
  static bool makesPointer(const clang::FunctionDecl &F);
  /// A CUDA or vendor library's entry point by its name: cudaMalloc, cublasSgemm_v2.
  static bool isEntryPoint(llvm::StringRef Name);

private:
  FunctionOrigin ofFile(llvm::StringRef Path, bool System);
  /// By its place, of what stands in namespace std.
  FunctionOrigin inStd(clang::SourceLocation Loc);
  /// Folder of cuda_runtime_api.h or cuda.h, "" when the unit includes neither.
  llvm::StringRef toolkit();

  clang::ASTContext &Context;
  std::optional<std::string> Toolkit;
  std::optional<bool> OpensStd;                        ///< a file of the program does
  llvm::DenseMap<const char *, FunctionOrigin> ByFile; ///< key: SourceManager's name of the file
};

} // namespace gpuinstr

#endif
