// What every call of the process reads and hardly anyone writes, in one cache line.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SHAREDHOTSTATE_H
#define GPUINSTR_BASE_SHAREDHOTSTATE_H

#include "gpuinstr/abi.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr {

struct ThreadState;

struct alignas(64) SharedHotState {
  /// See Thread.h.
  std::atomic<uint64_t> globalState{2}; // epoch 1: new counters, of epoch 0, are cleared before use
  /// See Observer.h.
  std::atomic<void (*)(ThreadState &, const gpuinstr_frame &)> launchHook{nullptr};
  /// Whether the time stamp counter ticks evenly on all cores and in all power states.
  bool tscInvariant = false;
  std::atomic<bool> nvtxActive{false}; ///< see CallHooks.h
  /// What the two stamps of a call cost, in ticks.
  uint32_t stampTicks = 0;
  // Bit i: operation i. See Observer.h and CallHooks.h.
  std::atomic<uint64_t> observedBefore{0}, observedAfter{0};
  std::atomic<uint64_t> exactOperations{0};
  /// Of stream captures, see cuda/CaptureTracker.h.
  std::atomic<uint32_t> capturesOpen{0}, captureChanges{1};
  /// See calls/budget/WatchWindows.h. The second in 1/65536.
  std::atomic<uint32_t> watchEpoch{0}, unseenForEach{0};
};
static_assert(sizeof(SharedHotState) == 64, "one cache line");

extern SharedHotState HotState;

} // namespace gpuinstr

#endif
