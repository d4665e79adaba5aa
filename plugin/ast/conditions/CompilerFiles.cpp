// Headers of the compiler and its libraries, by their folders.
// SPDX-License-Identifier: Apache-2.0
#include "ast/conditions/CompilerFiles.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace gpuinstr {

StringRef cudaFolderOf(StringRef Path) {
  static llvm::StringMap<bool> CudaFolders;
  constexpr unsigned Depth = 8;
  StringRef Folder = llvm::sys::path::parent_path(Path);
  for (unsigned I = 0; I < Depth && !Folder.empty();
       ++I, Folder = llvm::sys::path::parent_path(Folder)) {
    auto [Known, Fresh] = CudaFolders.try_emplace(Folder, false);
    if (Fresh)
      Known->second = llvm::sys::fs::exists(Folder + "/cuda_runtime.h");
    if (Known->second)
      return Folder;
  }
  return "";
}

bool isOfCompiler(StringRef Path) {
  return Path.contains("/lib/clang/") || Path.contains("/include/c++/") ||
         Path.contains("/usr/include/") || Path.contains("/usr/lib/gcc") ||
         !cudaFolderOf(Path).empty();
}

} // namespace gpuinstr
