// Classifies the functions of a host module: origin, name, CUDA entry point, launch stub.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_ANALYSIS_MODULEVIEW_H
#define GPUINSTR_PLUGIN_IR_ANALYSIS_MODULEVIEW_H

#include "SiteTable.h"
#include "api/CudaApi.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Module.h"
#include <optional>
#include <string>

namespace gpuinstr {

/// How calls inside a function are treated.
enum class CodeKind : uint8_t {
  User,    ///< sites, and callers before calls
  System,  ///< std:: and what the compiler makes: transparent, sites charged to the caller
  Header,  ///< CUDA's inline wrappers and launch stubs: inner sites
  Library, ///< thrust, cub: inner sites
};

/// Answers are cached; a module must not lose functions while a view of it lives.
class ModuleView {
public:
  ModuleView(llvm::Module &M, SiteTable *Table) : M(M), Table(Table) {}

  CodeKind kind(const llvm::Function &F);
  /// The CUDA entry point that F is: only declarations, and nvcc's launch helper.
  const std::optional<ApiMatch> &api(const llvm::Function &F);
  /// The entry point that an inline wrapper of CUDA's headers stands for, by its unqualified name.
  std::optional<ApiMatch> wrappedApi(const llvm::Function &F);
  /// A declared function that the program itself defines elsewhere.
  bool isUserDeclaration(const llvm::Function &F);
  /// ... and that allocates, by its name.
  bool allocatesElsewhere(const llvm::Function &F);
  /// See SiteTable.
  uint64_t pointersToConst(const llvm::Function &F);
  /// Qualified source name without parameters.
  const std::string &name(const llvm::Function &F);
  /// File of the definition by the debug information, "" unknown.
  static std::string file(const llvm::Function &F);
  /// The same for every variant of a constructor or destructor.
  static std::string symbol(const llvm::Function &F);
  static uint64_t hash(const llvm::Function &F);
  /// clang's and nvcc's host side of a kernel, by their symbol.
  static bool isStub(const llvm::Function &F);
  /// nvcc's helper that passes its arguments on to __cudaLaunchKernel.
  static bool isLaunchHelper(const llvm::Function &F);
  /// Has a body that may be rewritten.
  static bool isRewritable(const llvm::Function &F);
  /// The function that an operand calls, through casts and aliases; null for an indirect call.
  static llvm::Function *callee(const llvm::CallBase &Call);

private:
  CodeKind computeKind(const llvm::Function &F);
  bool callsStub(const llvm::Function &F) const;

  llvm::Module &M;
  SiteTable *Table;
  llvm::DenseMap<const llvm::Function *, CodeKind> Kinds;
  llvm::DenseMap<const llvm::Function *, std::optional<ApiMatch>> Apis;
  llvm::DenseMap<const llvm::Function *, std::string> Names;
};

} // namespace gpuinstr

#endif
