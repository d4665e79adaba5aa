// What a launch's arguments may hold as addresses, and the allocations that those lie in.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_LAUNCHARGUMENTS_H
#define GPUINSTR_AUDIT_SCHEDULING_LAUNCHARGUMENTS_H

#include "audit/ordering/AddressScan.h"
#include "audit/ordering/Ranges.h"
#include "audit/scheduling/KernelShapes.h"
#include <cstring>

namespace gpuinstr::audit {

constexpr uint64_t FirstPage = 4096; ///< no address lies below

/// The allocation that the address lies in, or ends; null: none. Without the lock, mostly: pools
/// give pieces of few large allocations, mostly at other addresses each time.
__attribute__((noinline)) Range *searchSpans(LaunchCache &cache, uint64_t address);

/// Whether a pointer there may be meant for the allocation behind it: of an array whose first
/// element has the number 1, `p - 1` lies in the gap before it, or in another one's last bytes.
inline bool mayBeginLater(const Range *range, uint64_t address) {
  constexpr uint64_t Tail = 512;
  return !range || (address != range->base && range->end() - address <= Tail);
}
/// That allocation; null: none is near.
__attribute__((noinline)) Range *rangeBehind(LaunchCache &cache, uint64_t address);

/// Whether a pointer there may be meant as the end of the allocation before that one: the kernel
/// steps back from it.
inline bool mayHaveEnded(const Range *range, uint64_t address, uint8_t access) {
  return access & GPUINSTR_ACCESS_BEFORE && range && address == range->base;
}
/// That allocation; null: none ends there.
__attribute__((noinline)) Range *rangeBefore(LaunchCache &cache, uint64_t address);

/// Whether a struct may lead the kernel into memory that is no allocation of ours, where the
/// program, or the host, may have put any address.
__attribute__((noinline)) bool holdsStrangers(LaunchCache &cache, const KernelShape &shape,
                                              void *const *arguments);

/// A kernel's code shows that it writes there, in memory that is no allocation of ours.
__attribute__((noinline)) void noteStrayWrite(uint64_t address);

/// Visits what the arguments may hold as addresses: visit(address, parameter). Of what a parameter
/// by value holds, libraries pass kilobytes, only what may be an address of an allocation.
template <class Visit>
void eachAddress(const KernelShape &shape, void *const *arguments, Visit visit) {
  const uint64_t low = Ranges::lowest.load(std::memory_order_relaxed);
  const uint64_t span = Ranges::highest.load(std::memory_order_relaxed) - low;
  for (uint32_t i = 0; i < shape.count; ++i) {
    const KernelShape::Parameter &p = shape.parameters[i];
    const char *at = p.at(arguments);
    if (!at)
      continue;
    if (p.bytes == sizeof(uint64_t)) {
      uint64_t value;
      std::memcpy(&value, at, sizeof value);
      if (p.pointer || value - low <= span)
        visit(value, p);
      continue;
    }
    eachPossibleAddress(at, p.bytes, low, span, [&](uint64_t value) { visit(value, p); });
  }
}

} // namespace gpuinstr::audit

#endif
