// Keeps the runtime's own failures away from the program.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_GUARD_H
#define GPUINSTR_BASE_GUARD_H

#include <atomic>
#include <cstdint>

namespace gpuinstr {

/// How often memory ran out below: what was to be noted then is missing.
inline std::atomic<uint64_t> MemoryLosses{0};

/// Runs work that may allocate. Out of memory costs what the work would have noted, not the
/// program: its frames cannot pass an exception on. False: it did not come to its end.
template <class Work> bool guarded(Work work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    MemoryLosses.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
}

} // namespace gpuinstr

#endif
