// Words of the process that every call reads and hardly anyone writes, in one cache line.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_SHAREDHOTSTATE_H
#define GPUINSTR_BASE_SHAREDHOTSTATE_H

#include "gpuinstr/abi.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr {

struct ThreadState;

struct alignas(64) HotWords {
  /// See Thread.h.
  std::atomic<uint64_t> globalState{2}; // epoch 1: new counters, of epoch 0, are cleared before use
  /// See Observer.h.
  void (*launchHook)(ThreadState &, const gpuinstr_frame &) = nullptr;
  /// Whether the time stamp counter ticks evenly on all cores and in all power states.
  bool tscInvariant = false;
  /// What the two stamps of a call cost, in ticks.
  uint32_t stampTicks = 0;
};

extern HotWords Hot;

} // namespace gpuinstr

#endif
