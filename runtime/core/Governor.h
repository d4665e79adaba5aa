// Keeps the tool's own cost under `budget` per cent of wall time; what it refuses, callers count.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CORE_GOVERNOR_H
#define GPUINSTR_CORE_GOVERNOR_H

#include <cstdint>

namespace gpuinstr::core {

/// A token bucket shared by audits, device timers and trace. Tokens are nanoseconds of cost; they
/// grow by `budget` per cent of the wall time that passed, start-up included, up to a small stock
/// (so that a program's first repeats can be looked at). Lock-free; any thread.
class Governor {
public:
  /// Takes `costNs` when the stock allows it. False: the caller leaves it and counts it as skipped.
  bool take(uint64_t costNs);
  /// Corrects an estimate: positive, it cost more than was taken.
  void correct(int64_t differenceNs);
  /// All that was taken, corrections included.
  uint64_t spentNs() const;
  uint64_t refusals() const;
};

Governor &governor();

} // namespace gpuinstr::core

#endif
