// Work of our own before the first event of a pair, which keeps the device busy until the operation
// is there.
// SPDX-License-Identifier: Apache-2.0
//
// Sets of memory run on the engine that runs kernels. Behind one, what a pair measures around a
// kernel is the kernel and a constant: 3.3 us +-0.03 where that was 7 us +-1 on a stream that had
// run dry, and 3 to 10 us behind a copy, which another engine does (H100, kernels that read its
// clock).
#ifndef GPUINSTR_TIME_SAMPLED_PAIRS_FILLER_H
#define GPUINSTR_TIME_SAMPLED_PAIRS_FILLER_H

#include "cuda/Driver.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr::timing {

/// Memory of one context, and how much of it is set at a time. Any thread. Never freed.
class Filler {
public:
  /// In the current context. nullptr: there is none to be had, or a tool looks at the process that
  /// would tell of memory that nobody frees.
  static Filler *make(const DriverApi &api);

  /// Of the device's memory, by all of them.
  static uint64_t heldBytes();
  /// In a forked child: it is the parent's.
  static void forgetHeld();

  /// Pairs, by their number in their context, have parts of the memory: those of several streams
  /// are under way at a time. False: nothing was put into the stream.
  bool fill(const DriverApi &api, void *stream, unsigned pair) const;

  /// The device was done with a filler so long before the host had issued the operation; negative:
  /// behind it. The next one is longer, or shorter. Calls that take long are none to be covered.
  void lacked(double ns, double callNs);

private:
  uint64_t Address = 0;
  std::atomic<uint32_t> Rows{0};
};

/// Makes the fillers: in each context when the program allocates memory itself, for at another time
/// the driver might wait for the device.
void addFillerObserver();

} // namespace gpuinstr::timing

#endif
