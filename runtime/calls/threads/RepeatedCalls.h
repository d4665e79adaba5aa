// What is known of outermost calls that come again and again: of each line and what it calls there.
// SPDX-License-Identifier: Apache-2.0
//
// A program that is attached to, or that calls the driver itself, launches by one call with
// operands: nothing stands around it. A line of a library launches many kernels, each with an entry
// of its own: one line for the call's attribution, one for whoever looks at launches. Events,
// queries, updates of nodes, graph launches, sets and copies have one for each line, where all who
// look at them do so by a ShortLook (Observer.h); so have captures, and waits for the device.
#ifndef GPUINSTR_CALLS_THREADS_REPEATEDCALLS_H
#define GPUINSTR_CALLS_THREADS_REPEATEDCALLS_H

#include "calls/threads/Thread.h"

namespace gpuinstr {

struct ShortLook;

/// Of a call that is no launch.
struct alignas(64) LookMemo {
  uint64_t function; ///< 0
  uint8_t numLooks;
  bool takesTurns : 1; ///< a device operation: some are timed
  bool movesBytes : 1; ///< ... or an allocation: bytes are counted
  bool isOfMemory : 1; ///< an allocation or a free
  bool blocks : 1;     ///< a copy that may: LookWhereBlocked
  uint8_t usualBits;   ///< usual ones move less than 1 << usualBits bytes
  uint8_t larger;      ///< so many in a row that moved more
  uint32_t usualTicks; ///< that a usual one takes, as the timed ones say
  /// What the last one touched, and who judges that had nothing to say: see memory/Bounds.cpp.
  struct Inside {
    uint64_t generation;     ///< the ledger's then; 0: none
    uint64_t dst, src, what; ///< the bytes, and from where to where
  };
  static constexpr unsigned Few = 2, Most = 4; ///< looks
  const ShortLook *looks[Few];
  union { ///< no operation has both
    Inside inside;
    const ShortLook *more[Most - Few];
  };
  const ShortLook &look(unsigned i) const { return *(i < Few ? looks[i] : more[i - Few]); }

  /// One that was timed. That the host was held up once is not said of all that are not timed.
  void noteUsual(uint64_t took) {
    const uint64_t before = usualTicks, most = before ? 2 * before : UINT32_MAX / 2;
    larger = 0;
    took = took < most ? took : most;
    usualTicks = uint32_t(!before              ? took
                          : before <= 4 * took ? (7 * before + took + 7) / 8
                                               : (before + took) / 2);
  }
  /// The last of a block that was timed: what comes until the next one is about as large.
  void noteUsualBytes(uint64_t bytes) {
    constexpr uint8_t Few = 14; // up to 16 KiB the size counts for nothing
    const unsigned bits = 64 - unsigned(__builtin_clzll(bytes | 1));
    usualBits = uint8_t(bits < Few ? Few : bits < 63 ? bits : 63);
  }
};
static_assert(sizeof(LookMemo) == 64, "one cache line");

struct RepeatedCall {
  SiteAttribution attribution; ///< first: RootCall::attribution points to it
  union {                      ///< both begin with `function`
    LaunchMemo memo = {};
    LookMemo looked;
  };

  bool is(const gpuinstr_site *site, uint64_t callers, uint64_t function) const {
    return attribution.site == site && attribution.callers == callers && memo.function == function;
  }
};
static_assert(sizeof(RepeatedCall) == 128, "two cache lines");

/// A call that moves more than the usual ones, which are not all timed: by their times nobody knows
/// its own. True: it goes the long way, where it is timed. Once all do so, they are the usual ones.
bool goesLongWay(RepeatedCall &call, uint64_t bytes);

/// Of one thread, made at its first such call. Its size is for a step of training: hundreds.
class RepeatedCalls {
public:
  /// Null: not known, or another one has its place by now.
  RepeatedCall *find(const gpuinstr_site *site, uint64_t callers, uint64_t function) {
    RepeatedCall *set = setOf(site, callers, function);
    if (__builtin_expect(set[0].is(site, callers, function), true))
      return set;
    return set[1].is(site, callers, function) ? set + 1 : nullptr;
  }
  /// Where it goes: an empty place, or one of those that it may have. `random` chooses.
  RepeatedCall &placeFor(const gpuinstr_site *site, uint64_t callers, uint64_t function,
                         uint32_t random) {
    RepeatedCall *set = setOf(site, callers, function);
    for (unsigned way = 0; way < Ways; ++way)
      if (!set[way].attribution.site || set[way].is(site, callers, function))
        return set[way];
    return set[random % Ways];
  }
  template <class Visit> void each(Visit visit) {
    for (RepeatedCall &call : All)
      visit(call.attribution);
  }

private:
  static constexpr unsigned SetBits = 8, Ways = 2;
  RepeatedCall *setOf(const gpuinstr_site *site, uint64_t callers, uint64_t function) {
    constexpr uint64_t Mix = 0x9e3779b97f4a7c15u;
    uint64_t hash = (reinterpret_cast<uintptr_t>(site) + callers) * Mix;
    return &All[Ways * ((hash ^ hash >> 32 ^ function) * Mix >> (64 - SetBits))];
  }
  RepeatedCall All[Ways << SetBits];
};

/// In the look at a call that is attributed by one of these: its own.
inline LookMemo &lookedOf(ThreadState &thread) {
  return reinterpret_cast<RepeatedCall &>(*thread.root.attribution).looked;
}

/// Visits what the thread knows of its sites.
template <class Visit> void eachAttribution(ThreadState &thread, Visit visit) {
  for (SiteAttribution &attribution : thread.attributions)
    visit(attribution);
  if (RepeatedCalls *calls = thread.repeatedCalls.load(std::memory_order_acquire))
    calls->each(visit);
}

} // namespace gpuinstr

#endif
