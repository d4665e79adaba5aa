// Which stream captures are open.
// SPDX-License-Identifier: Apache-2.0
//
// The count is a hint that costs one load: while it is 0 nobody need ask the driver. It counts what
// instrumented calls began and ended; a capture that other code began is not in it, and one that
// other code ended stays in it, which only makes the driver be asked. The driver has the last word.
#ifndef GPUINSTR_CUDA_CAPTURETRACKER_H
#define GPUINSTR_CUDA_CAPTURETRACKER_H

#include "base/SharedHotState.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr {

/// Whether the stream (as passed to cudart) is being captured. False when unknown.
bool streamIsCapturing(uint64_t stream);
/// The driver's number of the capture that this stream is part of, 0 none, unknown or invalidated.
uint64_t captureOf(uint64_t stream);

} // namespace gpuinstr

namespace gpuinstr::cuda {

/// Any thread, without a lock. Every launch asks: the words are in the line that it reads anyway.
class CaptureTracker {
public:
  /// Before the call that begins one: it is open before anything can go into it.
  void beginning() {
    Open.fetch_add(1);
    Changes.fetch_add(1);
  }
  void beginFailed() { drop(); }
  /// After a call that was to end the stream's. One that fails ends it, too, unless the stream
  /// goes on: then it was another thread's to end.
  void ended(uint64_t stream, bool failed) {
    if (!failed || !streamIsCapturing(stream))
      drop();
    Changes.fetch_add(1);
  }
  bool anyOpen() const { return Open.load(std::memory_order_relaxed) != 0; }
  /// Whether what goes into the stream goes into a graph.
  bool isCapturing(uint64_t stream) const { return anyOpen() && streamIsCapturing(stream); }
  /// The driver's number of the capture that the stream is part of, 0 none.
  uint64_t captureIn(uint64_t stream) const { return anyOpen() ? captureOf(stream) : 0; }
  /// Rises with each that begins or ends, and with forgetAnswers().
  uint32_t changes() const { return Changes.load(std::memory_order_acquire); }
  /// One is open: as long as changes() stays, a stream that was part of it can be part of no other
  /// that anybody has seen begin.
  bool isOneOpen() const { return Open.load(std::memory_order_relaxed) == 1; }
  /// What anybody remembers of them, or of launches into them, does not hold any more.
  void forgetAnswers() { Changes.fetch_add(1); }
  /// After fork, and for tests: they were the parent's.
  void forget() {
    Open.store(0);
    Changes.fetch_add(1);
  }

private:
  void drop();
  static constexpr std::atomic<uint32_t> &Open = HotState.capturesOpen,
                                         &Changes = HotState.captureChanges;
};

inline CaptureTracker Captures;

} // namespace gpuinstr::cuda

#endif
