// When an allocation was made, first used and last used, as far as calls show.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ORDERING_RANGEUSAGE_H
#define GPUINSTR_AUDIT_ORDERING_RANGEUSAGE_H

#include "calls/sites/Sites.h"
#include <atomic>
#include <cstdint>

namespace gpuinstr::audit {

/// A place in the order of all launches, copies, allocations and frees; 0 none. A launch's number
/// stands in the upper bits; what follows it, up to the next launch, counts on below.
using Event = uint64_t;
constexpr unsigned EventsBits = 20; ///< between two launches
constexpr Event launchEvent(uint64_t order) { return order << EventsBits; }

/// Written under the auditor's lock, but for the atomics: launches store those without it.
struct RangeUsage {
  // What copies look at comes first.
  uint64_t serial = 0; ///< of the allocation that this is about
  Event lastCopy = 0;
  /// 0: none, or something that nobody saw may have used it before.
  std::atomic<Event> first{0};
  SiteIndex lastCopySite = 0;
  bool filled = false; ///< by what the host sent or a set, before the first use
  Event allocated = 0;
  std::atomic<SiteIndex> firstSite{0};
  /// A launch that got it and does not touch it, 0 none.
  std::atomic<SiteIndex> passedAt{0};
};

struct Range;
class Ranges;

/// Whether nothing but what is recorded may have used it so far.
bool usesAreKnown(const Range &range, const Ranges &ranges);
/// Any thread; what comes first counts.
void noteFirstUse(Range &range, const Ranges &ranges, Event event, SiteIndex site);

} // namespace gpuinstr::audit

#endif
