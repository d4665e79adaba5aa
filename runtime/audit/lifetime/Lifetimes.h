// Memory that is held before its first use or after its last: by how much the peak would fall.
// SPDX-License-Identifier: Apache-2.0
//
// What ended is kept until there is much of it; then the peaks so far are taken down, and it is
// forgotten. What still lives then counts as used to its end, so that no saving is told that there
// may not be.
#ifndef GPUINSTR_AUDIT_LIFETIME_LIFETIMES_H
#define GPUINSTR_AUDIT_LIFETIME_LIFETIMES_H

#include "audit/lifetime/PeakReplay.h"
#include "audit/ordering/Ranges.h"
#include "base/HotCode.h"
#include "findings/Findings.h"
#include <algorithm>
#include <map>

namespace gpuinstr::audit {

/// All with the auditor's lock held.
class alignas(64) Lifetimes {
public:
  void began(Range &range);
  /// By a copy or set. `fills`: all it does is to bring what the host has, which can be done as
  /// late as the allocation.
  /// `launched`: the launches before it.
  void used(Range &range, const Ranges &ranges, SiteIndex site, bool fills,
            uint64_t launched = Ranges::launches.load());
  /// So many come directly before the next use, and like it.
  void usedMore(uint32_t times) { now(times); }
  void ended(Range &range, Ranges &ranges);
  /// At exit, when what still lives is used no more.
  std::vector<FindingRecord> findings(Ranges &ranges);
  void clear();

  static constexpr size_t MaxEnded = 16384;

private:
  /// A line's memory, held too early or too long.
  struct Held {
    FindingKey key;
    bool early = false, filled = false;
    uint64_t bytes = 0, count = 0; ///< when the peak was reached
    uint64_t mostBytes = 0;        ///< the largest
  };
  /// Of a device.
  struct Found {
    uint64_t held = 0, lean = 0;
    uint64_t worst = 0; ///< the highest `held` of one replay: `lines` is from there
    std::vector<Held> lines;
  };

  Event now(uint32_t further = 1, uint64_t launched = Ranges::launches.load());
  bool toLife(const Range &range, const Ranges &ranges, Life &life) const;
  /// So many live.
  size_t takeDown(std::map<int, Found> &to, Ranges &ranges, bool atExit);
  static void add(Found &found, const std::vector<Life> &lives);

  std::vector<Life> Ended;
  size_t Bound = MaxEnded; ///< of `Ended`: no fewer than what lives, which is gone through as well
  uint64_t LastLaunch = 0;
  uint32_t SinceLaunch = 0;
  std::map<int, Found> Before; ///< of what was forgotten
};

inline Event Lifetimes::now(uint32_t further, uint64_t launched) {
  constexpr uint32_t Most = (1u << EventsBits) - 1;
  if (UNLIKELY(launched != LastLaunch))
    SinceLaunch = 0;
  LastLaunch = launched;
  SinceLaunch = std::min(SinceLaunch + further, Most);
  return launchEvent(launched) + SinceLaunch;
}

inline void Lifetimes::used(Range &range, const Ranges &ranges, SiteIndex site, bool fills,
                            uint64_t launched) {
  RangeUsage &u = range.usage;
  if (UNLIKELY(u.serial != range.serial))
    return;
  u.lastCopy = now(1, launched);
  u.lastCopySite = site;
  const bool isFirst = u.first.load(std::memory_order_relaxed) == 0;
  if (fills) {
    u.filled |= isFirst;
    return;
  }
  if (UNLIKELY(
          range.unused.load(std::memory_order_relaxed))) // storing is the dearer part of all this
    range.noteUsed();
  if (UNLIKELY(isFirst))
    noteFirstUse(range, ranges, u.lastCopy, site);
}

} // namespace gpuinstr::audit

#endif
