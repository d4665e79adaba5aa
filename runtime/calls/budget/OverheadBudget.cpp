// Keeps the tool's own cost under `budget` per cent of wall time.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/OverheadBudget.h"
#include "base/Clock.h"
#include "base/Part.h"
#include "base/ProcessState.h"
#include "calls/budget/OwnCosts.h"
#include "calls/budget/OwnStart.h"
#include "options/Options.h"
#include <algorithm>

namespace gpuinstr {

void OverheadBudget::restart(unsigned percent, uint64_t startNs, unsigned parts) {
  Percent = percent;
  Hundred = 100 * parts;
  Start = startNs;
  int64_t given = std::min<int64_t>(FirstStockNs, int64_t(FirstStockNsPerCent) * percent);
  int64_t first = percent ? given * Hundred / percent : 0;
  UnspentSince.store(int64_t(startNs) - first);
  FirstLooks.store(percent ? FirstLooksNs : 0);
  FirstSamples.store(percent ? FirstSamplesNs : 0);
  Spent.store(0);
  LastCharge.store(startNs);
  Refusals.store(0);
}

uint64_t OverheadBudget::earningNs(uint64_t nowNs) const {
  const uint64_t whole = Start + WholeNs;
  return nowNs <= whole || Percent >= 100 ? nowNs : whole + (nowNs - whole) / 2;
}

bool OverheadBudget::takeAt(uint64_t costNs, uint64_t nowNs, uint64_t aheadNs) {
  if (Percent == 0 || costNs > MaxStockNs) {
    Refusals.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  // In units of wall time: what the cost takes to be earned, and how much can be saved up.
  int64_t needed = int64_t(costNs) * Hundred / Percent;
  int64_t most = int64_t(MaxStockNs) * Hundred / Percent;
  int64_t ahead = int64_t(aheadNs) * Hundred / Percent;
  const int64_t earning = int64_t(earningNs(nowNs));
  int64_t since = UnspentSince.load(std::memory_order_relaxed), from;
  do {
    from = std::max(since, earning - most);
    if (earning - from + ahead < needed) {
      Refusals.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  } while (!UnspentSince.compare_exchange_weak(since, from + needed, std::memory_order_relaxed));
  Spent.fetch_add(int64_t(costNs), std::memory_order_relaxed);
  return true;
}

bool OverheadBudget::take(uint64_t costNs) { return takeAt(costNs, monotonicNs()); }

bool OverheadBudget::takeAhead(uint64_t costNs) { return takeAt(costNs, monotonicNs(), AheadNs); }

bool OverheadBudget::takeFirst(uint64_t costNs) { return takeFrom(FirstLooks, costNs); }

bool OverheadBudget::takeFirstSample(uint64_t costNs) { return takeFrom(FirstSamples, costNs); }

bool OverheadBudget::takeFrom(std::atomic<int64_t> &purse, uint64_t costNs) {
  if (take(costNs))
    return true;
  int64_t cost = int64_t(costNs);
  if (costNs > MaxStockNs || purse.load(std::memory_order_relaxed) < cost)
    return false;
  purse.fetch_sub(cost, std::memory_order_relaxed);
  Spent.fetch_add(cost, std::memory_order_relaxed);
  return true;
}

void OverheadBudget::correct(int64_t differenceNs) {
  if (Percent == 0)
    return;
  // A wild figure must not switch the tool off for the rest of a long run, nor open the purse.
  int64_t bound = int64_t(MaxStockNs);
  differenceNs = std::min(std::max(differenceNs, -bound), bound);
  UnspentSince.fetch_add(differenceNs * Hundred / Percent, std::memory_order_relaxed);
  Spent.fetch_add(differenceNs, std::memory_order_relaxed);
}

void OverheadBudget::charge(uint64_t costNs) { chargeAt(costNs, monotonicNs()); }

void OverheadBudget::chargeAt(uint64_t costNs, uint64_t nowNs) {
  uint64_t last = LastCharge.load(std::memory_order_relaxed);
  while (nowNs > last && !LastCharge.compare_exchange_weak(last, nowNs, std::memory_order_relaxed))
    ;
  uint64_t earned = nowNs > last ? (earningNs(nowNs) - earningNs(last)) * Percent / Hundred : 0;
  correct(int64_t(std::min(costNs, earned * 7 / 8)));
}

uint64_t OverheadBudget::spentNs() const {
  return uint64_t(std::max<int64_t>(0, Spent.load(std::memory_order_relaxed)));
}

OverheadBudget &overheadBudget() {
  // Leaked: used during exit.
  static OverheadBudget *instance = new OverheadBudget(options::options().budget, processStartNs());
  return *instance;
}

namespace {
class OverheadBudgetPart : public Part {
public:
  void childAfterFork() override {
    forgetOwnStart();
    forgetOwnCosts();
    overheadBudget().restart(options::options().budget, processStartNs());
  }
};
} // namespace

Part &overheadBudgetPart() {
  static Part *part = new OverheadBudgetPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
