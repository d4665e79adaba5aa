// The memory that was freed last, by address.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_LEDGER_FREEDMEMORY_H
#define GPUINSTR_LEDGER_FREEDMEMORY_H

#include "calls/sites/Sites.h"
#include "ledger/AddressMap.h"

namespace gpuinstr {

/// What was freed last, to tell a second free and a late use.
struct Freed {
  uint64_t address = 0, bytes = 0;
  SiteIndex site = 0, caller = 0; ///< of the free
  SiteIndex allocSite = 0, allocCaller = 0;
  uint32_t name = 0; ///< of the allocation
  uint16_t resource = 0;
  bool async = false; ///< freed in stream order: the memory may serve on until then
  uint64_t order = 0;
};

/// A bounded number of them; the oldest leave. They may overlap. Not thread-safe.
class FreedMemory {
public:
  FreedMemory() = default;
  FreedMemory(const FreedMemory &) = delete;
  ~FreedMemory() { clear(); }
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
  struct Record;
  struct Links {
    Record *older = nullptr, *newer = nullptr;
  };
  struct alignas(64) Record : Links {
    Freed freed;
  };
  static_assert(sizeof(Record) == 64, "one cache line");

  Record *Oldest = nullptr, *Newest = nullptr;
  Record *Spare = nullptr; ///< by `older`, so that a free after an allocation allocates nothing
  uint32_t Size = 0, NumSpare = 0;
  AddressMap<Record> ByAddress;
  void drop(Record *record);
};

} // namespace gpuinstr

#endif
