// The launches that got an allocation's address, and what their kernels do with it: evidence.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/RangeUsers.h"
#include "base/HotCode.h"

namespace gpuinstr::audit {

__attribute__((noinline)) void RangeUsers::add(uint64_t use) {
  uint64_t ofAll = ~uint64_t(0);
  for (std::atomic<uint64_t> &place : Uses) {
    uint64_t known = place.load(std::memory_order_relaxed);
    if (known == 0 && place.compare_exchange_strong(known, use))
      return;
    ofAll &= known;
    if (known >> 8 != use >> 8)
      continue;
    if ((known | use) != known)
      place.fetch_or(use, std::memory_order_relaxed);
    return;
  }
  More.store(true, std::memory_order_relaxed);
  Last.fetch_or(ofAll << SettledAt, std::memory_order_relaxed);
}

SiteIndex RangeUsers::lastWriter() const {
  uint64_t last = Last.load(std::memory_order_relaxed) & ~Settled;
  if (!(last & GPUINSTR_ACCESS_WRITE))
    for (const std::atomic<uint64_t> &place : Uses)
      if (uint64_t use = place.load(std::memory_order_relaxed); use & GPUINSTR_ACCESS_WRITE)
        last = use;
  return SiteIndex(last >> 8);
}

SiteIndex RangeUsers::firstWriter() const {
  for (const std::atomic<uint64_t> &place : Uses)
    if (uint64_t use = place.load(std::memory_order_relaxed); use & GPUINSTR_ACCESS_WRITE)
      return SiteIndex(use >> 8);
  return 0;
}

void RangeUsers::addTo(KernelUses &uses) const {
  for (const std::atomic<uint64_t> &place : Uses)
    if (uint64_t use = place.load(std::memory_order_relaxed))
      uses.add(SiteIndex(use >> 8), uint8_t(use & (Noted - 1)));
  uses.more |= More.load(std::memory_order_relaxed);
}

GPUINSTR_HOT void RangeUsers::clear() {
  Last.store(0, std::memory_order_relaxed);
  Before.store(0, std::memory_order_relaxed);
  for (std::atomic<uint64_t> &place : Uses)
    place.store(0, std::memory_order_relaxed);
  More.store(false, std::memory_order_relaxed);
}

} // namespace gpuinstr::audit
