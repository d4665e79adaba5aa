// A thread's table of what it found out.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_ATTACH_SOURCE_KEPTTABLE_H
#define GPUINSTR_ATTACH_SOURCE_KEPTTABLE_H

#include <cstddef>
#include <cstdint>

namespace gpuinstr::attach {

inline uint64_t scatter(uint64_t value) { return value * 0x9e3779b97f4a7c15u; }

/// 2^Bits entries, which lie elsewhere and are empty while they are all zeros; so is the table.
/// They are given out in the order of their first use, so that those of calls that follow each
/// other share pages.
template <class Entry, unsigned Bits> class KeptTable {
public:
  static constexpr size_t Size = size_t(1) << Bits;
  static_assert(Bits < 16, "each has a number");

  void lieAt(Entry *entries) { Entries = entries; }
  /// The entry where what has this hash is kept.
  Entry &at(uint64_t hash) {
    uint16_t &number = Numbers[hash >> (64 - Bits)];
    if (__builtin_expect(!number, false))
      number = ++Used;
    return Entries[number - 1];
  }

private:
  Entry *Entries;
  uint16_t Used, Numbers[Size]; ///< by hash; 0: none so far
};

} // namespace gpuinstr::attach

#endif
