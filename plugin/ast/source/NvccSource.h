// Under nvcc, Clang parses what cudafe++ rewrote: finds each call in the user's own file.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_SOURCE_NVCCSOURCE_H
#define GPUINSTR_PLUGIN_AST_SOURCE_NVCCSOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpuinstr {

struct SourceCall {
  unsigned Line = 0, Column = 0; ///< of the callee's name, 1-based
  std::vector<std::string> Arguments;
};

/// Calls of Name in the statement that starts on line First (1-based) of Lines, in textual order:
/// `name(...)`, `name<T>(...)`, and `name<<<...>>>(...)` for Launch.
std::vector<SourceCall> findSourceCalls(llvm::ArrayRef<llvm::StringRef> Lines, unsigned First,
                                        llvm::StringRef Name, bool Launch);

/// Hands each call out once, the one whose arguments fit the respelled ones best first. Callee may
/// be qualified and have template arguments.
class NvccSource {
public:
  /// Forgets what was handed out: the next function may stand on the same lines.
  void startFunction() { Taken.clear(); }
  std::optional<SourceCall> take(llvm::ArrayRef<llvm::StringRef> Lines, llvm::StringRef File,
                                 unsigned First, llvm::StringRef Callee, bool Launch,
                                 llvm::ArrayRef<std::string> Respelled);

private:
  std::set<std::string> Taken; ///< file:line:column
};

} // namespace gpuinstr

#endif
