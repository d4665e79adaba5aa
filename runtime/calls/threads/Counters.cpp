// What each thread counts at each site.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Counters.h"
#include <new>

namespace gpuinstr {

void SiteCounters::clear() {
  for (Relaxed<uint64_t> *word : {&calls, &failed, &bytes, &lastKernel})
    *word = 0;
  countdown = 0;
  stride = 0;
  level = 0;
  turnTicks = 0;
  caller = 0;
  manyCallers = false;
  takesFirst = false;
  guessed = false;
  host.reset();
}

void SiteCounters::merge(const SiteCounters &other) {
  if (other.calls == 0)
    return;
  if (calls == 0)
    caller = SiteIndex(other.caller);
  else if (caller != other.caller)
    manyCallers = true;
  if (other.manyCallers)
    manyCallers = true;
  if (other.guessed)
    guessed = true;
  calls += other.calls;
  failed += other.failed;
  bytes += other.bytes;
  // A sum has no countdown of its own: the operations that no turn has covered yet add up.
  stride = uint32_t(sinceTurn() + other.sinceTurn());
  countdown = 0;
  host.merge(other.host);
}

CounterTable::~CounterTable() {
  for (std::atomic<Block *> &slot : Blocks) {
    Block *block = slot.load(std::memory_order_relaxed);
    if (!block)
      continue;
    for (std::atomic<SiteCounters *> &counters : block->counters)
      delete counters.load(std::memory_order_relaxed);
    delete block;
  }
}

SiteCounters *CounterTable::make(SiteIndex index) {
  if (index >= BlockSize * MaxBlocks)
    return nullptr;
  std::atomic<Block *> &slot = Blocks[index / BlockSize];
  Block *block = slot.load(std::memory_order_relaxed);
  if (!block) {
    block = new (std::nothrow) Block();
    if (!block)
      return nullptr;
    slot.store(block, std::memory_order_release);
  }
  std::atomic<SiteCounters *> &place = block->counters[index % BlockSize];
  SiteCounters *counters = place.load(std::memory_order_relaxed);
  if (!counters) {
    counters = new (std::nothrow) SiteCounters();
    if (counters)
      counters->index = index;
    place.store(counters, std::memory_order_release);
  }
  return counters;
}

} // namespace gpuinstr
