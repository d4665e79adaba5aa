// The memory that was freed last, by address.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/FreedMemory.h"
#include "base/HotCode.h"
#include <algorithm>

namespace gpuinstr {

namespace {
constexpr uint32_t MostFreed = 8192, MostSpare = 64;
/// Freed blocks may overlap: how many are looked at below an address.
constexpr int Overlapping = 16;

uint64_t endOf(const Freed &freed) { return freed.address + std::max<uint64_t>(freed.bytes, 1); }
} // namespace

GPUINSTR_HOT void FreedMemory::drop(Record *record) {
  (record->older ? record->older->newer : Oldest) = record->newer;
  (record->newer ? record->newer->older : Newest) = record->older;
  --Size;
  if (NumSpare == MostSpare) {
    delete record;
    return;
  }
  record->older = Spare;
  Spare = record;
  ++NumSpare;
}

GPUINSTR_HOT void FreedMemory::note(const Freed &freed) {
  if (!Spare) {
    Spare = new Record;
    ++NumSpare;
  }
  Record *made = Spare, *former = ByAddress.find(freed.address);
  ByAddress.set(freed.address, made); // what may throw comes first
  Spare = made->older;
  --NumSpare;
  made->freed = freed;
  made->older = Newest;
  made->newer = nullptr;
  (Newest ? Newest->newer : Oldest) = made;
  Newest = made;
  ++Size;
  if (former)
    drop(former);
  if (Size <= MostFreed)
    return;
  ByAddress.take(Oldest->freed.address);
  drop(Oldest);
}

const Freed *FreedMemory::find(uint64_t address) const {
  // The last one freed counts. Their number is bounded.
  auto at = ByAddress.floor(address);
  for (int steps = 0; at && steps < Overlapping; ++steps) {
    if (address < endOf(at.value->freed))
      return &at.value->freed;
    at = at.address ? ByAddress.floor(at.address - 1) : AddressMap<Record>::Found();
  }
  return nullptr;
}

GPUINSTR_HOT void FreedMemory::forget(uint64_t firstAddress) {
  if (Record *record = ByAddress.take(firstAddress))
    drop(record);
}

GPUINSTR_HOT void FreedMemory::forgetOverlap(uint64_t begin, uint64_t end) {
  while (auto last = ByAddress.floor(end - 1)) {
    if (last.address < begin && endOf(last.value->freed) <= begin)
      return;
    forget(last.address);
    if (last.address < begin)
      return;
  }
}

void FreedMemory::narrowGap(uint64_t address, uint64_t &begin, uint64_t &end) const {
  if (auto next = ByAddress.above(address))
    end = std::min(end, next.address);
  auto at = ByAddress.floor(address);
  for (int steps = 0; at && steps < Overlapping; ++steps) {
    begin = std::max(begin, endOf(at.value->freed));
    at = at.address ? ByAddress.floor(at.address - 1) : AddressMap<Record>::Found();
  }
}

void FreedMemory::clear() {
  ByAddress.clear();
  for (Record **list : {&Newest, &Spare})
    while (Record *record = *list) {
      *list = record->older;
      delete record;
    }
  Oldest = nullptr;
  Size = NumSpare = 0;
}

} // namespace gpuinstr
