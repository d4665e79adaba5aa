// Barriers and warp operations: who waits, who comes last, what each gets.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"

#include <cstdio>

namespace gpuinstr::sim {

namespace {

/// Warp operations before other warps get a turn: some loops wait by them.
constexpr uint32_t OperationsBetweenTurns = 1024;

uint32_t lowest(uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); }

template <typename F> void eachLane(uint32_t lanes, F &&body) {
  for (; lanes; lanes &= lanes - 1)
    body(lowest(lanes));
}

/// Lane that shfl reads from, by PTX's rule; \p inRange is PTX's predicate.
uint32_t shuffleSource(uint32_t kind, uint32_t lane, const SimThread &t, bool &inRange) {
  uint32_t b = t.operand & 31, c = t.clamp & 31, segment = (t.clamp >> 8) & 31;
  uint32_t max = (lane & segment) | (c & ~segment), min = lane & segment, from = 0;
  switch (kind) {
  case GPUINSTR_SIM_UP:
    from = lane - b;
    inRange = static_cast<int32_t>(from) >= static_cast<int32_t>(max);
    break;
  case GPUINSTR_SIM_DOWN:
    from = lane + b;
    inRange = from <= max;
    break;
  case GPUINSTR_SIM_BFLY:
    from = lane ^ b;
    inRange = from <= max;
    break;
  default:
    from = min | (b & ~segment);
    inRange = from <= max;
  }
  return inRange ? from : lane;
}

uint32_t voteResult(uint32_t kind, uint32_t lanes, uint32_t ayes) {
  switch (kind) {
  case GPUINSTR_SIM_ALL:
    return ayes == lanes;
  case GPUINSTR_SIM_ANY:
    return ayes != 0;
  case GPUINSTR_SIM_UNI:
    return ayes == lanes || !ayes;
  default:
    return ayes;
  }
}

uint32_t combine(uint32_t kind, uint32_t a, uint32_t b) {
  switch (kind) {
  case GPUINSTR_SIM_ADD:
    return a + b;
  case GPUINSTR_SIM_MIN:
    return static_cast<int32_t>(a) < static_cast<int32_t>(b) ? a : b;
  case GPUINSTR_SIM_MAX:
    return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b;
  case GPUINSTR_SIM_UMIN:
    return a < b ? a : b;
  case GPUINSTR_SIM_UMAX:
    return a > b ? a : b;
  case GPUINSTR_SIM_AND:
    return a & b;
  case GPUINSTR_SIM_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

/// Computes what each lane of \p g gets. \p lane gives the thread of a lane.
template <typename F> void finishGroup(const WarpGroup &g, F &&lane) {
  uint32_t all = g.arrived;
  auto each = [&](auto &&body) { eachLane(all, [&](uint32_t l) { body(l, lane(l)); }); };
  switch (g.op) {
  case WarpOp::Sync:
    break;
  case WarpOp::Shuffle:
    each([&](uint32_t l, SimThread &t) {
      bool inRange = false;
      uint32_t from = shuffleSource(g.kind, l, t, inRange);
      t.second = inRange;
      t.result = all >> from & 1 ? lane(from).value : t.value;
    });
    break;
  case WarpOp::Vote: {
    uint32_t ayes = 0;
    each([&](uint32_t l, SimThread &t) { ayes |= t.value ? 1u << l : 0; });
    uint32_t result = voteResult(g.kind, all, ayes);
    each([&](uint32_t, SimThread &t) { t.result = result; });
    break;
  }
  case WarpOp::MatchAny:
    each([&](uint32_t, SimThread &t) {
      t.result = 0;
      each([&](uint32_t l, SimThread &other) { t.result |= other.wide == t.wide ? 1u << l : 0; });
    });
    break;
  case WarpOp::MatchAll: {
    bool same = true;
    uint64_t first = lane(lowest(all)).wide;
    each([&](uint32_t, SimThread &t) { same &= t.wide == first; });
    each([&](uint32_t, SimThread &t) {
      t.result = same ? g.mask : 0;
      t.second = same;
    });
    break;
  }
  case WarpOp::Reduce: {
    uint32_t first = lowest(all), sum = lane(first).value;
    eachLane(all & ~(1u << first), [&](uint32_t l) { sum = combine(g.kind, sum, lane(l).value); });
    each([&](uint32_t, SimThread &t) { t.result = sum; });
  }
  }
}

} // namespace

void BlockRun::complete(SimWarp &w, uint32_t warp, uint32_t group) {
  WarpGroup g = w.groups[group];
  w.groups[group] = w.groups[--w.groupCount];
  SimThread *base = &Threads[warp * 32];
  finishGroup(g, [=](uint32_t lane) -> SimThread & { return base[lane]; });
  eachLane(g.arrived, [=](uint32_t lane) { base[lane].waitsFor = Waiting::Nothing; });
  wake(warp, g.arrived);
  Progress = true;
}

void BlockRun::resumeFirstGroup(SimThread &t, uint32_t firstLinear) {
  if (firstLinear != t.linear)
    jump(&t.context, &Threads[firstLinear]);
}

void BlockRun::warpOperation(SimThread &t, WarpOp op, uint32_t kind, uint32_t mask) {
  SimWarp &w = Warps[t.warp()];
  if (!(mask & t.bit())) {
    char text[96];
    std::snprintf(text, sizeof(text),
                  ": the mask 0x%08x of a warp operation lacks the calling lane", mask);
    fail(CUDA_ERROR_ILLEGAL_INSTRUCTION, whereIs(t.linear) + text);
  }
  uint32_t i = 0;
  while (i < w.groupCount &&
         (w.groups[i].mask != mask || w.groups[i].op != op || w.groups[i].kind != kind))
    ++i;
  if (i == w.groupCount)
    w.groups[w.groupCount++] = {op, static_cast<uint8_t>(kind), mask, 0};
  WarpGroup &g = w.groups[i];
  g.arrived |= t.bit();
  if (mask & w.live & ~g.arrived) {
    t.waitsFor = Waiting::WarpOp;
    t.mask = mask;
    wait(t);
    return;
  }
  uint32_t first = lowest(g.arrived);
  complete(w, t.warp(), i);
  if (InSteps)
    return;
  if (++OperationsDone % OperationsBetweenTurns == 0)
    yield(t);
  else
    resumeFirstGroup(t, t.warp() * 32 + first);
}

uint32_t BlockRun::activeMask(SimThread &t, uint32_t site) {
  SimWarp &w = Warps[t.warp()];
  t.waitsFor = Waiting::ActiveMask;
  t.operand = site;
  w.active |= t.bit();
  w.activeYields = 0;
  wait(t);
  return t.result;
}

/// All other lanes wait or have ended: those at the same place as the first one continue together.
uint32_t BlockRun::releaseActive(uint32_t warp) {
  SimWarp &w = Warps[warp];
  SimThread *base = &Threads[warp * 32];
  uint32_t site = base[lowest(w.active)].operand, lanes = 0;
  eachLane(w.active, [&](uint32_t lane) { lanes |= base[lane].operand == site ? 1u << lane : 0; });
  eachLane(lanes, [&](uint32_t lane) {
    base[lane].result = lanes;
    base[lane].waitsFor = Waiting::Nothing;
  });
  w.active &= ~lanes;
  wake(warp, lanes);
  Progress = true;
  return lanes;
}

void BlockRun::barrier(SimThread &t, uint32_t id, uint32_t count, uint32_t kind, bool predicate,
                       bool wait) {
  SimBarrier &b = Barriers[id & 15];
  BarriersInUse |= 1u << (id & 15);
  b.count = count;
  b.kind = kind;
  ++b.arrived;
  ++(predicate ? b.ayes : b.noes);
  if (wait) {
    b.waiting[t.warp()] |= t.bit();
    t.waitsFor = Waiting::Barrier;
    t.operand = id & 15;
  }
  if (b.arrived < (count ? count : LiveThreads)) {
    if (wait)
      this->wait(t);
    return;
  }
  uint32_t first = 0;
  while (first < WarpCount && !b.waiting[first])
    ++first;
  if (first < WarpCount)
    first = first * 32 + lowest(b.waiting[first]);
  releaseBarrier(b);
  if (wait)
    resumeFirstGroup(t, first);
}

void BlockRun::releaseBarrier(SimBarrier &b) {
  uint32_t result = b.kind == GPUINSTR_SIM_ALL   ? !b.noes
                    : b.kind == GPUINSTR_SIM_ANY ? b.ayes != 0
                                                 : b.ayes;
  for (uint32_t w = 0; w < WarpCount; ++w) {
    eachLane(b.waiting[w], [&](uint32_t lane) {
      Threads[w * 32 + lane].result = result;
      Threads[w * 32 + lane].waitsFor = Waiting::Nothing;
    });
    wake(w, b.waiting[w]);
  }
  b = SimBarrier();
  BarriersInUse &= ~(1u << (&b - Barriers));
  Progress = true;
}

/// A thread of \p warp has ended: completes the operations that waited only for it.
void BlockRun::recheck(uint32_t warp) {
  SimWarp &w = Warps[warp];
  for (uint32_t i = 0; i < w.groupCount;)
    if (w.groups[i].mask & w.live & ~w.groups[i].arrived)
      ++i;
    else
      complete(w, warp, i);
  for (uint32_t used = BarriersInUse; used; used &= used - 1) {
    SimBarrier &b = Barriers[lowest(used)];
    if (!b.count && b.arrived && b.arrived >= LiveThreads)
      releaseBarrier(b);
  }
}

void BlockRun::describeDeadlock() {
  std::string text = "threads of a block wait for each other for ever:";
  uint32_t named = 0;
  std::string last;
  for (uint32_t i = 0; i < grid.threads && named < 3; ++i) {
    const SimThread &t = Threads[i];
    std::string where;
    char mask[16];
    std::snprintf(mask, sizeof(mask), "0x%08x", t.mask);
    if (InSteps && frame(i).turn == StepState.turn + 1)
      where = "at barrier 0";
    else if (t.waitsFor == Waiting::Barrier)
      where = "at barrier " + std::to_string(t.operand);
    else if (t.waitsFor == Waiting::WarpOp)
      where = std::string("in a warp operation with mask ") + mask;
    if (where.empty() || where == last)
      continue;
    text += (named++ ? "; " : " ") + whereIs(i) + " " + where;
    last = where;
  }
  grid.fail(CUDA_ERROR_LAUNCH_TIMEOUT, text);
}

} // namespace gpuinstr::sim
