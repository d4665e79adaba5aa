// Whether sampled device work went to more than one stream, where it may run side by side.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/TimedStreams.h"

namespace gpuinstr::timing {

namespace {

// From cuda.h: of these two handles the second names another stream on every thread.
constexpr uint64_t LegacyStream = 1, PerThreadStream = 2;

struct Seen {
  std::atomic<uint64_t> first{0}; ///< 0 none yet
  std::atomic<bool> several{false};
};
constexpr int MostDevices = 64;
Seen Devices[MostDevices + 1];

Seen &seenOn(int device) {
  return Devices[device >= 0 && device < MostDevices ? device : MostDevices];
}

} // namespace

void noteTimedStream(const ThreadState &thread, int device, uint64_t stream) {
  uint64_t key = stream == PerThreadStream ? reinterpret_cast<uint64_t>(&thread)
                 : stream == 0             ? LegacyStream
                                           : stream;
  Seen &seen = seenOn(device);
  uint64_t first = 0;
  if (!seen.first.compare_exchange_strong(first, key) && first != key)
    seen.several.store(true, std::memory_order_relaxed);
}

bool severalStreamsTimed(int device) { return seenOn(device).several.load(); }

void clearTimedStreams() {
  for (Seen &seen : Devices) {
    seen.first.store(0);
    seen.several.store(false);
  }
}

} // namespace gpuinstr::timing
