// Whether sampled device work went to more than one stream, where it may run side by side.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimedStreams.h"

namespace gpuinstr::timing {

namespace {

// From cuda.h: of these two handles the second names another stream on every thread.
constexpr uint64_t LegacyStream = 1, PerThreadStream = 2;

std::atomic<uint64_t> First{0}; ///< 0 none yet
std::atomic<bool> Several{false};

} // namespace

void noteTimedStream(const core::ThreadState &thread, uint64_t stream) {
  uint64_t key = stream == PerThreadStream ? reinterpret_cast<uint64_t>(&thread)
                 : stream == 0             ? LegacyStream
                                           : stream;
  uint64_t first = 0;
  if (!First.compare_exchange_strong(first, key) && first != key)
    Several.store(true, std::memory_order_relaxed);
}

bool severalStreamsTimed() { return Several.load(); }

void clearTimedStreams() {
  First.store(0);
  Several.store(false);
}

} // namespace gpuinstr::timing
