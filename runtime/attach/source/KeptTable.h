// A thread's table of what it found out, taken when it is first needed.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_SOURCE_KEPTTABLE_H
#define GPUINSTR_ATTACH_SOURCE_KEPTTABLE_H

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

namespace gpuinstr::attach {

inline uint64_t scatter(uint64_t value) { return value * 0x9e3779b97f4a7c15u; }

/// This thread's tables are given back when it ends. In AttachedThread.cpp.
void endTablesWithThread();

struct NothingElse {};

/// 2^Bits entries, which are empty while they are all zeros, and `More`, likewise. Entries lie in
/// the order of their first use, so that those of calls that follow each other share pages.
template <class Entry, unsigned Bits, class More = NothingElse> class KeptTable {
public:
  /// False: no memory, or the thread ends.
  bool isThere() { return __builtin_expect(All != nullptr, true) || make(); }
  /// The entry where what has this hash is kept. The table is there.
  Entry &at(uint64_t hash) {
    uint16_t &number = All->numbers[hash >> (64 - Bits)];
    if (__builtin_expect(!number, false))
      number = ++All->used;
    return All->entries[number - 1];
  }
  More &more() { return All->more; }

  void end() {
    if (All)
      munmap(static_cast<void *>(All), sizeof(Tables));
    All = nullptr;
    HasEnded = true;
  }

private:
  struct Tables {
    uint16_t numbers[size_t(1) << Bits]; ///< by hash; 0: none so far
    uint16_t used;
    More more;
    Entry entries[size_t(1) << Bits];
  };
  static_assert(Bits < 16, "each has a number");

  __attribute__((noinline)) bool make() {
    if (HasEnded)
      return false;
    void *made = mmap(nullptr, sizeof(Tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0); // zeros; pages are taken as entries are
    All = made == MAP_FAILED ? nullptr : static_cast<Tables *>(made);
    if (All)
      endTablesWithThread();
    return All;
  }

  Tables *All = nullptr;
  bool HasEnded = false;
};

} // namespace gpuinstr::attach

#endif
