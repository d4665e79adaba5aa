// Keeps the tool's own cost under `budget` per cent of wall time; what it refuses, callers count.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_OVERHEADBUDGET_H
#define GPUINSTR_CALLS_OVERHEADBUDGET_H

#include <atomic>
#include <cstdint>

namespace gpuinstr {

/// A token bucket shared by audits, device timers and trace. Tokens are nanoseconds of cost; they
/// grow by `budget` per cent of the wall time that passed, up to a small stock (so that a program's
/// first repeats can be looked at). The first looks tell most: from WholeNs on, half of the budget
/// is earned, but where all of the time is given. The tool's own start takes from them as well.
/// Lock-free; any thread.
class OverheadBudget {
public:
  static constexpr uint64_t MaxStockNs = 100000000; ///< a dearer piece of work is never done
  /// Given at the start, but no more than so much for each per cent of the budget.
  static constexpr uint64_t FirstStockNs = 5000000, FirstStockNsPerCent = 2500000;
  static constexpr uint64_t AheadNs = 5000000;    ///< the most that takeAhead() leaves to be earned
  static constexpr uint64_t WholeNs = 1000000000; ///< of the run: time that counts as a whole

  /// `startNs` on the clock that takeAt() is given.
  OverheadBudget(unsigned percent, uint64_t startNs) { restart(percent, startNs); }

  /// Takes `costNs` when the stock allows it. False: the caller leaves it and counts it as skipped.
  bool take(uint64_t costNs);
  /// The same at a given time; for tests. `aheadNs`: may be spent before it is earned.
  bool takeAt(uint64_t costNs, uint64_t nowNs, uint64_t aheadNs = 0);
  /// For what would otherwise never be looked at: also from what is earned later.
  bool takeAhead(uint64_t costNs);
  /// For the first looks at a transfer, which short runs need as much as long ones: takes as take()
  /// does, or else from a purse of FirstLooksNs that the process has once, whatever its start cost.
  static constexpr int64_t FirstLooksNs = 16000000;
  bool takeFirst(uint64_t costNs);
  /// The same for the first times of device work at a site, with a purse of its own.
  static constexpr int64_t FirstSamplesNs = 4000000;
  bool takeFirstSample(uint64_t costNs);
  /// Corrects an estimate: positive, it cost more than was taken.
  void correct(int64_t differenceNs);
  /// What the tool's bookkeeping cost since the last time, all threads together. At most seven
  /// eighths of what was earned meanwhile go to it: a little remains to be looked at.
  void charge(uint64_t costNs);
  void chargeAt(uint64_t costNs, uint64_t nowNs);
  /// All that was taken, corrections included.
  uint64_t spentNs() const;
  uint64_t refusals() const { return Refusals.load(std::memory_order_relaxed); }

  /// As new: after fork, and when the option changed before the first use. `parts`: this one has
  /// one part in so many of the budget.
  void restart(unsigned percent, uint64_t startNs, unsigned parts = 1);

private:
  bool takeFrom(std::atomic<int64_t> &purse, uint64_t costNs);
  /// Time that has earned tokens up to then, from Start on.
  uint64_t earningNs(uint64_t nowNs) const;

  uint64_t Start = 0;
  /// The one word of state: the moment of earningNs() from which on time counts as unspent tokens.
  /// Taking moves it forward, and it never lies further back than the stock reaches.
  std::atomic<int64_t> UnspentSince{0};
  std::atomic<int64_t> FirstLooks{FirstLooksNs},
      FirstSamples{FirstSamplesNs}; ///< left of the purses
  std::atomic<int64_t> Spent{0};
  std::atomic<uint64_t> LastCharge{0};
  std::atomic<uint64_t> Refusals{0};
  unsigned Percent = 0, Hundred = 100; ///< cost may be Percent / Hundred of wall time
};

/// Of the process, with option `budget`; time counts from the process's start.
OverheadBudget &overheadBudget();

class Part;
Part &overheadBudgetPart();

} // namespace gpuinstr

#endif
