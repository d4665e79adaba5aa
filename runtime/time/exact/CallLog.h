// What a thread asked of the device, in the order of its calls: the other half of exact times.
// SPDX-License-Identifier: Apache-2.0
//
// A queue with one producer and one consumer. The producer takes no lock, and allocates only when
// the consumer has returned no empty block.
#ifndef GPUINSTR_TIME_EXACT_CALLLOG_H
#define GPUINSTR_TIME_EXACT_CALLLOG_H

#include "calls/sites/Sites.h"
#include <atomic>
#include <cstdint>
#include <new>

namespace gpuinstr::timing {

enum class Asked : uint8_t { Kernel, Copy, Set, Graph, Library };

struct LogEntry {
  SiteIndex site;
  Asked asked;
  uint8_t epoch;  ///< of TimeStore.h, its low bits
  uint8_t dead;   ///< the call failed: no record will come. Atomic.
  uint8_t blocks; ///< a copy that is spelled without Async
  uint64_t startTicks;
  uint32_t callTicks;   ///< how long the call took, 0 while it lasts. Atomic.
  uint32_t shape;       ///< of launches, see shapeOf
  uint64_t what;        ///< FUNC of a launch; bytes of a copy or set, 0 unknown
  uint64_t correlation; ///< of the call's record in the trace, 0 none
};

class CallLog {
public:
  /// Entries that may wait for their records. Beyond it something keeps them back, and new ones are
  /// dropped.
  static constexpr uint64_t Most = 1 << 20;

  CallLog() = default;
  CallLog(const CallLog &) = delete;
  ~CallLog() {
    while (Head) {
      Block *next = Head->next.load();
      delete Head;
      Head = next;
    }
    delete Spare.load();
  }

  /// The writer's: room for one entry, which publish() hands over. nullptr: memory or room is out.
  LogEntry *next() {
    if (!Tail)
      return nullptr;
    if (Used == BlockSize && !grow())
      return nullptr;
    return &Tail->entries[Used];
  }
  void publish() {
    ++Used;
    Written.store(Written.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  uint64_t dropped() const { return Dropped.load(std::memory_order_relaxed); }

  /// The reader's: the i-th entry that was not taken, nullptr when there is none.
  LogEntry *peek(uint64_t i) {
    if (Taken.load(std::memory_order_relaxed) + i >= Written.load(std::memory_order_acquire))
      return nullptr;
    Block *block = Head;
    uint64_t at = First + i;
    for (; at >= BlockSize; at -= BlockSize)
      block = block->next.load(std::memory_order_acquire);
    return &block->entries[at];
  }
  void take(uint64_t n) {
    Taken.store(Taken.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    First += n;
    // The last block stays: the writer may still note how long its newest call took.
    while (First >= BlockSize) {
      Block *next = Head->next.load(std::memory_order_acquire);
      if (!next)
        return;
      Block *used = Head;
      Head = next;
      First -= BlockSize;
      used->next.store(nullptr, std::memory_order_relaxed);
      delete Spare.exchange(used, std::memory_order_acq_rel);
    }
  }

private:
  static constexpr uint64_t BlockSize = 1024;
  struct Block {
    LogEntry entries[BlockSize];
    std::atomic<Block *> next{nullptr};
  };

  bool grow() {
    uint64_t waiting =
        Written.load(std::memory_order_relaxed) - Taken.load(std::memory_order_relaxed);
    Block *block = nullptr;
    if (waiting < Most) {
      block = Spare.exchange(nullptr, std::memory_order_acq_rel);
      if (!block)
        block = new (std::nothrow) Block;
    }
    if (!block) {
      Dropped.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    Tail->next.store(block, std::memory_order_release);
    Tail = block;
    Used = 0;
    return true;
  }

  // The writer's.
  Block *Tail = new (std::nothrow) Block;
  uint64_t Used = 0;
  std::atomic<uint64_t> Written{0}, Taken{0}, Dropped{0};
  std::atomic<Block *> Spare{nullptr};
  // The reader's.
  Block *Head = Tail;
  uint64_t First = 0; ///< in Head
};

} // namespace gpuinstr::timing

#endif
