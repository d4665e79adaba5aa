// Operations of the device of which each so many is timed, without a device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_SUPPORT_TURNS_H
#define GPUINSTR_TEST_SUPPORT_TURNS_H

#include "calls/CallHooks.h"
#include "calls/threads/Thread.h"
#include <utility>

namespace gpuinstr::test {

/// While it lives, turns come each Stride calls, and are counted.
class Turns {
public:
  static constexpr int Stride = 8;
  Turns() : HooksBefore(Hooks), TimedBefore(TimedOperations) {
    Begun = 0;
    Hooks.beginTimed = [](ThreadState &thread, const gpuinstr_frame &) {
      ++Begun;
      thread.root.counters->stride = Stride;
      thread.root.counters->countdown = Stride;
    };
  }
  Turns(const Turns &) = delete;
  ~Turns() {
    Hooks = HooksBefore;
    pause();
  }
  void of(uint64_t operations) { TimedOperations = operations; }
  void pause() { TimedOperations = TimedBefore; }
  /// Since it was last asked.
  int taken() { return std::exchange(Begun, 0); }

private:
  static inline int Begun = 0;
  const CallHooks HooksBefore;
  const uint64_t TimedBefore;
};

} // namespace gpuinstr::test

#endif
