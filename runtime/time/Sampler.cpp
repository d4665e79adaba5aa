// Decides which device operations are timed, and puts the events around them.
// SPDX-License-Identifier: Apache-2.0
#include "time/Sampler.h"
#include "core/Clock.h"
#include "core/Driver.h"
#include "core/Governor.h"
#include "core/Guard.h"
#include "core/Observer.h"
#include "options/Options.h"
#include "time/Kinds.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::timing {

using core::ThreadState;

uint64_t TimedOperations = 0;

namespace {

/// Share of the budget that one site may take; several sites are hot at once.
constexpr double SiteShare = 0.25;
/// Turns of a site at which every operation is timed, whatever it costs.
constexpr uint64_t DenseTurns = 16;
constexpr unsigned PollsPerSample = 2;
/// What timing one operation costs until it was measured: host and device.
constexpr uint64_t FirstCostNs = 3000;

std::atomic<uint64_t> CostNs{FirstCostNs}, NoPair{0}, Refused{0}, Dependent{0};

double nsOf(uint64_t ticks) {
  static const double ns = core::nsPerTick(); // good to a few parts in 10^4 is enough for costs
  return double(ticks) * ns;
}

/// xorshift: the stride must not follow the program's own period, nothing more.
uint32_t nextRandom(ThreadState &thread) {
  uint32_t x = thread.random ? thread.random : uint32_t(reinterpret_cast<uintptr_t>(&thread) >> 4);
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return thread.random = x ? x : 1;
}

void setStride(ThreadState &thread, core::SiteCounters &counters, unsigned level) {
  uint32_t mean = 1u << level;
  // Uniform from 1 to 2 * mean - 1.
  uint32_t stride = level ? 1 + nextRandom(thread) % (2 * mean - 1) : 1;
  counters.stride = stride;
  counters.countdown = stride;
  counters.level = uint8_t(level);
}

/// Accounts for the operations since the last turn and plans the next one. How this one counts.
unsigned takeTurn(ThreadState &thread, core::SiteCounters &counters, uint64_t now) {
  unsigned level = counters.level;
  uint64_t covered = std::max<uint32_t>(1, counters.stride);
  uint64_t due = noteMade(thread.root.site, level, covered);
  double period = counters.turnTicks ? nsOf(now - counters.turnTicks) / double(covered) : 0;
  counters.turnTicks = now;
  double share = options::options().budget / 100.0 * SiteShare;
  setStride(thread, counters,
            levelFor(due, period, double(CostNs.load(std::memory_order_relaxed)), share));
  return level;
}

/// Nothing could be timed: asks less often.
void backOff(ThreadState &thread, core::SiteCounters &counters) {
  setStride(thread, counters, std::min<unsigned>(counters.level + 2u, Levels - 8));
}

struct Target {
  uint64_t stream = 0;
  LaunchRequest launch;
  bool isLaunch = false;
};

bool targetOf(const core::Operation &o, Target &target) {
  target.isLaunch = o.op == GPUINSTR_OP_LAUNCH;
  target.stream = o.stream;
  if (!target.isLaunch)
    return true;
  if (!readLaunch(o, target.launch))
    return false;
  target.stream = target.launch.stream;
  if (target.launch.dependent)
    Dependent.fetch_add(1, std::memory_order_relaxed);
  return !target.launch.dependent;
}

void begin(ThreadState &thread, const gpuinstr_frame &frame, const TimeApi &api, unsigned level) {
  core::SiteCounters &counters = *thread.root.counters;
  core::Operation operation = core::decode(frame);
  Target target;
  if (!targetOf(operation, target))
    return;
  RelaxedCapture relaxed(api);
  if (isCapturing(api, target.stream)) {
    noteCaptured(thread.root.site, level);
    return;
  }
  if (!core::governor().take(CostNs.load(std::memory_order_relaxed))) {
    Refused.fetch_add(1, std::memory_order_relaxed);
    return backOff(thread, counters);
  }
  Pair *pair = takePair(api);
  if (!pair) {
    NoPair.fetch_add(1, std::memory_order_relaxed);
    pollPairs(api, PollsPerSample);
    return backOff(thread, counters);
  }
  if (api.eventRecord(pair->start, asHandle(target.stream)) != Success)
    return giveBack(pair);
  thread.timed = {&frame, pair, target.stream, 0, level};
  thread.timed.startTicks = core::ticks();
}

uint32_t describedRow(const TimeApi &api, core::SiteIndex site, const gpuinstr_frame &frame,
                      const core::Operation &operation, RowKey &key) {
  LaunchRequest request;
  bool launch = operation.op == GPUINSTR_OP_LAUNCH, isNew = false;
  if (launch) {
    readLaunch(operation, request);
    key.function = request.function;
  } else {
    key = rowKeyOf(api, operation);
  }
  uint32_t row = rowOf(site, key, isNew);
  if (isNew && launch) {
    bool driver = frame.site->flags & GPUINSTR_SITE_DRIVER;
    std::string name = core::kernelName(asHandle(request.function));
    if (name.empty())
      name = core::driverKernelName(request.function, driver);
    LaunchShape shape = shapeOf(api, request, driver);
    describeRow(site, row, name, &shape);
  }
  return row;
}

void end(ThreadState &thread, const gpuinstr_frame &frame, const TimeApi &api, bool failed,
         uint64_t now) {
  auto *pair = static_cast<Pair *>(thread.timed.pair);
  RelaxedCapture relaxed(api);
  if (failed || thread.paused ||
      api.eventRecord(pair->stop, asHandle(thread.timed.stream)) != Success)
    return giveBack(pair);
  core::Operation operation = core::decode(frame);
  RowKey key;
  Timed timed;
  timed.site = thread.root.site;
  timed.epoch = timesEpoch();
  timed.row = describedRow(api, timed.site, frame, operation, key);
  timed.level = uint8_t(thread.timed.level);
  timed.work = uint8_t(classOf(key));
  timed.startTicks = thread.timed.startTicks;
  timed.callTicks = now - thread.timed.startTicks;
  timed.bytes = operation.bytes;
  submit(pair, timed);
  pollPairs(api, PollsPerSample);
}

} // namespace

