// What a thread's last launches got: saves looking it up again.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_THREADS_LAUNCHCACHE_H
#define GPUINSTR_CALLS_THREADS_LAUNCHCACHE_H

#include <cstdint>
#include <memory>
#include <new>

namespace gpuinstr {

/// What a kernel got the last time: where its addresses lay, in their order. The next launch's lie
/// mostly there too. Filled and read by audit/scheduling/LaunchTouches.cpp.
struct alignas(64) LaunchMemo {
  static constexpr unsigned Ways = 5;
  uint64_t function = 0;
  const void *shape = nullptr; ///< null: not looked up yet
  uint64_t generation = 0;     ///< of the ranges below
  void *ranges[Ways] = {};     ///< null: none, or not known
};
static_assert(sizeof(LaunchMemo) == 64, "one cache line");

/// What a launch does to memory that anybody looks at.
enum class LaunchTouches : uint8_t {
  Anything,
  Nothing,
  Words, ///< only what KernelShape::onlyWords says
};

/// The thread's last launch, where one that differs from it in nothing but its line, its arguments
/// and its grid needs no more than a number, and stamps. Filled and read by
/// audit/scheduling/Launches.cpp.
struct alignas(64) LastLaunch {
  uint64_t slots = 0;                 ///< slotsOf() its site; 0: none
  uint64_t function = 0, handle = 0;  ///< as the site's frame names them
  uint64_t state = 0, generation = 0; ///< GlobalState, and that of streams: it holds no longer
  void *stream = nullptr;             ///< its state
  const void *shape = nullptr;
  bool ends = false; ///< whatever the host does
  LaunchTouches touches = LaunchTouches::Anything;
  bool launched = false; ///< a kernel since the auditor last asked, like this one or not
  uint32_t flags = 0;    ///< its site's
};
static_assert(sizeof(LastLaunch) == 64, "one cache line");

struct LargeSpans {
  static constexpr unsigned Bits = 12;
  void *all[1 << Bits] = {};
};

/// What the last launches of this thread were found to touch, so that a launch takes no lock while
/// nothing is allocated or freed. Filled and read by audit/scheduling.
struct alignas(64) LaunchCache {
  /// A line holds a set. Large allocations start at multiples of a power of two, so that no few
  /// bits of an address say which set is its own.
  static constexpr unsigned SetBits = 3, Ways = 4;
  static constexpr unsigned KernelBits = 5, SpanBits = 6;
  LastLaunch last;
  uint64_t function = 0;       ///< FUNC of the last launch
  const void *shape = nullptr; ///< its parameters
  uint64_t shapeGeneration = 0;
  struct Stream {
    uint64_t handle = ~uint64_t(0);
    void *state = nullptr;
    uint64_t generation = 0;
  };
  Stream stream;           ///< of the last launch
  uint64_t generation = 0; ///< of the ranges below
  /// The capture that launches went into last, which the driver need not be asked about again while
  /// no other begins or ends.
  struct Capture {
    uint64_t stream = 0, number = 0;
    uint32_t changes = 0;  ///< CaptureTracker's then; 0: nothing is known
    uint64_t function = 0; ///< a kernel whose launches add nothing any more, 0 none
  } capture;
  uint8_t next = 0;  ///< way that is replaced next
  Stream lastStream; ///< the one before, of launches or of calls that name none
  struct Place {
    uint64_t address = 0;  ///< an argument's value
    void *range = nullptr; ///< what it lies in, null: nothing known
  };
  struct alignas(64) Set {
    Place ways[Ways];
  } sets[1 << SetBits];
  LaunchMemo recent; ///< of the last launch that has no memo of its own
  /// Whole allocations by where their parts lie, for programs whose pools hand out other addresses
  /// each time. Programs with gigabytes of them get the large table; until something is allocated.
  void *spans[1 << SpanBits] = {};
  std::unique_ptr<LargeSpans> largeSpans; ///< null: not asked for so far
  bool usesLarge = false;
  uint32_t misses = 0; ///< in both, of this generation
  /// Where no allocation is, and numbers that are no addresses mostly lie.
  struct Gap {
    uint64_t begin = 0, bytes = 0;
  } gaps[2];
  uint8_t nextGap = 0;
  /// Kernels of former launches, while shapeGeneration holds.
  struct Kernel {
    uint64_t function = 0;
    const void *shape = nullptr;
  } kernels[1 << KernelBits];

  Set &setOf(uint64_t address) {
    return sets[(address >> 8) * 0x9e3779b97f4a7c15u >> (64 - SetBits)];
  }
  /// Small allocations lie side by side, large ones are met at addresses far apart.
  void *&spanOf(uint64_t address, bool isLarge) {
    uint64_t hash = (address >> (isLarge ? 21 : 16)) * 0x9e3779b97f4a7c15u;
    return usesLarge ? largeSpans->all[hash >> (64 - LargeSpans::Bits)]
                     : spans[hash >> (64 - SpanBits)];
  }
  bool isInGap(uint64_t address) const {
    for (const Gap &gap : gaps)
      if (address - gap.begin < gap.bytes)
        return true;
    return false;
  }
  /// How far the next allocation is; 0: the address lies in no gap that is known.
  uint64_t toEndOfGap(uint64_t address) const {
    for (const Gap &gap : gaps)
      if (address - gap.begin < gap.bytes)
        return gap.begin + gap.bytes - address;
    return 0;
  }
  void noteGap(uint64_t begin, uint64_t end) { gaps[nextGap++ % 2] = {begin, end - begin}; }
  /// One more that is in no table. Those of a training step lie in thousands of places.
  void noteMiss() {
    constexpr uint32_t Few = 128;
    if (usesLarge || ++misses < Few)
      return;
    if (!largeSpans)
      largeSpans.reset(new (std::nothrow) LargeSpans);
    else
      *largeSpans = LargeSpans();
    usesLarge = largeSpans != nullptr;
  }
  /// A handle may stand for another stream now.
  void forgetStreams() {
    stream = lastStream = Stream();
    last.slots = 0;
  }
  /// Other allocations are there now.
  void forgetRanges(uint64_t now) {
    for (Set &set : sets)
      set = Set();
    for (void *&span : spans)
      span = nullptr;
    for (Gap &gap : gaps)
      gap = Gap();
    usesLarge = false;
    misses = 0;
    generation = now;
  }
  Kernel &kernelOf(uint64_t handle) {
    return kernels[handle * 0x9e3779b97f4a7c15u >> (64 - KernelBits)];
  }
};

} // namespace gpuinstr

#endif
