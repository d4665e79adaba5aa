// Where calls stored the addresses of memory that was freed since.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/FreedSlots.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "ledger/Ledger.h"
#include <algorithm>

namespace gpuinstr {

namespace {

constexpr size_t Places = 1024;

size_t placeOf(uint64_t slot) { return hashMix(0, slot) % Places; }

} // namespace

GPUINSTR_HOT void FreedSlots::noteFreed(const Allocation &a) {
  if (!a.slot)
    return;
  if (Table.empty())
    Table.resize(Places);
  Table[placeOf(a.slot)] = {a.slot, a.address, a.address + std::max<uint64_t>(a.bytes, 1),
                            a.sequence, a.site};
}

GPUINSTR_HOT void FreedSlots::noteWritten(uint64_t slot) {
  if (!Table.empty() && Table[placeOf(slot)].slot == slot)
    Table[placeOf(slot)].slot = 0;
}

const FreedSlot *FreedSlots::find(uint64_t slot) const {
  if (Table.empty() || !slot)
    return nullptr;
  const FreedSlot &found = Table[placeOf(slot)];
  return found.slot == slot ? &found : nullptr;
}

} // namespace gpuinstr