void startSampling() {
  if (options::options().gpu_time == options::GpuTimeMode::Off)
    return;
  using core::opBit;
  TimedOperations = opBit(GPUINSTR_OP_LAUNCH) | opBit(GPUINSTR_OP_COPY) |
                    opBit(GPUINSTR_OP_COPY_2D) | opBit(GPUINSTR_OP_COPY_3D) |
                    opBit(GPUINSTR_OP_COPY_SYMBOL) | opBit(GPUINSTR_OP_COPY_ARRAY) |
                    opBit(GPUINSTR_OP_COPY_BATCH) | opBit(GPUINSTR_OP_SET) |
                    opBit(GPUINSTR_OP_SET_2D) | opBit(GPUINSTR_OP_SET_3D) |
                    opBit(GPUINSTR_OP_GRAPH_LAUNCH);
}

unsigned levelFor(uint64_t due, double periodNs, double costNs, double share) {
  if (due < DenseTurns)
    return 0;
  // How many operations may pass so that timing stays below its share of the time between them.
  double wanted = periodNs > 0 && share > 0 ? costNs / (share * periodNs) : 1;
  unsigned forCost = wanted <= 1 ? 0 : unsigned(std::ceil(std::log2(std::min(wanted, 1e9))));
  unsigned forSamples = 63 - unsigned(__builtin_clzll(due / (DenseTurns / 2)));
  return std::min({forCost, forSamples, Levels - 1});
}

void beginTimed(ThreadState &thread, const gpuinstr_frame &frame) {
  uint64_t now = core::ticks();
  core::BusyScope busy(thread);
  if (thread.timed.frame)
    dropTimed(thread);
  core::guarded([&] {
    const TimeApi *api = timeApi();
    core::SiteCounters &counters = *thread.root.counters;
    if (thread.paused || !thread.cudaUp || !api || !api->timesEvents())
      return setStride(thread, counters, 0);
    unsigned level = takeTurn(thread, counters, now);
    begin(thread, frame, *api, level);
  });
  thread.timed.ownTicks = core::ticks() - now;
}

void endTimed(ThreadState &thread, const gpuinstr_frame &frame, bool failed) {
  uint64_t now = core::ticks();
  core::BusyScope busy(thread);
  core::guarded([&] { end(thread, frame, *timeApi(), failed, now); });
  thread.timed.frame = nullptr;
  uint64_t own = core::ticks() - now + thread.timed.ownTicks;
  // The next sample is charged what this one was like; an eighth at a time.
  int64_t cost = int64_t(CostNs.load(std::memory_order_relaxed));
  int64_t difference = std::min<int64_t>(int64_t(nsOf(own)), 50000) - cost;
  core::governor().correct(difference);
  CostNs.store(uint64_t(std::max<int64_t>(200, cost + difference / 8)), std::memory_order_relaxed);
}

void dropTimed(ThreadState &thread) {
  giveBack(static_cast<Pair *>(thread.timed.pair));
  thread.timed.frame = nullptr;
}

void collectTimes() {
  const TimeApi *api = TimedOperations ? timeApi() : nullptr;
  if (!api || !api->timesEvents())
    return;
  RelaxedCapture relaxed(*api);
  drainPairs(*api);
}

std::vector<std::string> timingNotes() {
  std::vector<std::string> notes;
  if (uint64_t n = Dependent.load())
    notes.push_back(std::to_string(n) +
                    " launches with programmatic dependencies were due for timing and left alone");
  return notes;
}

} // namespace gpuinstr::timing
