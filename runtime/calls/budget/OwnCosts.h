// What the tool's own cost went into.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_BUDGET_OWNCOSTS_H
#define GPUINSTR_CALLS_BUDGET_OWNCOSTS_H

#include "profile/kinds/TimeKinds.h"
#include <cstdint>

namespace gpuinstr {

using profile::OwnConsumer;

/// Adds what a piece of work took of the program's threads, ns. Any thread, lock-free.
void noteOwnCost(OwnConsumer consumer, uint64_t ns);
/// Adds what a thread of our own took, which none of the program's waited for, ns.
void noteCostBeside(OwnConsumer consumer, uint64_t ns);
/// The sum so far of both; of Bookkeeping, what remains of `allNs` when the others are taken off.
uint64_t ownCostNs(OwnConsumer consumer, uint64_t allNs);
/// In a forked child: the parent's are not ours.
void forgetOwnCosts();

/// Times a scope and notes it.
class OwnCostScope {
public:
  explicit OwnCostScope(OwnConsumer consumer);
  OwnCostScope(const OwnCostScope &) = delete;
  ~OwnCostScope();

private:
  OwnConsumer Consumer;
  uint64_t StartNs;
};

} // namespace gpuinstr

#endif
