// A thread's table of what it found out, taken when it is first needed.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_SOURCE_KEPTTABLE_H
#define GPUINSTR_ATTACH_SOURCE_KEPTTABLE_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace gpuinstr::attach {

inline uint64_t scatter(uint64_t value) { return value * 0x9e3779b97f4a7c15u; }

/// 2^Bits entries, which are empty while they are all zeros. To be thread_local.
template <class Entry, unsigned Bits> class KeptTable {
public:
  ~KeptTable() {
    std::free(All);
    All = nullptr;
    HasEnded = true;
  }
  /// The entry where what has this hash is kept. nullptr: no memory, or the thread ends.
  Entry *at(uint64_t hash) {
    if (__builtin_expect(!All, false) && !make())
      return nullptr;
    return &All[hash >> (64 - Bits)];
  }

private:
  __attribute__((noinline)) bool make() {
    if (!HasEnded) // so large that it is mapped: pages are taken as entries are
      All = static_cast<Entry *>(std::calloc(size_t(1) << Bits, sizeof(Entry)));
    return All;
  }

  Entry *All = nullptr;
  bool HasEnded = false;
};

} // namespace gpuinstr::attach

#endif
