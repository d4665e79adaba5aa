// When an allocation was made, first used and last used, as far as calls show.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/RangeUsage.h"
#include "audit/ordering/Ranges.h"
#include "base/HotCode.h"

namespace gpuinstr::audit {

bool usesAreKnown(const Range &r, const Ranges &ranges) {
  return !r.escaped.load() && !r.global.load() && r.serial > ranges.lostUpTo.load() &&
         r.unknownAtStart == ranges.unknownUses.load() && !ranges.followedUnscanned();
}

GPUINSTR_HOT void noteFirstUse(Range &r, const Ranges &ranges, Event event, SiteIndex site) {
  if (r.usage.first.load(std::memory_order_relaxed) || !usesAreKnown(r, ranges))
    return;
  r.usage.firstSite.store(site, std::memory_order_relaxed);
  r.usage.first.store(event, std::memory_order_relaxed);
}

} // namespace gpuinstr::audit
