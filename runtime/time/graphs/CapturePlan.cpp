// Which captures are looked at, so that those of a program that captures again and again stay
// within the budget.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/CapturePlan.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include <algorithm>

namespace gpuinstr::timing {

CapturePlan::Last &CapturePlan::at(const Place &place) {
  if (!Recent || Recent->first != place)
    Recent = &*Known.try_emplace(place).first;
  return Recent->second;
}

bool CapturePlan::wantsLook(const Place &place, uint64_t &takenNs) {
  Last &last = at(place);
  takenNs = 0;
  if (last.captures++ == 0)
    return true;
  if (++last.passed < last.apart)
    return false;
  OverheadBudget &budget = overheadBudget();
  bool ahead = last.captures <= DenseCaptures || last.refused >= MostRefused;
  if (!(ahead ? budget.takeAhead(last.costNs) : budget.take(last.costNs))) {
    ++last.refused;
    return false;
  }
  last.refused = last.passed = 0;
  takenNs = last.costNs;
  return true;
}

void CapturePlan::looked(const Place &place, uint64_t looks, uint64_t takenNs) {
  uint64_t costNs = CaptureNs + looks * LookNs;
  at(place).costNs = std::min(costNs, MostNs);
  overheadBudget().correct(int64_t(costNs) - int64_t(takenNs));
  noteOwnCost(OwnConsumer::DeviceTimes, costNs);
}

void CapturePlan::captured(const Place &place, Lines &&lines) {
  Last &last = at(place);
  if (!last.lines || *last.lines != lines) {
    last.apart = 1;
    last.lines = std::make_shared<const Lines>(std::move(lines));
  } else if (last.captures > DenseCaptures) {
    last.apart = std::min(2 * last.apart, MostApart);
  }
}

} // namespace gpuinstr::timing
