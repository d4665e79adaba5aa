// What an event pair measures beside the operation between its events.
// SPDX-License-Identifier: Apache-2.0
#include "time/Bias.h"
#include "core/Clock.h"
#include "time/EventPairs.h"
#include <algorithm>
#include <atomic>

namespace gpuinstr::timing {

namespace {

struct Constants {
  double busy;  ///< bias with work queued before, as a multiple of two bare events
  double dry;   ///< ns beside the host's gap when the stream has run dry
  double doubt; ///< ns
};

// Measured on an H200 against CUPTI, kernels of 1.5 us to 9 ms (docs/Design.md). The doubt is what
// processes and streams differed by.
constexpr Constants Classes[] = {
    {2.33, 1150, 850},  // Kernel
    {1.2, 350, 900},    // SmallSet
    {2.33, 1150, 1800}, // LargeSet: a kernel of the driver's
    {1.2, 50, 900},     // Copy
    {1.2, 50, 2500},    // BlockingCopy
    {2.33, 1150, 1200}, // Graph
};
static_assert(sizeof(Classes) / sizeof(*Classes) == unsigned(WorkClass::Graph) + 1, "one each");

/// A blocking copy returns to the host before the second event is issued.
constexpr double ReturnNs = 4350;

/// Apart from the launch of a kernel, a call may wait for its own work: then its duration is not
/// the gap.
constexpr double MostCopyGapNs = 2000;

/// Clocks of host and device run apart by less than this.
constexpr double Drift = 60e-6;

/// Taken anew whenever the process's age has doubled: good to 50 ns over any span so far.
double nsOfTick() {
  static std::atomic<double> Ns{0};
  static std::atomic<uint64_t> Next{0};
  uint64_t now = core::ticks(), next = Next.load(std::memory_order_relaxed);
  if (now >= next) {
    Ns.store(core::nsPerTick(), std::memory_order_relaxed);
    Next.store(now + (now - core::clockStartTicks()), std::memory_order_relaxed);
  }
  return Ns.load(std::memory_order_relaxed);
}

constexpr int Rounds = 12;
constexpr unsigned NonBlocking = 1;

/// The shortest of a few: on an idle stream the host's own pauses can only lengthen it.
double shortestEmptyPair(const core::DriverApi &api, void *stream, void *(&events)[2]) {
  double best = 0;
  for (int i = 0; i < Rounds; ++i) {
    if (api.eventRecord(events[0], stream) != Success ||
        api.eventRecord(events[1], stream) != Success)
      return 0;
    // An empty stream passes both within microseconds; never waited for longer.
    uint64_t start = core::monotonicNs();
    int result;
    while ((result = api.eventQuery(events[1])) == NotReady)
      if (core::monotonicNs() - start > 200000)
        return best;
    float ms = 0;
    if (result != Success || api.eventElapsedTime(&ms, events[0], events[1]) != Success)
      return best;
    double ns = double(ms) * 1e6;
    if (ns > 0 && (best == 0 || ns < best))
      best = ns;
  }
  return best;
}

} // namespace

Corrected takeOff(WorkClass work, double elapsedNs, double gapNs, double queuedNs, double emptyNs) {
  const Constants &c = Classes[unsigned(work)];
  if (work != WorkClass::Kernel && work != WorkClass::Graph)
    gapNs = std::min(gapNs, MostCopyGapNs);
  double busy = c.busy * emptyNs;
  double dry = gapNs - queuedNs + c.dry;
  bool ranDry = dry > busy;
  double bias = ranDry ? dry : busy;
  if (work == WorkClass::BlockingCopy)
    bias += ReturnNs;
  Corrected corrected;
  corrected.ns = std::max(0.0, elapsedNs - bias);
  corrected.doubtNs = c.doubt;
  corrected.afterNs = queuedNs + elapsedNs - corrected.ns;
  if (ranDry) // the host's gap is known to within a tenth: a long one (module load) less surely
    corrected.doubtNs += std::min(elapsedNs, 0.1 * (gapNs - queuedNs));
  return corrected;
}

void Bias::calibrate(const core::DriverApi &api) {
  if (!api.streamCreate || !api.streamDestroy)
    return;
  std::lock_guard<std::mutex> lock(Mutex);
  core::RelaxedCapture relaxed(api);
  void *stream = nullptr, *events[2] = {};
  if (api.streamCreate(&stream, NonBlocking) != Success)
    return;
  if (api.eventCreate(&events[0], 0) == Success && api.eventCreate(&events[1], 0) == Success) {
    if (double ns = shortestEmptyPair(api, stream, events); ns > 0)
      EmptyNs = std::min(std::max(ns, 300.0), 10000.0);
    // On a stream that is idle the device takes the event up at once.
    if (api.eventRecord(events[0], stream) == Success) {
      Reference = events[0];
      ReferenceTicks = core::ticks();
    }
  }
  api.streamDestroy(stream);
}

double Bias::queuedNs(const core::DriverApi &api, Pair &pair) {
  float ms = 0;
  if (!Reference || api.eventElapsedTime(&ms, Reference, pair.start) != Success)
    return 0;
  double passed = double(int64_t(pair.timed.startTicks - ReferenceTicks)) * nsOfTick();
  double lag = ReferenceLagNs + double(ms) * 1e6 - passed;
  LeastLagNs = std::min(lag, LeastLagNs + std::max(0.0, passed) * Drift);
  // Chained from event to event, so that the float of the elapsed time stays exact.
  if (passed > 0) {
    std::swap(Reference, pair.start);
    ReferenceTicks = pair.timed.startTicks;
    ReferenceLagNs = lag;
  }
  return lag - LeastLagNs;
}

Corrected Bias::correct(const core::DriverApi &api, Pair &pair, double elapsedNs) {
  std::lock_guard<std::mutex> lock(Mutex);
  double gap = double(pair.timed.callTicks) * nsOfTick();
  return takeOff(WorkClass(pair.timed.work), elapsedNs, gap, queuedNs(api, pair), EmptyNs);
}

} // namespace gpuinstr::timing
