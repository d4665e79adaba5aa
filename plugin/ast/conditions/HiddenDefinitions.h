// Macros that lines define which the host's compile skips.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_CONDITIONS_HIDDENDEFINITIONS_H
#define GPUINSTR_PLUGIN_AST_CONDITIONS_HIDDENDEFINITIONS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <string>

namespace clang {
class Preprocessor;
} // namespace clang

namespace gpuinstr {

/// Reads text for `#define`, `#undef` and `#pragma pop_macro`, and the files that it would include,
/// but for the compiler's own.
class HiddenDefinitions {
public:
  /// Found: gets each name and the path of the file.
  HiddenDefinitions(clang::Preprocessor &PP,
                    std::function<void(llvm::StringRef, llvm::StringRef)> Found)
      : PP(PP), Found(std::move(Found)) {}

  /// From and up to these places of a file's text.
  void read(llvm::StringRef Text, unsigned Begin, unsigned End, llvm::StringRef Path);
  /// The macro that a pragma pops, by its text: `pop_macro("NAME")`, quoted or not. "" of others.
  static llvm::StringRef popped(llvm::StringRef Pragma);

private:
  void include(llvm::StringRef Name, llvm::StringRef From);
  bool readFile(llvm::StringRef Folder, llvm::StringRef Name);

  clang::Preprocessor &PP;
  std::function<void(llvm::StringRef, llvm::StringRef)> Found;
  llvm::StringSet<> Files;             ///< read already
  llvm::StringMap<std::string> Quoted; ///< macros that name files
};

} // namespace gpuinstr

#endif
