// Where calls stored the addresses of memory that was freed since.
// SPDX-License-Identifier: Apache-2.0
//
// A variable that is not cleared after the free points to whatever gets the address next, and holds
// none of it.
#ifndef GPUINSTR_LEDGER_FREEDSLOTS_H
#define GPUINSTR_LEDGER_FREEDSLOTS_H

#include "calls/sites/Sites.h"
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace gpuinstr {

struct Allocation;

struct FreedSlot {
  uint64_t begin = 0, end = 0; ///< what it pointed to
  uint64_t sequence = 0;       ///< of that allocation
  SiteIndex site = 0;          ///< where that was made
};

/// Bounded: the oldest are forgotten. Not thread-safe.
class FreedSlots {
public:
  void noteFreed(const Allocation &a);
  /// Another allocation's address is stored there.
  void noteWritten(uint64_t slot) { BySlot.erase(slot); }
  /// nullptr: none is known.
  const FreedSlot *find(uint64_t slot) const;
  void clear();

private:
  std::unordered_map<uint64_t, FreedSlot> BySlot;
  std::deque<std::pair<uint64_t, uint64_t>> Order; ///< (slot, sequence), oldest first
};

} // namespace gpuinstr

#endif
