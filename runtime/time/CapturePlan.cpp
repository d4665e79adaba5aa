// Which captures are looked at, so that those of a program that captures again and again stay
// within the budget.
// SPDX-License-Identifier: Apache-2.0
#include "time/CapturePlan.h"
#include "core/Governor.h"

namespace gpuinstr::timing {

bool CapturePlan::wantsLook(const Place &place) {
  Last &last = Known[place];
  if (last.captures++ == 0)
    return true;
  core::Governor &budget = core::governor();
  uint64_t costNs = last.looks * LookNs;
  return last.captures <= DenseCaptures ? budget.takeAhead(costNs) : budget.take(costNs);
}

void CapturePlan::looked(const Place &place, const Lines &lines, uint64_t looks) {
  Last &last = Known[place];
  last.looks = looks;
  last.lines = lines;
}

} // namespace gpuinstr::timing
