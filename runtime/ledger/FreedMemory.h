// The memory that was freed last, by address.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_LEDGER_FREEDMEMORY_H
#define GPUINSTR_LEDGER_FREEDMEMORY_H

#include "calls/sites/Sites.h"
#include "ledger/AddressMap.h"
#include <list>

namespace gpuinstr {

/// What was freed last, to tell a second free and a late use.
struct Freed {
  uint64_t address = 0, bytes = 0;
  uint16_t resource = 0;
  SiteIndex site = 0, caller = 0; ///< of the free
  SiteIndex allocSite = 0, allocCaller = 0;
  uint32_t name = 0;  ///< of the allocation
  bool async = false; ///< freed in stream order: the memory may serve on until then
  uint64_t order = 0;
};

/// A bounded number of them; the oldest leave. They may overlap. Not thread-safe.
class FreedMemory {
public:
  void note(const Freed &freed);
  /// The last one freed that contains the address; null: none.
  const Freed *find(uint64_t address) const;
  void forget(uint64_t firstAddress);
  /// Memory from `begin` to `end` is live again.
  void forgetOverlap(uint64_t begin, uint64_t end);
  /// Narrows [begin, end) around the address to where nothing was freed; empty: inside of it.
  void narrowGap(uint64_t address, uint64_t &begin, uint64_t &end) const;
  void clear();

private:
  struct Record {
    Freed freed;
    std::list<Record>::iterator self;
  };
  std::list<Record> Order; ///< oldest first
  std::list<Record> Spare; ///< so that a free after an allocation allocates nothing
  AddressMap<Record> ByAddress;
  void drop(Record &record);
};

} // namespace gpuinstr

#endif
