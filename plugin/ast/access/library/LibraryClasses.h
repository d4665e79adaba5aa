// Classes of CUDA's headers whose functions are known by name: complex numbers, atomic objects,
// groups that span blocks.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_AST_ACCESS_LIBRARY_LIBRARYCLASSES_H
#define GPUINSTR_PLUGIN_AST_ACCESS_LIBRARY_LIBRARYCLASSES_H

namespace clang {
class FunctionDecl;
class QualType;
} // namespace clang

namespace gpuinstr {

class KernelAccess;

enum class LibraryEffect {
  None,      ///< not known
  Value,     ///< reads what it gets by const reference; may change its own object
  Atomic,    ///< reads and writes its own object, and what it gets by reference
  AtomicRef, ///< ... what its own object leads to
  Refer,     ///< makes an object that leads to its argument
  Shape,     ///< the size of a group, or a thread's place in it
  GridWait,  ///< may wait for other blocks; touches nothing of the program
  Unseen     ///< another one of a group that may span blocks
};

/// Its names are CUDA's own, the body need not be seen.
LibraryEffect libraryEffect(const clang::FunctionDecl &F, KernelAccess &Whole);

/// Its body is not to be asked.
inline bool mayWait(LibraryEffect Effect) {
  return Effect == LibraryEffect::GridWait || Effect == LibraryEffect::Unseen;
}
/// Ends whatever others do, and touches no global variable.
inline bool isEnding(LibraryEffect Effect) {
  return Effect != LibraryEffect::None && !mayWait(Effect);
}

/// cuda::std::array and std::array, which have as many elements as their type says.
bool isLibraryArray(clang::QualType T, KernelAccess &Whole);

/// A group's that may span blocks: `grid.thread_rank()`, `grid.num_threads()`.
bool isGridShape(const clang::FunctionDecl &F, KernelAccess &Whole);
/// ... and above zero.
bool isGridSize(const clang::FunctionDecl &F, KernelAccess &Whole);

} // namespace gpuinstr

#endif
