// Under nvcc, finds source that the device compile may read differently, in the program's own
// files. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_NVCCCONDITIONALS_H
#define GPUINSTR_PLUGIN_AST_NVCC_NVCCCONDITIONALS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
} // namespace clang

namespace gpuinstr {

/// Reads the files again that cudafe++'s line markers name, and what they include: conditionals
/// that test __CUDA_ARCH__ or its like, macros defined under them, conditionals that test those. A
/// file that cannot be read depends on everything. CUDA's and the system's own headers are not
/// followed: their macros that depend on the device are known by how they begin.
class NvccConditionals {
public:
  explicit NvccConditionals(clang::CompilerInstance &CI) : CI(CI) {}

  /// True when the device compile may read other tokens between two lines, both included.
  bool differ(llvm::StringRef File, unsigned First, unsigned Last);

private:
  struct Conditional {
    unsigned Begin = 0, End = 0;
    std::vector<llvm::StringRef> Names; ///< that its directives mention
  };
  /// A macro, or what a declaration outside of functions declares.
  struct Definition {
    std::vector<llvm::StringRef> Declared;
    std::vector<llvm::StringRef> Names;  ///< that it mentions
    std::vector<llvm::StringRef> Around; ///< names of the conditionals around it
    bool IsMacro = false, Pastes = false;
  };
  struct Source {
    std::unique_ptr<llvm::MemoryBuffer> Text;
    std::vector<llvm::StringRef> Lines; ///< without comments
    std::vector<Conditional> Conditionals;
  };

  /// `Around`: names of the conditionals that an #include of it stands in.
  Source *read(llvm::StringRef File, llvm::ArrayRef<llvm::StringRef> Around = {});
  void scan(llvm::StringRef File, Source &S, llvm::ArrayRef<llvm::StringRef> Around);
  void declarations(Source &S);
  void include(llvm::StringRef Directive, llvm::StringRef From, llvm::ArrayRef<Conditional> Open);
  bool isSystemFolder(llvm::StringRef Folder);
  bool depends(llvm::StringRef Name) const;
  /// In a conditional's directive, where a macro may paste any name: `CAT(__CUDA_, ARCH__)`.
  bool decides(llvm::StringRef Name) const;
  void settle();

  clang::CompilerInstance &CI;
  llvm::StringMap<std::unique_ptr<Source>> Files;     ///< null: cannot be read
  std::vector<std::unique_ptr<std::string>> Stripped; ///< texts without comments
  std::vector<Definition> Definitions;
  llvm::StringSet<> Dependent; ///< names that are something else on the device, or may be
  llvm::StringSet<> Pasting;   ///< macros with `##`, and those that mention one
  llvm::StringMap<bool> SystemFolders;
  bool Settled = true;
  bool Lost = false; ///< something that nobody can follow
};

} // namespace gpuinstr

#endif
