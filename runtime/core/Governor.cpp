// Keeps the tool's own cost under `budget` per cent of wall time; what it refuses, callers count.
// SPDX-License-Identifier: Apache-2.0
#include "core/Governor.h"
#include "core/Clock.h"
#include "options/Options.h"
#include <atomic>

namespace gpuinstr::core {

namespace {
/// What may be spent before any time has passed.
constexpr int64_t StockNs = 2000000;
std::atomic<int64_t> Spent{0}; ///< what still counts against the budget
std::atomic<uint64_t> All{0}, Refused{0};

int64_t earnedNs() {
  uint64_t passed = monotonicNs() - clockStartNs();
  return int64_t(double(passed) * options::options().budget / 100);
}
} // namespace

bool Governor::take(uint64_t costNs) {
  // A budget of nothing means nothing, the stock included.
  bool any = options::options().budget != 0;
  if (!any || Spent.load(std::memory_order_relaxed) + int64_t(costNs) > earnedNs() + StockNs) {
    Refused.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  Spent.fetch_add(int64_t(costNs), std::memory_order_relaxed);
  All.fetch_add(costNs, std::memory_order_relaxed);
  return true;
}

void Governor::correct(int64_t differenceNs) {
  Spent.fetch_add(differenceNs, std::memory_order_relaxed);
  All.fetch_add(uint64_t(differenceNs), std::memory_order_relaxed);
}

uint64_t Governor::spentNs() const { return All.load(std::memory_order_relaxed); }
uint64_t Governor::refusals() const { return Refused.load(std::memory_order_relaxed); }

Governor &governor() {
  static Governor *instance = new Governor;
  return *instance;
}

} // namespace gpuinstr::core
