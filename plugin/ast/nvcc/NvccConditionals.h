// Under nvcc, finds source that the device compile may read differently, in the program's own
// files. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_NVCC_NVCCCONDITIONALS_H
#define GPUINSTR_PLUGIN_AST_NVCC_NVCCCONDITIONALS_H

#include "ast/conditions/ConditionValue.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include <deque>
#include <memory>
#include <optional>
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
  explicit NvccConditionals(clang::CompilerInstance &CI);

  /// True when the device compile may read other tokens between two lines, both included.
  bool differ(llvm::StringRef File, unsigned First, unsigned Last);

private:
  /// What a directive asks: `if A`, `elif B`.
  struct Test {
    std::vector<llvm::StringRef> Names; ///< that it mentions
    std::string Text;
  };
  struct Condition {
    std::vector<Test> Tests;
    std::size_t Before = 0; ///< definitions that come before it
    llvm::StringRef From;   ///< the text from its `if` on
    mutable std::optional<bool> HasAlikeBranches = std::nullopt;
  };
  struct Conditional {
    unsigned Begin = 0, End = 0;
    const Condition *What = nullptr;
  };
  using Conditions = std::vector<const Condition *>;
  /// A macro, or what a declaration outside of functions declares.
  struct Definition {
    std::vector<llvm::StringRef> Declared;
    std::vector<llvm::StringRef> Names; ///< that it mentions
    Conditions Around;
    bool IsMacro = false, Pastes = false;
    std::optional<std::string> Text; ///< of an object-like macro
  };
  struct Source {
    std::unique_ptr<llvm::MemoryBuffer> Text;
    std::vector<llvm::StringRef> Lines; ///< without comments
    std::vector<Conditional> Conditionals;
  };

  /// `Around`: the conditionals that an #include of it stands in.
  Source *read(llvm::StringRef File, const Conditions &Around = {});
  void scan(llvm::StringRef File, Source &S, const Conditions &Around);
  Definition macro(llvm::ArrayRef<llvm::StringRef> Names, llvm::ArrayRef<llvm::StringRef> Parts);
  void declarations(Source &S);
  void include(llvm::StringRef Directive, llvm::StringRef From, const Conditions &Open);
  bool isSystemFolder(llvm::StringRef Folder);
  bool depends(llvm::StringRef Name) const;
  /// In a conditional's directive, where a macro may paste any name: `CAT(__CUDA_, ARCH__)`.
  bool decides(llvm::StringRef Name) const;
  /// The sides may take branches that do different things.
  bool decides(const Condition &C) const;
  bool mayDiffer(const Condition &C) const;
  std::optional<bool> valueOf(const Test &T, std::size_t Before) const;
  NameMeaning meaningOf(llvm::StringRef Name, std::size_t Before) const;
  unsigned version() const;
  void settle();
  static void addNames(const Source &S, unsigned First, unsigned Last,
                       std::vector<llvm::StringRef> &Out);

  clang::CompilerInstance &CI;
  llvm::StringMap<std::unique_ptr<Source>> Files;     ///< null: cannot be read
  std::vector<std::unique_ptr<std::string>> Stripped; ///< texts without comments
  std::vector<Definition> Definitions;
  std::deque<Condition> AllConditions;
  llvm::StringMap<std::vector<std::size_t>> MacrosByName; ///< places in Definitions
  const ConditionValue Values;
  mutable std::optional<unsigned> Version; ///< CUDART_VERSION, 0 if nobody knows
  llvm::StringSet<> Dependent; ///< names that are something else on the device, or may be
  llvm::StringSet<> Pasting;   ///< macros with `##`, and those that mention one
  llvm::StringMap<bool> SystemFolders;
  bool Settled = true;
  bool HaveLoads = false; ///< the program defines what CUDA's loads are called
  bool Lost = false;      ///< something that nobody can follow
};

} // namespace gpuinstr

#endif
