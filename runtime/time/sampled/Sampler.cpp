// Decides which device operations are timed, and puts the events around them.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/Sampler.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "calls/threads/DecodedOperands.h"
#include "cuda/CaptureTracker.h"
#include "cuda/DependentStreams.h"
#include "cuda/Driver.h"
#include "options/Options.h"
#include "time/sampled/OperationKind.h"
#include "time/sampled/TimedStreams.h"
#include "time/sampled/pairs/EventPairs.h"
#include "time/sampled/pairs/Filler.h"
#include "trace/Describe.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace gpuinstr::timing {

namespace {

/// Share of the budget that one site may take, for several sites are hot at once; and all of them.
constexpr double SiteShare = 0.1, SitesShare = 0.5;
/// A site's first samples may overdraw the budget. Otherwise kernels that appear after others have
/// spent it would be in no table.
constexpr uint64_t TurnsAhead = 4;
/// Of a site's first operations so many are all timed. Later as many samples are taken at each
/// stride before it may double.
constexpr uint64_t DenseTurns = 16, LeastDenseTurns = 4, DenseTurnsOfAll = 512;
/// With so many samples a row of operations that differ by a third of their time is known to 12 %.
constexpr uint64_t FirstTurns = 32;
/// Of its share, for a site that has little of the time.
constexpr double SmallShare = 0.5;
/// What the events cost beside the host's time: they keep the device from running one operation
/// into the next. 50 ns a launch were lost at one event pair in 256 launches of an H200.
constexpr uint64_t DeviceCostNs = 8000;
constexpr unsigned PollsPerSample = 2;
/// The rarest that a site is looked at because nothing could be timed: one operation in 4096, and
/// no rarer than what the budget takes to earn a few samples.
constexpr unsigned MostBackOff = 12;
constexpr double BackOffNs = 4e6;
/// The host's time for timing one operation until it was measured.
constexpr uint64_t FirstCostNs = 3000;

std::atomic<uint64_t> CostNs{FirstCostNs}, NoPair{0}, Refused{0}, Dependent{0};

double nsOf(uint64_t ticks) {
  static const double ns = nsPerTick(); // good to a few parts in 10^4 is enough for costs
  return double(ticks) * ns;
}

void setStride(ThreadState &thread, SiteCounters &counters, unsigned level) {
  uint32_t mean = 1u << level;
  // Uniform from 1 to 2 * mean - 1.
  uint32_t stride = level ? 1 + nextRandom(thread) % (2 * mean - 1) : 1;
  counters.stride = stride;
  counters.countdown = stride;
  counters.level = uint8_t(level);
}

cuda::DependentStreams Dependents;

uint64_t costNs() { return CostNs.load(std::memory_order_relaxed) + DeviceCostNs; }

/// One operation that is due: how it counts, and how new its site is.
struct Turn {
  unsigned level;
  bool early; ///< may overdraw the budget
  bool first; ///< may take from the purse of first samples
  double periodNs;
};

/// Accounts for the operations since the last turn and plans the next one.
Turn takeTurn(ThreadState &thread, SiteCounters &counters, uint64_t now) {
  unsigned level = counters.level;
  uint64_t covered = std::max<uint32_t>(1, counters.stride);
  const Made made = noteMade(thread.root.site, level, covered);
  double period = counters.turnTicks ? nsOf(now - counters.turnTicks) / double(covered) : 0;
  counters.turnTicks = now;
  const double sites = std::max(1.0, double(sitesMade()) * SiteShare / SitesShare);
  double share = options::options().budget / 100.0 * SiteShare / sites;
  if (made.isSmall)
    share *= SmallShare;
  // Where more would tell little, samples only watch whether the operations change, at one stride.
  const bool suffices = made.isKnown || made.isSmall;
  const uint64_t dense = suffices ? 1 : made.isSettled ? LeastDenseTurns : denseTurns(sitesMade());
  setStride(thread, counters, levelFor(made.due, period, double(costNs()), share, dense));
  return {level, made.due <= TurnsAhead, made.due <= FirstTurns && !suffices, period};
}

/// Nothing could be timed: asks less often.
void backOff(ThreadState &thread, SiteCounters &counters, double periodNs) {
  setStride(thread, counters,
            std::max<unsigned>(counters.level, backOffLevel(counters.level, periodNs)));
}

bool mayTake(OverheadBudget &budget, const Turn &turn) {
  return turn.early   ? budget.takeAhead(costNs()) || budget.takeFirstSample(costNs())
         : turn.first ? budget.takeFirstSample(costNs())
                      : budget.take(costNs());
}

enum class Timing { Time, LeaveAlone, NoWork };

/// Whether an event pair may go around an operation, on which stream, and which kind it is where
/// that had to be asked for.
Timing timingOf(const DriverApi &api, const cuda::CallOperands &o, uint64_t &stream,
                std::optional<OperationKind> &kind) {
  stream = o.stream;
  if (o.op == GPUINSTR_OP_LAUNCH) {
    if (!o.launch.known)
      return Timing::LeaveAlone;
    if (o.launch.dependent)
      Dependents.add(stream);
  }
  if (Dependents.has(stream)) {
    Dependent.fetch_add(1, std::memory_order_relaxed);
    return Timing::LeaveAlone;
  }
  if (o.op == GPUINSTR_OP_LAUNCH)
    return Timing::Time;
  // The legacy default stream waits for all others and they for it: where the operation itself may
  // put nothing into it, neither may we.
  if (stream > 1 || o.op == GPUINSTR_OP_GRAPH_LAUNCH)
    return Timing::Time;
  if (!o.bytes)
    return o.dst.address || o.src.address ? Timing::NoWork : Timing::LeaveAlone;
  kind = kindOf(api, o);
  if (kind->work == DeviceWorkKind::Set)
    return Timing::Time;
  return kind->direction == CopyDirection::Unknown      ? Timing::LeaveAlone
         : kind->direction == CopyDirection::HostToHost ? Timing::NoWork
                                                        : Timing::Time;
}

/// Puts a filler before the first event where the operation runs on the same engine, and the device
/// would wait for the host or change engines. Behind a copy it would do either: one from pageable
/// memory is over before a launch comes.
bool fillBefore(ThreadState &thread, const DriverApi &api, Pair &pair,
                const cuda::CallOperands &operation, uint64_t stream, uint64_t now) {
  pair.isFilled = false;
  if (!pair.filler || !runsOnKernelsEngine(operation))
    return false;
  const bool isIdle = api.streamQuery(asHandle(stream)) == Success;
  pair.isFilled = (isIdle || isRecent(thread.lastCopy, now)) &&
                  Hooks.mayFill(thread, stream, isIdle) &&
                  pair.filler->fill(api, asHandle(stream), pair.number);
  return pair.isFilled;
}

void begin(ThreadState &thread, const gpuinstr_frame &frame, const DriverApi &api, Turn turn,
           uint64_t now) {
  const unsigned level = turn.level;
  SiteCounters &counters = *thread.root.counters;
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  RelaxedCapture relaxed(api);
  uint64_t stream = 0;
  std::optional<OperationKind> kind;
  const Timing timing = timingOf(api, operation, stream, kind);
  if (timing == Timing::NoWork || streamIsCapturing(stream))
    return noteCaptured(thread.root.site, level);
  auto note = [&] { noteTimedStream(thread, currentDevice(), stream); };
  if (timing == Timing::LeaveAlone)
    return note();
  OverheadBudget &budget = overheadBudget();
  if (!mayTake(budget, turn)) {
    Refused.fetch_add(1, std::memory_order_relaxed);
    note();
    return backOff(thread, counters, turn.periodNs);
  }
  Pair *pair = takePair(api, turn.early);
  if (!pair) {
    NoPair.fetch_add(1, std::memory_order_relaxed);
    note();
    pollPairs(api, PollsPerSample);
    return backOff(thread, counters, turn.periodNs);
  }
  pair->kind = kind;
  if (thread.lastCopy.endTicks == LastCopy::NotTimed)
    thread.lastCopy.endTicks = now; // if it was long ago, the sample is a poorer one at worst
  const bool isFilled = fillBefore(thread, api, *pair, operation, stream, now);
  const LastCopy behind = isFilled ? LastCopy() : copyBefore(thread.lastCopy, now);
  uint64_t before = ticks();
  if (int error = api.eventRecord(pair->start, asHandle(stream))) {
    if (error == InvalidHandle) // the stream is another device's
      noteRefused(thread.root.site, level);
    return giveBack(pair);
  }
  thread.timed = {&frame, pair, stream, 0, level, 0, behind};
  thread.timed.startTicks = ticks();
  pair->recordTicks = thread.timed.startTicks - before;
  noteTimedStream(thread, pair->device, stream);
}

uint32_t describedRow(const DriverApi &api, SiteIndex site, const gpuinstr_frame &frame,
                      const cuda::CallOperands &operation, const Pair &pair, OperationKind &key) {
  bool launch = operation.op == GPUINSTR_OP_LAUNCH, isNew = false;
  if (launch) {
    key.function = operation.launch.function;
  } else {
    key = pair.kind ? *pair.kind : kindOf(api, operation);
  }
  uint32_t row = rowOf(site, key, isNew);
  if (isNew && launch) {
    bool driver = frame.site->flags & GPUINSTR_SITE_DRIVER;
    std::string name = kernelName(asHandle(key.function));
    if (name.empty())
      name = driverKernelName(key.function, driver);
    nameRow(site, row, name);
  }
  return row;
}

void end(ThreadState &thread, const gpuinstr_frame &frame, const DriverApi &api, bool failed,
         uint64_t now) {
  auto *pair = static_cast<Pair *>(thread.timed.pair);
  RelaxedCapture relaxed(api);
  if (failed)
    noteFailed(thread.root.site, thread.timed.level);
  if (failed || thread.paused ||
      api.eventRecord(pair->stop, asHandle(thread.timed.stream)) != Success)
    return giveBack(pair);
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  OperationKind key;
  Timed timed;
  timed.site = thread.root.site;
  timed.epoch = timesEpoch();
  timed.row = describedRow(api, timed.site, frame, operation, *pair, key);
  timed.level = uint8_t(thread.timed.level);
  const WorkClass work = classOf(key, operation);
  timed.work = uint8_t(work);
  timed.change = engineChange(key, work, thread.timed.behind);
  timed.startTicks = thread.timed.startTicks;
  timed.callTicks = now - thread.timed.startTicks;
  timed.bytes = operation.bytes;
  timed.hostNs = nsOf(timed.callTicks);
  if (trace::describeCall(thread, frame, timed.trace) && key.work == DeviceWorkKind::Copy) {
    timed.trace.memory.direction = key.direction;
    timed.trace.memory.memory = key.memory;
  }
  submit(pair, timed);
  pollPairs(api, PollsPerSample);
  reviewSite(timed.site);
}

} // namespace

