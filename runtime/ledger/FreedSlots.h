// Where calls stored the addresses of memory that was freed since.
// SPDX-License-Identifier: Apache-2.0
//
// A variable that is not cleared after the free points to whatever gets the address next, and holds
// none of it.
#ifndef GPUINSTR_LEDGER_FREEDSLOTS_H
#define GPUINSTR_LEDGER_FREEDSLOTS_H

#include "calls/sites/Sites.h"
#include <cstdint>
#include <vector>

namespace gpuinstr {

struct Allocation;

struct FreedSlot {
  uint64_t slot = 0;           ///< address of the variable, 0 none
  uint64_t begin = 0, end = 0; ///< what it pointed to
  uint64_t sequence = 0;       ///< of that allocation
  SiteIndex site = 0;          ///< where that was made
};

/// As many as the table has places: of two in one place the later stays. An allocation and its free
/// allocate nothing here. Not thread-safe.
class FreedSlots {
public:
  void noteFreed(const Allocation &a);
  /// Another allocation's address is stored there.
  void noteWritten(uint64_t slot);
  /// nullptr: none is known.
  const FreedSlot *find(uint64_t slot) const;
  void clear() { Table.clear(); }

private:
  std::vector<FreedSlot> Table;
};

} // namespace gpuinstr

#endif
