// What the peak of a device's memory was, and what it would be if memory lived only while it is
// used.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_LIFETIME_PEAKREPLAY_H
#define GPUINSTR_AUDIT_LIFETIME_PEAKREPLAY_H

#include "audit/ordering/RangeUsage.h"
#include <vector>

namespace gpuinstr::audit {

/// One allocation: begin <= first <= last <= end.
struct Life {
  Event begin = 0, first = 0, last = 0, end = 0;
  uint64_t bytes = 0;
  SiteIndex site = 0, caller = 0, firstSite = 0, lastSite = 0;
  uint16_t resource = 0;
  int16_t device = -1;
};

/// An allocation that should be made later, or freed earlier.
struct IdleLife {
  size_t life;        ///< index of the lives that were replayed
  bool early, atPeak; ///< before its first use, else after its last; also when the peak was reached
};

struct Peaks {
  uint64_t held = 0; ///< most bytes at one time
  uint64_t lean = 0; ///< ... if those of `idle` lived only while they are used
  /// All of a line: no line is here that the lean peak could do without.
  std::vector<IdleLife> idle;
};

Peaks replay(const std::vector<Life> &lives);

} // namespace gpuinstr::audit

#endif
