// Which captures are looked at, so that those of a program that captures again and again stay
// within the budget.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/CapturePlan.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include <algorithm>

namespace gpuinstr::timing {

bool CapturePlan::wantsLook(const Place &place, uint64_t &takenNs) {
  Last &last = Known[place];
  takenNs = 0;
  if (last.captures++ == 0)
    return true;
  OverheadBudget &budget = overheadBudget();
  bool ahead = last.captures <= DenseCaptures || last.refused >= MostRefused;
  if (!(ahead ? budget.takeAhead(last.costNs) : budget.take(last.costNs))) {
    ++last.refused;
    return false;
  }
  last.refused = 0;
  takenNs = last.costNs;
  return true;
}

void CapturePlan::looked(const Place &place, uint64_t looks, uint64_t takenNs) {
  uint64_t costNs = CaptureNs + looks * LookNs;
  Known[place].costNs = std::min(costNs, MostNs);
  overheadBudget().correct(int64_t(costNs) - int64_t(takenNs));
  noteOwnCost(OwnConsumer::DeviceTimes, costNs);
}

} // namespace gpuinstr::timing
