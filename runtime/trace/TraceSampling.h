// Keeps the trace within `budget`: the first calls of each site, then one in so many of a hot one.
// SPDX-License-Identifier: Apache-2.0
//
// What a record costs (the call's thread and the writing thread's processor time, both measured) is
// taken from the governor, of which the trace may have half: audits and device times need theirs.
// Where it is refused, the site that asked is recorded more rarely: one call in 2, 4, ... 1024, at
// distances that are random about their mean, and more often again where there is enough. Calls
// inside another one (of Thrust, of CUB) are recorded only while there is some left. Calls that are
// left out are counted by site. budget=100: all are kept.
#ifndef GPUINSTR_TRACE_TRACESAMPLING_H
#define GPUINSTR_TRACE_TRACESAMPLING_H

#include "calls/sites/Sites.h"
#include "calls/threads/Thread.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr::trace {

/// By the options, once; and again in a forked child.
void startTraceSampling();
/// False: budget=100.
bool isSampled();

/// ns that filling one record took, now and then.
void noteHostCost(uint64_t ns);
/// Processor time in which the writing thread wrote so many records; `device` of them were paid for
/// by nobody yet.
void noteWriterCost(uint64_t ns, uint64_t records, uint64_t device);
/// What one record is taken to cost now, in ns.
uint64_t recordCostNs();

/// Turns of the sites, on one thread. What it counts may be read by others meanwhile.
class TraceSampling {
public:
  static constexpr uint32_t FirstKept = 64;
  static constexpr unsigned MostLevel = 10;
  /// Records that are paid for at once, where all are kept.
  static constexpr int32_t Block = 16;

  TraceSampling() = default;
  TraceSampling(const TraceSampling &) = delete;
  ~TraceSampling();

  /// The call that begins at this site is to be left out.
  bool skips(SiteIndex site) {
    Turn *turn = find(site);
    if (__builtin_expect(!turn || turn->skip == 0, true))
      return false;
    --turn->skip;
    return true;
  }
  /// One that was left out, at whatever depth.
  void dropped(SiteIndex site) {
    if (Turn *turn = make(site))
      turn->dropped += 1;
  }
  /// Whether there is budget for the record of a call inside another one: it is paid for then.
  bool affords();
  /// A record was written: pays for it and plans the site's next. `always`: the site's calls are
  /// never left out.
  void kept(ThreadState &thread, SiteIndex site, bool always);
  /// The same at a given time, for tests; ns on the governor's clock.
  void keptAt(ThreadState &thread, SiteIndex site, bool always, uint64_t nowNs);

  template <class Visit> void eachDropped(Visit visit) const {
    for (uint32_t c = 0; c < MaxChunks; ++c)
      if (Turn *chunk = Chunks[c].load(std::memory_order_acquire))
        for (uint32_t i = 0; i < ChunkSize; ++i)
          if (uint64_t number = chunk[i].dropped)
            visit(SiteIndex(c * ChunkSize + i), number);
  }

private:
  struct Turn {
    uint32_t skip = 0;      ///< calls to leave out before the next record
    uint32_t kept = 0;      ///< at most FirstKept
    uint32_t changedMs = 0; ///< when `level` last changed
    uint32_t level = 0;     ///< one call in 2^level is kept
    Relaxed<uint64_t> dropped;
  };
  /// Sites beyond the last chunk are never left out.
  static constexpr uint32_t ChunkSize = 64, MaxChunks = 512;

  Turn *find(SiteIndex site) {
    Turn *chunk = site < ChunkSize * MaxChunks
                      ? Chunks[site / ChunkSize].load(std::memory_order_relaxed)
                      : nullptr;
    return chunk ? &chunk[site % ChunkSize] : nullptr;
  }
  Turn *make(SiteIndex site);
  void settle(Turn &turn, bool always, uint64_t nowNs);

  int32_t Credit = 0; ///< records that are paid for
  std::atomic<Turn *> Chunks[MaxChunks] = {};
};

} // namespace gpuinstr::trace

#endif
