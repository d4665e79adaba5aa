// Which captures are looked at, so that those of a program that captures again and again stay
// within the budget.
// SPDX-License-Identifier: Apache-2.0
#include "time/CapturePlan.h"
#include "core/Governor.h"
#include <algorithm>

namespace gpuinstr::timing {

bool CapturePlan::wantsLook(const Place &place) {
  Last &last = Known[place];
  last.takenNs = 0;
  if (last.captures++ == 0)
    return true;
  core::Governor &budget = core::governor();
  bool ahead = last.captures <= DenseCaptures || last.refused >= MostRefused;
  if (!(ahead ? budget.takeAhead(last.costNs) : budget.take(last.costNs))) {
    ++last.refused;
    return false;
  }
  last.refused = 0;
  last.takenNs = last.costNs;
  return true;
}

void CapturePlan::looked(const Place &place, uint64_t looks) {
  Last &last = Known[place];
  last.costNs = std::min(CaptureNs + looks * LookNs, MostNs);
  core::governor().correct(int64_t(last.costNs) - int64_t(last.takenNs));
  last.takenNs = last.costNs; // of two at once the second corrects by its difference alone
}

} // namespace gpuinstr::timing
