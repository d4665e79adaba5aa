// What each thread counts at each site.
// SPDX-License-Identifier: Apache-2.0
//
// One thread writes, any thread may read at the same time: single-writer words, no lock prefix.
// A table grows with the sites that its thread used, never with calls.
#ifndef GPUINSTR_CALLS_THREADS_COUNTERS_H
#define GPUINSTR_CALLS_THREADS_COUNTERS_H

#include "calls/sites/Sites.h"
#include "profile/Histogram.h"

namespace gpuinstr {

using profile::Relaxed;

/// What a launch reads and writes comes first, in one cache line; the durations start another.
struct alignas(64) SiteCounters {
  Relaxed<uint64_t> lastKernel; ///< FUNC of the last launch: asked about only when it changes
  Relaxed<uint64_t> calls;
  Relaxed<uint32_t> countdown; ///< device operations until one is timed, see TimedCall
  Relaxed<uint32_t> stride;    ///< what it counted down from
  Relaxed<uint32_t> epoch;     ///< of the last reset that it has seen, see Thread.h
  SiteIndex index = 0;         ///< in its table
  Relaxed<SiteIndex> caller;   ///< the first caller seen
  Relaxed<bool> manyCallers;   ///< there were others
  Relaxed<bool> takesFirst;    ///< the next call is the process's first of this site
  Relaxed<uint8_t> level;      ///< of `stride`
  Relaxed<bool> guessed;       ///< `calls` has some that went unseen: budget/WatchWindows.h
  Relaxed<uint64_t> failed, bytes;
  alignas(64) profile::DurationStats host; ///< in ticks
  Relaxed<uint64_t> turnTicks;             ///< when one was last timed

  /// Device operations since the last one that was due for timing.
  uint64_t sinceTurn() const {
    uint32_t all = stride, left = countdown;
    return all > left ? all - left : 0;
  }

  /// A device operation was made. True: it is this one's turn to be timed.
  bool takeTurn() {
    uint32_t left = countdown;
    if (__builtin_expect(left > 1, true)) {
      countdown = left - 1;
      return false;
    }
    return true;
  }

  /// So many more were made, none of which is timed.
  void skipTurns(uint32_t number) {
    const uint32_t left = countdown, taken = left > number ? number : left ? left - 1 : 0;
    countdown = left - taken;
    stride = stride + (number - taken);
  }

  void clear();
  void merge(const SiteCounters &other);
};

class CounterTable {
public:
  CounterTable() = default;
  CounterTable(const CounterTable &) = delete;
  ~CounterTable();

  SiteCounters *find(SiteIndex index) const {
    if (__builtin_expect(index >= BlockSize * MaxBlocks, false))
      return nullptr;
    Block *block = Blocks[index / BlockSize].load(std::memory_order_acquire);
    return __builtin_expect(block != nullptr, true)
               ? block->counters[index % BlockSize].load(std::memory_order_acquire)
               : nullptr;
  }
  /// Allocates on first use; nullptr when memory is out or the index too large.
  SiteCounters *make(SiteIndex index);

  template <class Visit> void each(Visit visit) const {
    for (uint32_t b = 0; b < MaxBlocks; ++b)
      if (Block *block = Blocks[b].load(std::memory_order_acquire))
        for (uint32_t i = 0; i < BlockSize; ++i)
          if (SiteCounters *c = block->counters[i].load(std::memory_order_acquire))
            visit(SiteIndex(b * BlockSize + i), *c);
  }

private:
  static constexpr uint32_t BlockSize = 512, MaxBlocks = 512;
  struct Block {
    std::atomic<SiteCounters *> counters[BlockSize];
  };
  std::atomic<Block *> Blocks[MaxBlocks] = {};
};

} // namespace gpuinstr

#endif