bool startSampling() {
  if (!options::options().budget)
    return false;
  TimedOperations =
      opBit(GPUINSTR_OP_LAUNCH) | opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
      opBit(GPUINSTR_OP_COPY_3D) | opBit(GPUINSTR_OP_COPY_SYMBOL) | opBit(GPUINSTR_OP_COPY_ARRAY) |
      opBit(GPUINSTR_OP_COPY_BATCH) | opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) |
      opBit(GPUINSTR_OP_SET_3D) | opBit(GPUINSTR_OP_GRAPH_LAUNCH);
  return true;
}

void stopSampling() { TimedOperations = 0; }

uint64_t denseTurns(uint64_t sites) {
  return std::clamp(DenseTurnsOfAll / std::max<uint64_t>(1, sites), LeastDenseTurns, DenseTurns);
}

unsigned levelFor(uint64_t due, double periodNs, double costNs, double share, uint64_t dense) {
  if (due < dense)
    return 0;
  // How many operations may pass so that timing stays below its share of the time between them.
  double wanted = periodNs > 0 && share > 0 ? costNs / (share * periodNs) : 1;
  unsigned forCost = wanted <= 1 ? 0 : unsigned(std::ceil(std::log2(std::min(wanted, 1e9))));
  uint64_t forSamples = due / dense;
  return unsigned(std::min<uint64_t>({forCost, forSamples, Levels - 1}));
}

