// How long launches took on the host: put into their counters many at once, and timed in blocks.
// SPDX-License-Identifier: Apache-2.0
#include "calls/budget/WatchWindows.h"
#include "calls/threads/RepeatedCalls.h"
#include "options/Options.h"
#include <algorithm>

namespace gpuinstr {

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

/// Whether looks at frequent calls take too much of a thread's time, of which the first calls are
/// all looked at. What comes behind is measured over windows.
/// The stamps may take an eighth of the budget: of the time between calls, or of a call's own.
static double shareOfStamps() { return options::options().budget / 800.0; }

static void planWindows(ThreadState &thread, double period) {
  const LookCosts &costs = thread.lookCosts;
  constexpr uint64_t First = 16384;
  constexpr double Worthwhile = 1 / 800.0; // of the time, for each per cent of the budget
  if (costs.looks >= First &&
      double(costs.lookTicks) / period > options::options().budget * Worthwhile)
    wantWindows(thread);
}

void noteLook(ThreadState &thread, uint64_t now) {
  LookCosts &costs = thread.lookCosts;
  constexpr uint64_t Most = 20000; // ticks: the thread was not running
  constexpr uint32_t Between = 64;
  // What comes behind the stamp, and what it drives out of the caches, is as much again.
  const uint64_t took = std::min(2 * (now - costs.askedAt), Most);
  const uint64_t before = costs.lookTicks, known = before ? before : took;
  costs.lookTicks = uint32_t(std::max<uint64_t>(1, (7 * known + took) / 8));
  costs.askedAt = 0;
  costs.untilMeasured = 1 + nextRandom(thread) % (2 * Between);
}

void flushAndPlan(ThreadState &thread, uint64_t now) {
  constexpr uint32_t MostStride = 16;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < thread.numDurations; ++i)
    calls += thread.durations[i].weight;
  flushDurations(thread);
  uint64_t elapsed = now - thread.flushTicks;
  const uint32_t epoch = WatchEpoch.load(std::memory_order_relaxed);
  // Of a time in which calls went unseen nobody knows how many there were.
  const bool isKnown = thread.flushTicks && epoch == thread.flushEpoch && !(epoch & 1);
  thread.flushEpoch = epoch;
  if (isKnown && calls) {
    double share = shareOfStamps(), period = double(elapsed) / double(calls);
    uint32_t stride = 1;
    while (stride < MostStride && HotState.stampTicks > share * period * stride)
      stride *= 2;
    thread.stride = stride;
    planWindows(thread, period);
  }
  thread.flushTicks = now;
}

void endBlock(ThreadState &thread, SiteAttribution &attribution, uint64_t now) {
  // Those of this block stand for the ones left out before it: together they took no longer than it
  // is since the last block. One stall of the host is not one of all of them.
  uint64_t stoodFor = attribution.weight * attribution.blockTicks,
           passed = now - attribution.blockEnd;
  if (attribution.weight > 1 && stoodFor > passed)
    attribution.counters->host.takeOff(stoodFor - passed);
  const gpuinstr_site &site = *attribution.site;
  const bool isShort =
      double(attribution.blockTicks) * shareOfStamps() < double(TimedBlock) * HotState.stampTicks;
  const bool few = timesFew(site) || (timesFewShort(site) && isShort);
  attribution.blockTicks = 0;
  attribution.blockEnd = now;
  attribution.counters->calls += attribution.untimed;
  attribution.untimed = 0;
  attribution.left = TimedBlock;
  const uint32_t blocks = few ? nextRandom(thread) % (2 * thread.stride - 1) : 0;
  attribution.skip = uint16_t(blocks * TimedBlock); // stride - 1 blocks in the mean
  attribution.weight = uint16_t(1 + blocks);
}

bool goesLongWay(RepeatedCall &call, uint64_t bytes) {
  constexpr uint8_t InRow = 16;
  LookMemo &looked = call.looked;
  if (!looked.movesBytes)
    return false;
  if (++looked.larger < InRow)
    return true;
  looked.noteUsualBytes(bytes);
  looked.larger = 0;
  looked.usualTicks = 0;
  call.attribution.skip = 0; // this one is timed, and those behind it
  call.attribution.weight = 1;
  return false;
}

} // namespace gpuinstr
