// Streams that no event may be put into.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_DEPENDENTSTREAMS_H
#define GPUINSTR_CUDA_DEPENDENTSTREAMS_H

#include <atomic>
#include <cstdint>

namespace gpuinstr::cuda {

/// Streams with programmatic dependent launches: an event between such a launch and the one before
/// it would keep the two apart, so nothing in them is timed any more. A handle may come back as
/// another stream's, which then goes without as well.
class DependentStreams {
public:
  bool has(uint64_t stream) const {
    if (Full.load(std::memory_order_relaxed))
      return true;
    for (const std::atomic<uint64_t> &slot : Streams)
      if (uint64_t known = slot.load(std::memory_order_relaxed); known == stream + 1)
        return true;
      else if (!known)
        return false;
    return false;
  }
  void add(uint64_t stream) {
    if (has(stream))
      return;
    for (std::atomic<uint64_t> &slot : Streams)
      if (uint64_t free = 0; slot.compare_exchange_strong(free, stream + 1) || free == stream + 1)
        return;
    Full.store(true); // of so many streams, none
  }
  void clear() {
    for (std::atomic<uint64_t> &slot : Streams)
      slot.store(0);
    Full.store(false);
  }

private:
  std::atomic<uint64_t> Streams[32] = {}; ///< handle + 1
  std::atomic<bool> Full{false};
};

} // namespace gpuinstr::cuda

#endif
