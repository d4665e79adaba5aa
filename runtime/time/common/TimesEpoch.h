// Which measurements count: those that were begun since the last reset.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_COMMON_TIMESEPOCH_H
#define GPUINSTR_TIME_COMMON_TIMESEPOCH_H

#include <atomic>
#include <cstdint>

namespace gpuinstr::timing {

/// Raised by TimeStore alone, under its lock: what is noted there is of one epoch.
inline std::atomic<uint32_t> TimesEpoch{0};

inline uint32_t timesEpoch() { return TimesEpoch.load(std::memory_order_relaxed); }

} // namespace gpuinstr::timing

#endif
