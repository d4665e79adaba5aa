// A CUDA runtime that is linked into an image, where the file's symbols do not tell of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CODE_LINKEDRUNTIME_H
#define GPUINSTR_CALLS_CODE_LINKEDRUNTIME_H

#include "calls/code/KnownCode.h"
#include <link.h>
#include <set>

namespace gpuinstr {

/// gpuinstr_module::runtime_functions.
struct RuntimeList {
  const int32_t *first;
  uint32_t count;
  bool operator<(const RuntimeList &other) const { return first < other.first; }
};

/// By the lists that the linker has filled in. All is empty where the runtime is a library: then
/// the loader puts addresses there, at least at some places, which are `imported`.
class LinkedRuntime {
public:
  LinkedRuntime(const dl_phdr_info &image, const std::set<RuntimeList> &lists,
                const std::set<uint64_t> &imported, const KnownCode &seen);

  /// From its first known function to the last. It is one section of one object file, so nothing
  /// else lies in between.
  const Range &code() const { return Code; }
  /// All but the harmless ones.
  const Names &functions() const { return Functions; }
  /// Functions between known ones that no list names: of a later version, or harmless.
  const Names &unlisted() const { return Unlisted; }
  /// Pointers to these that the linker made.
  const Names &entries() const { return Entries; }
  /// Where its pointer to any of the runtime's functions stands.
  bool isEntry(uint64_t address) const { return AllEntries.count(address) != 0; }
  bool isThere() const { return Code.begin < Code.end; }

private:
  void addUnlisted(const dl_phdr_info &image, const std::set<uint64_t> &known);

  Range Code{0, 0};
  Names Functions, Unlisted, Entries;
  std::set<uint64_t> AllEntries;
};

} // namespace gpuinstr

#endif
