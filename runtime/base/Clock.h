// Time stamps for the hot path, and what a tick is worth.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_CLOCK_H
#define GPUINSTR_BASE_CLOCK_H

#include "base/SharedHotState.h"
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace gpuinstr {

/// CLOCK_MONOTONIC in ns.
inline uint64_t monotonicNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

/// A stamp: TSC ticks where the TSC is invariant, else ns. Unordered on purpose: a fence would cost
/// more than it corrects.
inline uint64_t ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(HotState.tscInvariant, true))
    return __rdtsc();
#endif
  return monotonicNs();
}

/// Takes the first calibration point. Called once, before the first ticks().
void startClock();

/// ns of one tick, from the whole run so far: no calibration pause, and the longer the run the
/// truer. Waits until at least 0.2 ms have passed since startClock().
double nsPerTick();

/// CLOCK_MONOTONIC at startClock().
uint64_t clockStartNs();
uint64_t clockStartTicks();

} // namespace gpuinstr

#endif
