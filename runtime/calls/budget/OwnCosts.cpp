// What the tool's own cost went into.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/OwnCosts.h"
#include "base/Clock.h"
#include <atomic>

namespace gpuinstr {

namespace {
constexpr unsigned Consumers = unsigned(OwnConsumer::Unknown);
std::atomic<uint64_t> Spent[Consumers];
std::atomic<uint64_t> Beside[Consumers];
} // namespace

void noteOwnCost(OwnConsumer consumer, uint64_t ns) {
  Spent[unsigned(consumer)].fetch_add(ns, std::memory_order_relaxed);
}

void noteCostBeside(OwnConsumer consumer, uint64_t ns) {
  Beside[unsigned(consumer)].fetch_add(ns, std::memory_order_relaxed);
}

uint64_t ownCostNs(OwnConsumer consumer, uint64_t allNs) {
  if (consumer != OwnConsumer::Bookkeeping)
    return Spent[unsigned(consumer)].load(std::memory_order_relaxed) +
           Beside[unsigned(consumer)].load(std::memory_order_relaxed);
  uint64_t others = 0;
  for (std::atomic<uint64_t> &spent : Spent)
    others += spent.load(std::memory_order_relaxed);
  return allNs > others ? allNs - others : 0;
}

void forgetOwnCosts() {
  for (std::atomic<uint64_t> &spent : Spent)
    spent.store(0);
  for (std::atomic<uint64_t> &beside : Beside)
    beside.store(0);
}

OwnCostScope::OwnCostScope(OwnConsumer consumer) : Consumer(consumer), StartNs(monotonicNs()) {}

OwnCostScope::~OwnCostScope() { noteOwnCost(Consumer, monotonicNs() - StartNs); }

} // namespace gpuinstr
