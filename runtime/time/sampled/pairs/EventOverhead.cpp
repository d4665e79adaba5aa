// What an event pair measures beside the operation between its events.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/pairs/EventOverhead.h"
#include "base/Clock.h"
#include "time/sampled/pairs/EventPairs.h"
#include "time/sampled/pairs/Filler.h"
#include <algorithm>
#include <atomic>
#include <cmath>

namespace gpuinstr::timing {

namespace {

struct Constants {
  double share; ///< overhead behind queued work: this of two bare events ...
  double fixed; ///< ... and these ns
  double dry;   ///< ns beside the host's gap when the stream has run dry
  double doubt; ///< ns
};

// Measured on H200s against CUPTI, kernels of 0.6 us to 200 ms (docs/Costs.md), where two bare
// events take 1.28 us and on a host of two GPUs where they take 2.93 us. A kernel between them
// hides a third of what the slower ones take. The doubt is what processes, streams and machines of
// a kind differed by.
constexpr Constants Classes[] = {
    {0.68, 2030, 1050, 850},  // Kernel
    {1.0, 260, 350, 900},     // SmallSet
    {0.68, 2200, 1150, 1800}, // LargeSet: a kernel of the driver's
    {1.0, 260, 50, 900},      // Copy
    {0.68, 2030, 1050, 1800}, // DeviceCopy: a kernel of the driver's
    {1.0, 260, 50, 4000},     // BlockingCopy
    {1.0, 260, 50, 2500},     // StagedDownload
    {1.0, 260, -200, 1300},   // StagedUpload
    {0.68, 2200, 1150, 1200}, // Graph
};
/// Of what a machine's bare events differ from KnownEmptyNs, DryShare stands beside
/// an operation on a stream that has run dry, and other kinds of machines may lie LineDoubt of it
/// beside these lines.
constexpr double DryShare = 0.45, LineDoubt = 0.15;
static_assert(sizeof(Classes) / sizeof(*Classes) == unsigned(WorkClass::Graph) + 1, "one each");
/// Behind a filler, kernels differ by less, the longer ones by more: 21 kernels of 0.9 to 81 us
/// with one block to thousands, shared and local memory, atomics, 1 KiB of parameters, alone and
/// with other work behind them; five H100s, one of them on a host of two GPUs.
constexpr Constants Filled = {1.0, 970, 1050, 350};
constexpr double FilledDoubtShare = 0.05, MostFilledDoubtNs = 950;

/// A blocking copy returns to the host before the second event is issued.
constexpr double ReturnNs = 4350;

/// Apart from a kernel's launch, the driver's own too, a call may wait for its own work: then its
/// duration is not the gap.
constexpr double MostCopyGapNs = 2000;

/// No graph of a kernel takes less. A launch that takes so long has waited for parts of its graph,
/// as those that copy and call the host do.
constexpr double LeastGraphNs = 1500, LongGraphCallNs = 100000;

/// Clocks of host and device run apart by less than this.
constexpr double Drift = 60e-6;

/// Events' clock against CUPTI's: 7 in 10^6 were seen.
constexpr double ClockDoubt = 20e-6;

/// The driver's staging memory takes a copy in pieces of this. The host copies one while the
/// device moves the one before, so what comes apart is the first piece of an upload and the last
/// ones of a download. H100, 64 KiB to 64 MiB, elapsed time less that against CUPTI's records:
/// uploads 0 to 5 % above, downloads 0 to 5 % below (docs/Costs.md).
constexpr double StagingPiece = 1 << 20;
constexpr double LastPieces = 1.33 * StagingPiece;
constexpr double StagedDoubt = 0.09, PieceDoubt = 0.25;
/// Of downloads of few pieces the device's part is told by what pinned copies take: 1.4 us and the
/// link's time, 1 to 1.5 times that by CUPTI.
constexpr double FewPieces = 2, ShortDownloadNs = 1400, LinkShare = 1.25, LinkDoubt = 0.35;
/// Where no copy has told the link's time: the host copies 10 GB/s or more.
constexpr double MostStagingNsPerByte = 0.1, MostStagingShare = 0.9;
/// Copies of so many bytes tell the link's time.
constexpr double LinkBytes = 512 << 10;

/// From one engine to another the device takes up to 8 us, any time as often: these on average,
/// by what programs differed. H100, kernels of 1.2 to 11 us behind copies, copies behind kernels
/// and behind those of the other direction. Behind a staged upload there may be none: a kernel
/// of 4.7 us was told 1.5 to 2.8 us too short.
constexpr double EngineNs = 3600, EngineDoubtNs = 2000, OpenEngineDoubtNs = 3000;

/// Taken anew whenever the process's age has doubled: good to 50 ns over any span so far.
double nsOfTick() {
  static std::atomic<double> scale{0};
  static std::atomic<uint64_t> nextAt{0};
  uint64_t now = ticks(), next = nextAt.load(std::memory_order_relaxed);
  if (now >= next) {
    scale.store(nsPerTick(), std::memory_order_relaxed);
    nextAt.store(now + (now - clockStartTicks()), std::memory_order_relaxed);
  }
  return scale.load(std::memory_order_relaxed);
}

constexpr int Rounds = 12;
constexpr unsigned NonBlocking = 1;

/// The shortest of a few: on an idle stream the host's own pauses can only lengthen it.
double shortestEmptyPair(const DriverApi &api, void *stream, void *(&events)[2]) {
  double best = 0;
  for (int i = 0; i < Rounds; ++i) {
    if (api.eventRecord(events[0], stream) != Success ||
        api.eventRecord(events[1], stream) != Success)
      return 0;
    // An empty stream passes both within microseconds; never waited for longer.
    uint64_t start = monotonicNs();
    int result;
    while ((result = api.eventQuery(events[1])) == NotReady)
      if (monotonicNs() - start > 200000)
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

void LeastLag::note(double lagNs, double passedNs, double recordNs) {
  LeastRecordNs = Any ? std::min(LeastRecordNs, recordNs) : recordNs;
  double lag = lagNs + recordNs - LeastRecordNs;
  Ns = Any ? std::min(lag, Ns + std::max(0.0, passedNs) * Drift) : lag;
  Any = true;
}

namespace {

/// Of a download to pageable memory of which `corrected` has all but the host's part.
void takeOffStaging(Corrected &corrected, double bytes, double linkNsPerByte) {
  const double byLink = ShortDownloadNs + LinkShare * bytes * linkNsPerByte;
  const double most = corrected.ns;
  if (bytes > FewPieces * StagingPiece) {
    corrected.ns *= 1 - LastPieces / bytes;
    if (linkNsPerByte > 0)
      corrected.ns = std::min(most, std::max(corrected.ns, byLink));
    corrected.doubtNs += // neither depends on the other
        std::hypot(StagedDoubt * corrected.ns, PieceDoubt * StagingPiece / bytes * most);
  } else if (linkNsPerByte > 0) {
    corrected.ns = std::min(most, byLink);
    corrected.doubtNs = std::min(corrected.doubtNs, ShortDownloadNs / 2) + LinkDoubt * corrected.ns;
  } else {
    double host = std::min(MostStagingShare * most, MostStagingNsPerByte * bytes);
    corrected.ns -= host / 2;
    corrected.doubtNs += host / 2;
  }
}

} // namespace

Corrected takeOff(WorkClass work, double elapsedNs, double gapNs, double queuedNs, double emptyNs,
                  double bytes, Surroundings around) {
  const bool isFilled = around.isFilled && work == WorkClass::Kernel;
  const Constants &c = isFilled ? Filled : Classes[unsigned(work)];
  const double callNs = gapNs;
  const bool isUpload = work == WorkClass::StagedUpload;
  if (isUpload) // its call returns when the last piece is in the staging memory
    gapNs *= std::min(1.0, StagingPiece / std::max(bytes, 1.0));
  else if (work != WorkClass::Kernel && work != WorkClass::DeviceCopy && work != WorkClass::Graph)
    gapNs = std::min(gapNs, MostCopyGapNs);
  double busy = c.share * emptyNs + c.fixed;
  const double slower = emptyNs - KnownEmptyNs;
  const double beside = c.dry + DryShare * slower;
  double dry = gapNs - queuedNs + beside;
  bool ranDry = dry > busy;
  double overhead = ranDry ? dry : busy;
  if (work == WorkClass::BlockingCopy || work == WorkClass::StagedDownload)
    overhead += ReturnNs;
  Corrected corrected;
  corrected.ns = std::max(0.0, elapsedNs - overhead);
  double doubt = Classes[unsigned(work)].doubt;
  if (isFilled && !ranDry)
    doubt = std::min(c.doubt + FilledDoubtShare * corrected.ns, MostFilledDoubtNs);
  corrected.doubtNs = doubt + ClockDoubt * corrected.ns + LineDoubt * std::abs(slower);
  corrected.afterNs = queuedNs + elapsedNs - corrected.ns;
  if (work == WorkClass::StagedDownload)
    takeOffStaging(corrected, bytes, around.linkNsPerByte);
  if (isUpload)
    corrected.doubtNs += StagedDoubt * (bytes > StagingPiece ? corrected.ns : 0);
  if (around.change != EngineChange::None && !ranDry && !isUpload &&
      work != WorkClass::StagedDownload) {
    if (around.change == EngineChange::Likely)
      corrected.ns = std::max(0.0, corrected.ns - EngineNs);
    corrected.doubtNs += around.change == EngineChange::Likely ? EngineDoubtNs : OpenEngineDoubtNs;
    corrected.isPoor = work == WorkClass::Kernel;
  }
  // A set whose call took long, as the first of its kind does: where in the call the work was
  // issued cannot be seen. Copies were not seen to do so.
  bool isSet = work == WorkClass::SmallSet || work == WorkClass::LargeSet;
  if (isSet && callNs > 2 * MostCopyGapNs && callNs - queuedNs + beside > busy) {
    double open = std::min(callNs - MostCopyGapNs, corrected.ns);
    corrected.ns -= open / 2;
    corrected.doubtNs += open / 2;
  }
  // A graph that would have taken nothing had begun within its launch, and has ended there; so may
  // one whose launch took longer than all that came behind it.
  const bool isWithin =
      corrected.ns < LeastGraphNs || (callNs > LongGraphCallNs && corrected.ns < callNs);
  if (work == WorkClass::Graph && ranDry && isWithin) {
    const double open = std::max(0.0, elapsedNs - busy - corrected.ns) / 2;
    corrected.ns += open;
    corrected.doubtNs += open;
  }
  if (around.isFilled && ranDry) {
    // A call that took long may have issued its work in time: then it hides nothing.
    const double most = std::max(corrected.ns, elapsedNs - busy), open = (most - corrected.ns) / 2;
    corrected.ns += open;
    corrected.doubtNs += open;
    corrected.isPoor = true;
  }
  // The host's gap is known to within a tenth: a long one (module load) less surely. That of a
  // staged piece ends when the device begins.
  if (ranDry)
    corrected.doubtNs += std::min(elapsedNs, (isUpload ? 0.05 : 0.1) * (gapNs - queuedNs));
  return corrected;
}

void EventOverhead::calibrate(const DriverApi &api) {
  if (!api.streamCreate || !api.streamDestroy)
    return;
  std::lock_guard<std::mutex> lock(Mutex);
  RelaxedCapture relaxed(api);
  void *stream = nullptr, *events[2] = {};
  if (api.streamCreate(&stream, NonBlocking) != Success)
    return;
  if (api.eventCreate(&events[0], 0) == Success && api.eventCreate(&events[1], 0) == Success) {
    if (double ns = shortestEmptyPair(api, stream, events); ns > 0)
      EmptyNs = std::min(std::max(ns, 300.0), 10000.0);
    startReference(api, stream, events[0]);
  }
  api.streamDestroy(stream);
}

void EventOverhead::startReference(const DriverApi &api, void *stream, void *event) {
  // On a stream that is idle the device takes the event up at once; not the host when it is held
  // up, so one that took long is recorded again.
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < Rounds; ++i) {
    uint64_t before = ticks();
    if (api.eventRecord(event, stream) != Success)
      return;
    ReferenceTicks = ticks();
    uint64_t took = ReferenceTicks - before;
    shortest = std::min(shortest, took);
    if (i < 2 || took > shortest + shortest / 4)
      continue;
    Reference = event;
    Least.note(0, 0, double(took) * nsOfTick());
    return;
  }
}

double EventOverhead::queuedNs(const DriverApi &api, Pair &pair) {
  float ms = 0;
  if (!Reference || api.eventElapsedTime(&ms, Reference, pair.start) != Success)
    return 0;
  double passed = double(int64_t(pair.timed.startTicks - ReferenceTicks)) * nsOfTick();
  double lag = ReferenceLagNs + double(ms) * 1e6 - passed;
  Least.note(lag, passed, double(pair.recordTicks) * nsOfTick());
  // Chained from event to event, so that the float of the elapsed time stays exact.
  if (passed > 0) {
    std::swap(Reference, pair.start);
    ReferenceTicks = pair.timed.startTicks;
    ReferenceLagNs = lag;
  }
  // Below 0 where the host was held up before it noted the time: the gap is longer by that.
  return lag - Least.ns();
}

Corrected EventOverhead::correct(const DriverApi &api, Pair &pair, double elapsedNs) {
  std::lock_guard<std::mutex> lock(Mutex);
  const auto work = WorkClass(pair.timed.work);
  const double gap = double(pair.timed.callTicks) * nsOfTick(), bytes = double(pair.timed.bytes);
  const double queued = queuedNs(api, pair);
  if (pair.isFilled)
    pair.filler->lacked(gap - queued, gap);
  Corrected corrected = takeOff(work, elapsedNs, gap, queued, EmptyNs, bytes,
                                {pair.timed.change, LinkNsPerByte, pair.isFilled});
  const bool tells = work == WorkClass::Copy || work == WorkClass::BlockingCopy ||
                     (work == WorkClass::StagedUpload && bytes <= StagingPiece);
  if (tells && bytes >= LinkBytes && corrected.ns > 0) {
    double ns = corrected.ns / bytes;
    LinkNsPerByte = LinkNsPerByte > 0 ? std::min(LinkNsPerByte, ns) : ns;
  }
  return corrected;
}

} // namespace gpuinstr::timing
