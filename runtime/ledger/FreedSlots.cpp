// Where calls stored the addresses of memory that was freed since.
// SPDX-License-Identifier: Apache-2.0
#include "ledger/FreedSlots.h"
#include "ledger/Ledger.h"
#include <algorithm>

namespace gpuinstr {

constexpr size_t MostSlots = 8192;

void FreedSlots::noteFreed(const Allocation &a) {
  if (!a.slot)
    return;
  BySlot[a.slot] = {a.address, a.address + std::max<uint64_t>(a.bytes, 1), a.sequence, a.site};
  Order.push_back({a.slot, a.sequence});
  if (Order.size() <= MostSlots)
    return;
  auto oldest = BySlot.find(Order.front().first);
  if (oldest != BySlot.end() && oldest->second.sequence == Order.front().second)
    BySlot.erase(oldest);
  Order.pop_front();
}

const FreedSlot *FreedSlots::find(uint64_t slot) const {
  auto it = BySlot.find(slot);
  return it == BySlot.end() ? nullptr : &it->second;
}

void FreedSlots::clear() {
  BySlot.clear();
  Order.clear();
}

} // namespace gpuinstr
