// A thread's records on their way to the writing thread: a ring with one producer and one consumer.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TRACE_BUFFER_H
#define GPUINSTR_TRACE_BUFFER_H

#include "trace/Format.h"
#include "trace/TraceSampling.h"
#include <atomic>

namespace gpuinstr::trace {

class Buffer {
public:
  /// nullptr when memory is out. `capacity` is a power of two.
  static Buffer *make(uint32_t capacity, uint32_t index, uint32_t tid);
  static void destroy(Buffer *buffer);

  // ---- The thread that owns it.
  /// Where the next record goes; nullptr: full, and counted as lost.
  Record *slot() {
    if (__builtin_expect(Head - KnownTail == Capacity, false)) {
      KnownTail = Tail.load(std::memory_order_acquire);
      if (Head - KnownTail == Capacity) {
        Lost.store(Lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return nullptr;
      }
    }
    return &Records[Head & (Capacity - 1)];
  }
  /// The slot is filled. True: half full since the consumer was woken last.
  bool push() {
    Published.store(++Head, std::memory_order_release);
    return (Head & (Capacity / 2 - 1)) == 0;
  }
  uint64_t nextCorrelation() const { return uint64_t(index) << 40 | (Sequence + 1); }
  uint64_t takeCorrelation() { return uint64_t(index) << 40 | ++Sequence; }
  /// Counts pushes, for measuring some of them.
  uint64_t count() const { return Head; }

  // ---- The consumer.
  /// A row of records to be read; `count` 0: none.
  const Record *peek(uint32_t &count) const {
    uint64_t tail = Tail.load(std::memory_order_relaxed);
    uint64_t ready = Published.load(std::memory_order_acquire) - tail;
    uint64_t toEnd = Capacity - (tail & (Capacity - 1));
    count = uint32_t(ready < toEnd ? ready : toEnd);
    return &Records[tail & (Capacity - 1)];
  }
  void pop(uint32_t count) { Tail.fetch_add(count, std::memory_order_release); }
  uint64_t lost() const { return Lost.load(std::memory_order_relaxed); }

  const uint32_t index, tid;
  std::atomic<bool> ended{false}; ///< its thread is gone
  bool described = false;         ///< the consumer has written its thread entry

  // ---- The owner's: operands of a call inside a wrapper, for the wrapper's record.
  Record stash{};
  bool stashed = false;
  bool skipping = false; ///< the outermost call in progress is left out
  /// Calls left out since the last record of an outermost call; inside the one in progress.
  uint32_t leftOutBefore = 0, leftOutInside = 0;
  /// An outermost call begins. One that an exception ended has left its count behind.
  void begin() {
    leftOutBefore += leftOutInside;
    leftOutInside = 0;
  }
  TraceSampling sampling;
  static constexpr unsigned MaxRanges = 32;
  struct Range {
    uint64_t start;
    uint32_t name;
  } ranges[MaxRanges];
  unsigned openRanges = 0; ///< may exceed MaxRanges: the rest is not recorded
  static constexpr unsigned Kernels = 64;
  struct Kernel {
    uint64_t function = 0;
    uint32_t name = 0;
  } kernels[Kernels]; ///< the last ones launched, by address

private:
  Buffer(uint32_t capacity, uint32_t number, uint32_t thread, Record *records)
      : index(number), tid(thread), Capacity(capacity), Records(records) {}
  const uint32_t Capacity;
  Record *const Records;
  uint64_t Head = 0, KnownTail = 0, Sequence = 0;
  alignas(64) std::atomic<uint64_t> Published{0};
  std::atomic<uint64_t> Lost{0};
  alignas(64) std::atomic<uint64_t> Tail{0};
};

} // namespace gpuinstr::trace

#endif
