// What the rooms above do at certain moments of a call.
// SPDX-License-Identifier: Apache-2.0
//
// Calls know nobody who looks at them: each feature puts its functions in here when it starts,
// before the first enter. Observers (Observer.h) see operations; these are the moments that must
// not wait for an operation to be decoded, or that are none.
#ifndef GPUINSTR_CALLS_CALLHOOKS_H
#define GPUINSTR_CALLS_CALLHOOKS_H

#include "base/SharedHotState.h"
#include "calls/sites/Sites.h"
#include "calls/threads/Recording.h"

namespace gpuinstr {

struct PendingError;

/// The hot path asks the words below first. Every hook may be called, filled in or not.
struct CallHooks {
  /// A device operation whose turn it is to be timed: in enter, in leave before all else, and when
  /// an exception left it.
  void (*beginTimed)(ThreadState &, const gpuinstr_frame &) = [](auto &, auto &) {};
  void (*endTimed)(ThreadState &, const gpuinstr_frame &, bool failed) = [](auto &, auto &, bool) {
  };
  void (*dropTimed)(ThreadState &) = [](auto &) {};

  /// A call of ExactOperations: in its enter, and in the leave of the one that thread.exact names.
  void (*beginExact)(ThreadState &, const gpuinstr_frame &) = [](auto &, auto &) {};
  void (*endExact)(ThreadState &, bool failed) = [](auto &, bool) {};
  /// A thread ends that has an exact log.
  void (*exactThreadEnds)(ThreadState &) = [](auto &) {};

  /// Whether a short kernel of our own may go into the stream before an operation: nothing is known
  /// to be under way that may fill the device and wait for the program. `isIdle`: the driver says
  /// that this stream has nothing to do. False where nobody knows.
  bool (*mayFill)(ThreadState &, uint64_t stream, bool isIdle) = [](auto &, uint64_t, bool) {
    return false;
  };

  /// An outermost call begins and ends while NvtxActive.
  void (*pushRange)(SiteIndex, const gpuinstr_frame &) = [](SiteIndex, auto &) {};
  void (*popRange)() = [] {};

  /// An outermost call begins after the device had nothing to do.
  void (*drainEnded)(ThreadState &) = [](auto &) {};
  /// ... and has ended, by its attribution: it has given the device nothing to do.
  void (*drainGoesOn)(ThreadState &) = [](auto &) {};
  /// In the leave of an outermost copy on the fast path, whose call returns when it is done.
  void (*copyBlocked)(ThreadState &, const gpuinstr_frame &) = [](auto &, auto &) {};

  /// The outermost call failed, or the launch inside it did.
  void (*callFailed)(ThreadState &, const gpuinstr_site &, int32_t result) = [](auto &, auto &,
                                                                                int32_t) {};
  /// A thread ends, and nobody asked for its last error.
  void (*errorUnasked)(const PendingError &) = [](auto &) {};

  /// Frequent calls are about to go unseen, see budget/WatchWindows.h. False: not now, for
  /// something is under way that has to know of each.
  bool (*mayGoUnseen)() = [] { return true; };
  /// The thread's next call, once each time either began.
  void (*watchChanged)(ThreadState &) = [](auto &) {};

  /// In dlclose, before it unmaps the instrumented code that has this address.
  void (*codeGoes)(const void *inside) = [](const void *) {};

  /// A time that was not recorded has ended.
  void (*pauseEnded)(const Pause &) = [](auto &) {};
  /// The host was busy with CUDA's own start.
  void (*startUpTime)(uint64_t startTicks, uint64_t endTicks) = [](uint64_t, uint64_t) {};

  /// The process's first CUDA call, before it is made; the first success with a context behind it.
  void (*firstCudaCall)() = [] {};
  void (*cudaCameUp)() = [] {};
};
extern CallHooks Hooks;

/// Bit i: operation i is timed by events. 0 while timing is off. Apart from HotState: a launch
/// whose turn it is not never reads it, and needs no register for its place.
extern std::atomic<uint64_t> TimedOperations;
/// Bit i: operation i is noted for exact times. 0 unless they are on.
inline constexpr std::atomic<uint64_t> &ExactOperations = HotState.exactOperations;
/// Whether a tool listens to NVTX ranges. Without one a call costs the test of this word.
inline constexpr std::atomic<bool> &NvtxActive = HotState.nvtxActive;

} // namespace gpuinstr

#endif
