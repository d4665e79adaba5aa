// Calls of an attached program whose memory comes from a pool, as PyTorch's does.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_BENCH_POOLCALLS_H
#define GPUINSTR_TEST_BENCH_POOLCALLS_H

#include "BenchCalls.h"

namespace gpuinstr::bench {

/// Segments of a pool, and sets and copies of its pieces. Each call goes through `Driver`. Outlives
/// the runtime, whose report reads the sites.
template <void (*Driver)()> class PoolCalls {
public:
  static constexpr unsigned Segments = 8, Pairs = 24;

  /// As the attached library tells of a segment: made by cuMemAlloc, handed out by a library.
  /// Without a table: nothing is made.
  explicit PoolCalls(const gpuinstr_table *table) : Table(table) {
    static const char pool[] = "a library";
    for (unsigned i = 0; table && i < Segments; ++i) {
      uint64_t segment = segmentAt(i);
      auto *memory = reinterpret_cast<const void *>(segment);
      call(table, Alloc,
           {{GPUINSTR_SLOT_DST, reinterpret_cast<uint64_t>(&segment)},
            {GPUINSTR_SLOT_BYTES, SegmentBytes}},
           Driver);
      table->pool_alloc(pool, memory, 0);
      table->pool_free(pool, memory);
    }
  }

  /// Of another piece each time.
  void set() {
    const unsigned turn = Turn++;
    call(Table, Set,
         {{GPUINSTR_SLOT_DST, segmentAt(turn % Segments) + 512 * (turn % 1000)},
          {GPUINSTR_SLOT_KIND, 0},
          {GPUINSTR_SLOT_BYTES, 4 * (turn % 7 + 1)},
          {GPUINSTR_SLOT_STREAM, 1}},
         Driver);
  }
  /// Within the device, of the same two pieces each time.
  void copy(unsigned pair) {
    call(Table, Copy[pair % Lines],
         {{GPUINSTR_SLOT_DST, segmentAt(pair % Segments) + 8192 * pair},
          {GPUINSTR_SLOT_SRC, segmentAt((pair + 3) % Segments) + 8192 * pair + 4096},
          {GPUINSTR_SLOT_BYTES, 4096},
          {GPUINSTR_SLOT_STREAM, 1}},
         Driver);
  }
  /// A step of several.
  void copyInTurn() { copy(Turn++ % Pairs); }

private:
  static constexpr uint64_t Memory = 0x7f3400000000, SegmentBytes = 20 << 20;
  static constexpr unsigned Lines = 4;
  static constexpr uint32_t Flags =
      GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER | GPUINSTR_SITE_ASYNC;
  static constexpr uint64_t segmentAt(unsigned i) { return Memory + i * 2 * SegmentBytes; }
  static gpuinstr_site makeCopy(unsigned line) {
    return makeSite(GPUINSTR_OP_COPY, line,
                    Flags | GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC,
                    bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC) | bit(GPUINSTR_SLOT_BYTES) |
                        bit(GPUINSTR_SLOT_STREAM));
  }

  const gpuinstr_table *const Table;
  unsigned Turn = 0;
  gpuinstr_site Alloc =
      makeSite(GPUINSTR_OP_ALLOC, 50, GPUINSTR_SITE_CU_RESULT,
               bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_BYTES), GPUINSTR_RES_DEVICE);
  gpuinstr_site Set = makeSite(GPUINSTR_OP_SET, 51, Flags,
                               bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_KIND) |
                                   bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_STREAM));
  gpuinstr_site Copy[Lines] = {makeCopy(52), makeCopy(53), makeCopy(54), makeCopy(55)};
};

} // namespace gpuinstr::bench

#endif
