// How much of the wall time was recorded: shares are of that.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_THREADS_RECORDING_H
#define GPUINSTR_CALLS_THREADS_RECORDING_H

#include <cstdint>

namespace gpuinstr {

/// A time that was not recorded, ns of the monotonic clock.
struct Pause {
  uint64_t startNs = 0, endNs = 0;
};

/// Whether recording rests from now on. The pause that ends with it; empty: none does. The callers
/// see to their order.
Pause setRecording(bool on);
/// All counts begin anew.
void restartRecording();

/// From `startNs`, or the last restart after it, to `endNs`.
uint64_t recordedNs(uint64_t startNs, uint64_t endNs);
/// When the pause in progress began; 0 none.
uint64_t pausedSinceNs();
/// Since the last restart.
bool wasPaused();

} // namespace gpuinstr

#endif
