// The names of what the unit declares otherwise for the device than for the host.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_DEPENDENTNAMES_H
#define GPUINSTR_PLUGIN_AST_SOURCE_DEPENDENTNAMES_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <vector>

namespace clang {
class ASTContext;
class Decl;
class DeclContext;
class FunctionDecl;
class NamespaceDecl;
} // namespace clang

namespace gpuinstr {

/// A constant that a conditional sets, an alias of a template that has it for an argument, an
/// overload that it enables: the AST has folded it, so names are looked for in the text. As under
/// nvcc, rather too many than too few.
class DependentNames {
public:
  struct Text {
    clang::FileID File;
    unsigned Begin, End; ///< offsets
    bool contains(const Text &O) const {
      return File == O.File && Begin <= O.Begin && O.End <= End;
    }
  };

  /// Conditionals of the program's own files.
  void find(clang::ASTContext &Context, llvm::ArrayRef<Text> Conditionals);
  /// D with the head of its template mentions one.
  bool areMentionedBy(const clang::Decl &D) const;
  /// The program has functions of its own by the names of CUDA's loads.
  bool haveLoads() const { return HaveLoads; }

private:
  struct Declaration {
    llvm::SmallVector<llvm::StringRef, 2> Names;
    Text Where;
  };

  void collect(const clang::DeclContext &In, llvm::StringRef Class);
  void collect(const clang::Decl &D, clang::SourceRange Range, llvm::StringRef Class);
  void add(const clang::Decl &D, clang::SourceRange Range, llvm::StringRef Class);
  void addOtherSide(const Text &Conditional);
  void addOpened(const Text &Conditional);
  bool place(clang::SourceRange Range, Text &Out) const;
  bool mentions(const Text &Where) const;
  /// Stops where the visitor says so.
  void eachToken(const Text &Where,
                 llvm::function_ref<bool(llvm::StringRef, bool IsName)> Visit) const;

  const clang::ASTContext *Context = nullptr;
  llvm::StringSet<> Names;
  bool HaveLoads = false;
  std::vector<Declaration> Declarations;
  std::vector<Text> Bodies;
  std::vector<const clang::NamespaceDecl *> Spaces; ///< of the program
};

} // namespace gpuinstr

#endif