unsigned backOffLevel(unsigned level, double periodNs) {
  double most = periodNs > 0 ? std::log2(std::max(1.0, BackOffNs / periodNs)) : MostBackOff;
  return std::min<unsigned>(level + 2u, unsigned(std::min<double>(most, MostBackOff)));
}

void beginTimed(ThreadState &thread, const gpuinstr_frame &frame) {
  uint64_t now = ticks();
  BusyScope busy(thread);
  if (thread.timed.frame)
    dropTimed(thread);
  guarded([&] {
    const DriverApi *api = driverApi();
    SiteCounters &counters = *thread.root.counters;
    if (api && !api->timesEvents())
      TimedOperations = 0; // a driver without events
    if (thread.paused || thread.notUp || !api || !TimedOperations)
      return setStride(thread, counters, 0);
    begin(thread, frame, *api, takeTurn(thread, counters, now), now);
  });
  thread.timed.ownTicks = ticks() - now;
}

void endTimed(ThreadState &thread, const gpuinstr_frame &frame, bool failed) {
  uint64_t now = ticks();
  BusyScope busy(thread);
  guarded([&] { end(thread, frame, *driverApi(), failed, now); });
  thread.timed.frame = nullptr;
  uint64_t own = ticks() - now + thread.timed.ownTicks;
  // The next sample is charged what this one was like; an eighth at a time.
  int64_t cost = int64_t(CostNs.load(std::memory_order_relaxed));
  int64_t difference = std::min<int64_t>(int64_t(nsOf(own)), 50000) - cost;
  noteOwnCost(OwnConsumer::DeviceTimes, uint64_t(nsOf(own)));
  overheadBudget().correct(difference);
  CostNs.store(uint64_t(std::max<int64_t>(200, cost + difference / 8)), std::memory_order_relaxed);
}

void dropTimed(ThreadState &thread) {
  giveBack(static_cast<Pair *>(thread.timed.pair));
  thread.timed.frame = nullptr;
}

void forgetDependents() { Dependents.clear(); }

void collectSamples() {
  const DriverApi *api = TimedOperations ? driverApi() : nullptr;
  if (!api || !api->timesEvents())
    return;
  RelaxedCapture relaxed(*api);
  drainPairs(*api);
}

std::vector<std::string> samplingNotes() {
  std::vector<std::string> notes;
  if (uint64_t n = Dependent.load())
    notes.push_back(std::to_string(n) +
                    " operations were due for timing and left alone: there are launches with "
                    "programmatic dependencies in their streams");
  return notes;
}

} // namespace gpuinstr::timing
