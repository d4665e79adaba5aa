// How long launches took on the host: put into their counters many at once, and timed in blocks.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Thread.h"
#include "options/Options.h"

namespace gpuinstr {

namespace {
std::atomic<uint32_t> RarestStride{1};
} // namespace

void flushDurations(ThreadState &thread) {
  uint32_t number = thread.numDurations;
  for (uint32_t i = 0; i < number; ++i) {
    const Duration &d = thread.durations[i];
    SiteCounters &counters = *d.counters;
    counters.calls += 1;
    counters.host.add(d.ticks, d.weight);
  }
  thread.numDurations = 0;
}

void flushAndPlan(ThreadState &thread, uint64_t now) {
  constexpr uint32_t MostStride = 16;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < thread.numDurations; ++i)
    calls += thread.durations[i].weight;
  flushDurations(thread);
  uint64_t elapsed = now - thread.flushTicks;
  if (thread.flushTicks && calls) {
    // The stamps may take an eighth of the budget.
    double share = options::options().budget / 800.0, period = double(elapsed) / double(calls);
    uint32_t stride = 1;
    while (stride < MostStride && HotState.stampTicks > share * period * stride)
      stride *= 2;
    thread.stride = stride;
    if (stride > RarestStride.load(std::memory_order_relaxed))
      RarestStride.store(stride, std::memory_order_relaxed);
  }
  thread.flushTicks = now;
}

/// Others may be asked when they began.
static bool needsNoStamp(const gpuinstr_site &site) {
  const bool changesNode =
      site.op == GPUINSTR_OP_GRAPH_NODE && !(site.slots >> GPUINSTR_SLOT_SRC & 1);
  return site.op == GPUINSTR_OP_LAUNCH || changesNode;
}

void endBlock(ThreadState &thread, SiteAttribution &attribution, uint64_t now) {
  // Those of this block stand for the ones left out before it: together they took no longer than it
  // is since the last block. One stall of the host is not one of all of them.
  uint64_t stoodFor = attribution.weight * attribution.blockTicks,
           passed = now - attribution.blockEnd;
  if (attribution.weight > 1 && stoodFor > passed)
    attribution.counters->host.takeOff(stoodFor - passed);
  attribution.blockTicks = 0;
  attribution.blockEnd = now;
  attribution.counters->calls += attribution.untimed;
  attribution.untimed = 0;
  attribution.left = TimedBlock;
  const uint32_t blocks =
      needsNoStamp(*attribution.site) ? nextRandom(thread) % (2 * thread.stride - 1) : 0;
  attribution.skip = uint16_t(blocks * TimedBlock); // stride - 1 blocks in the mean
  attribution.weight = uint16_t(1 + blocks);
}

uint32_t rarestStride() { return RarestStride.load(); }

} // namespace gpuinstr
