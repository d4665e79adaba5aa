// The source as it was written: spelled arguments, mapped file names, ignore comments.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_SOURCETEXT_H
#define GPUINSTR_PLUGIN_AST_SOURCE_SOURCETEXT_H

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CodeGenOptions;
class Expr;
} // namespace clang

namespace gpuinstr {

/// A place as the line table shows it.
struct Place {
  std::string File;
  unsigned Line = 0;   ///< 1-based, 0 unknown
  unsigned Column = 0; ///< 1-based, 0 unknown or with -gno-column-info
};

class SourceText {
public:
  SourceText(clang::ASTContext &Context, const clang::CodeGenOptions &CodeGen)
      : Context(Context), CodeGen(CodeGen) {}

  /// Where code generation puts a debug location: presumed line and column, mapped file name.
  Place placeOf(clang::SourceLocation Loc);
  /// As written, macro arguments unexpanded, white space folded; printed from the AST where the
  /// expression has no text of its own.
  std::string spelled(const clang::Expr *E);
  /// Text of the `// gpuinstr-ignore:` comment on lines From to To, or alone on the line above.
  std::string ignored(llvm::StringRef PresumedFile, unsigned From, unsigned To);
  /// The same for the lines of a call.
  std::string ignored(clang::SourceLocation From, clang::SourceLocation To);
  /// Lines of a file as presumed names spell it, from the compiler's buffers or the disk; empty
  /// when it cannot be read.
  const std::vector<llvm::StringRef> &lines(llvm::StringRef PresumedFile);

private:
  std::string mapped(llvm::StringRef File) const;
  const std::map<unsigned, std::string> &ignoresOf(llvm::StringRef PresumedFile);

  clang::ASTContext &Context;
  const clang::CodeGenOptions &CodeGen;
  llvm::StringMap<std::vector<llvm::StringRef>> Lines;
  llvm::StringMap<std::map<unsigned, std::string>> Ignores; ///< by line
};

/// Each comment becomes a blank; literals stay.
std::string withoutComments(llvm::StringRef Text);
/// Every run of white space becomes one blank; none at either end.
std::string folded(llvm::StringRef Text);

} // namespace gpuinstr

#endif
