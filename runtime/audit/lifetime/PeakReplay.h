// What the peak of a device's memory was, and what it would be if memory lived only while it is
// used.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_LIFETIME_PEAKREPLAY_H
#define GPUINSTR_AUDIT_LIFETIME_PEAKREPLAY_H

#include "audit/ordering/RangeUsage.h"
#include <vector>

namespace gpuinstr::audit {

/// One allocation: begin <= first <= last <= end.
struct alignas(64) Life {
  Event begin = 0, first = 0, last = 0, end = 0;
  uint64_t bytes = 0;
  SiteIndex site = 0, caller = 0, firstSite = 0, lastSite = 0;
  uint16_t resource = 0;
  int16_t device = -1;
  bool filled = false; ///< by the host, before its first use
};
static_assert(sizeof(Life) == 64, "one cache line each");

/// An allocation that should be made later, or freed earlier.
struct IdleLife {
  size_t life;        ///< index of the lives that were replayed
  bool early, atPeak; ///< before its first use, else after its last; also when the peak was reached
};

struct Peaks {
  uint64_t held = 0; ///< most bytes at one time
  uint64_t lean = 0; ///< ... if all lived only while they are used
};

/// Two sorts.
Peaks replay(const std::vector<Life> &lives);

/// The lines that bring the peak down to the lean one, or nearly so, and none that it can do
/// without. `peaks` is replay()'s; its lean peak then is the one that these lines alone bring.
std::vector<IdleLife> idleLives(const std::vector<Life> &lives, Peaks &peaks);

} // namespace gpuinstr::audit

#endif
