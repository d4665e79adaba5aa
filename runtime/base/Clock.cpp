// Time stamps for the hot path, and what a tick is worth.
// SPDX-License-Identifier: Apache-2.0
#include "base/Clock.h"
#include <algorithm>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gpuinstr {

namespace {
uint64_t StartTicks, StartNs;

bool hasInvariantTsc() {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
#else
  return false;
#endif
}

struct Point {
  uint64_t ns, ticks;
};

/// The tightest of a few readings: an interrupt between the two clocks would bend the ratio.
Point readBoth() {
  Point best{0, 0};
  uint64_t width = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    uint64_t before = ticks(), ns = monotonicNs(), after = ticks();
    if (after - before < width) {
      width = after - before;
      best = {ns, before + width / 2};
    }
  }
  return best;
}

/// Of two stamps, at best: caches are warm.
uint32_t measureStamps() {
  constexpr unsigned Pairs = 16, Rounds = 8;
  uint64_t best = UINT32_MAX;
  for (unsigned round = 0; round < Rounds; ++round) {
    uint64_t start = ticks();
    for (unsigned i = 0; i < 2 * Pairs - 1; ++i)
      (void)ticks();
    best = std::min(best, (ticks() - start) / Pairs);
  }
  return uint32_t(best);
}
} // namespace

void startClock() {
  HotState.tscInvariant = hasInvariantTsc();
  Point p = readBoth();
  StartTicks = p.ticks;
  StartNs = p.ns;
  HotState.stampTicks = measureStamps();
}

double nsPerTick() {
  if (!HotState.tscInvariant)
    return 1;
  Point now = readBoth();
  while (now.ns - StartNs < 200000)
    now = readBoth();
  return double(now.ns - StartNs) / double(now.ticks - StartTicks);
}

uint64_t clockStartNs() { return StartNs; }
uint64_t clockStartTicks() { return StartTicks; }

} // namespace gpuinstr
