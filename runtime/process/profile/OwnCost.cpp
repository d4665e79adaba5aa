// What the runtime itself cost the program.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/OwnCost.h"
#include "base/Clock.h"
#include "calls/Entry.h"
#include "calls/budget/OwnCosts.h"
#include "calls/threads/Thread.h"
#include "nvtx/Nvtx.h"
#include <algorithm>
#include <memory>

namespace gpuinstr {

namespace {

/// A region: no CUDA call, so that measuring leaves no trace but an unused index.
gpuinstr_site Probe = {sizeof(gpuinstr_site),
                       0,
                       GPUINSTR_OP_REGION,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       0,
                       "",
                       "",
                       "",
                       "",
                       "",
                       "",
                       nullptr};

/// Ticks of one pair, at best: what the program saw had its caches warm as well.
double pairTicks() {
  auto scratch = std::make_unique<ThreadState>();
  scratch->notUp = false;
  ThreadState *own = Self;
  bool nvtx = NvtxActive;
  Self = scratch.get();
  NvtxActive = false;
  syncThread(*scratch);
  gpuinstr_frame frame = {};
  frame.site = &Probe;
  constexpr int Pairs = 32, Rounds = 6;
  uint64_t best = UINT64_MAX;
  for (int round = 0; round < Rounds; ++round) {
    uint64_t start = ticks();
    for (int i = 0; i < Pairs; ++i) {
      enter(&frame);
      leave(&frame, 0);
    }
    best = std::min(best, ticks() - start);
  }
  NvtxActive = nvtx;
  Self = own;
  return double(best) / Pairs;
}

} // namespace

void fillOwnCost(profile::Process &process, uint64_t calls, double nsPerTick) {
  uint64_t wallNs = process.wall_ns;
  if (wallNs == 0)
    return;
  const OwnTicks all = totalOwnTicks();
  double ns = (double(calls) * pairTicks() + double(all.own)) * nsPerTick;
  // Threads that call side by side are held up side by side.
  double life = std::max(double(wallNs), double(all.life) * nsPerTick);
  process.own_cost_percent = std::min(100.0, 100 * ns / life);
  for (unsigned i = 0; i < unsigned(OwnConsumer::Unknown); ++i)
    if (uint64_t part = ownCostNs(OwnConsumer(i), uint64_t(ns)))
      process.own_costs.push_back({OwnConsumer(i), part});
  std::stable_sort(process.own_costs.begin(), process.own_costs.end(),
                   [](auto &a, auto &b) { return a.ns > b.ns; });
}

} // namespace gpuinstr
