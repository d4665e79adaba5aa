// When a hash may go into a stream, so that nothing ever waits for it that the program waits for.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/HashScheduling.h"
#include "audit/scheduling/Launches.h"
#include "base/Clock.h"
#include "calls/code/UnseenCode.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr::audit {

namespace {

/// The marker of a stream that has hashes waiting is its own; with the lock held.
bool takeMarker(Auditor &a, StreamState &stream) {
  if (stream.waiting)
    return true;
  for (unsigned i = 0; i < DeviceHasher::Markers; ++i) {
    StreamState *&owner = a.markerOwner[i];
    if (owner && owner != &stream && owner->waiting)
      continue;
    owner = &stream;
    stream.marker = uint8_t(i);
    return true;
  }
  return false;
}

uint64_t nsSince(uint64_t begin) {
  static const double nsOfTick = nsPerTick();
  return uint64_t(double(ticks() - begin) * nsOfTick);
}

/// What the call waited for before it began, beyond `ownNs`, it would have waited for itself.
void noteProgramsWait(const Call &call, Transfer &t, uint64_t ns, uint64_t ownNs) {
  static const double nsOfTick = nsPerTick();
  if (!t.early || ns <= ownNs)
    return;
  t.waitedNs += ns - ownNs;
  call.thread.waitedTicks += uint64_t(double(ns - ownNs) / nsOfTick);
}

/// Whether what is to be hashed stays until the hash has ended: a free that waits for the device
/// does, one in another stream's order does not. With both locks held.
bool stays(const Transfer &t) {
  if (!t.stranger)
    return true;
  const Range *range = t.stranger->range;
  return range && !range->beingFreed &&
         (range->resource != GPUINSTR_RES_ASYNC || t.stranger->stream == t.stream);
}

bool isAlone(const Auditor &a, const Transfer &t) { return t.waits && !a.severalThreads.load(); }

} // namespace

bool mayPlace(Auditor &a, const Call &call, Transfer &t) {
  if (t.early) {
    std::lock_guard<AuditMutex> lock(a.mutex);
    t.behindWork = a.streams.anyWorkIn(t.stream->context);
  }
  if (isAlone(a, t))
    return true;
  Moment upTo;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (a.streams.quiet(*t.stream))
      return true;
    upTo = Moment(a.ranges.launches.load(), Streams::Puts.load());
  }
  uint64_t stream = call.operands.stream;
  constexpr uint64_t AskingNs = 2000;
  uint64_t begin = ticks();
  bool isDone = t.waits ? t.engine->settle(stream) : t.engine->isIdle(stream);
  noteProgramsWait(call, t, nsSince(begin), AskingNs);
  if (!isDone)
    return false;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (t.waits)
    a.streams.synced(*t.stream, upTo);
  else
    a.streams.idle(*t.stream, upTo.launches);
  return a.streams.quiet(*t.stream);
}

EnqueueResult place(Auditor &a, const Call &call, Transfer &t, bool after,
                    const cuda::Region &region) {
  uint64_t stream = call.operands.stream;
  if (!t.announced && isAlone(a, t))
    return t.engine->enqueue(t.ticket, after, region, stream);
  // Before the launches are looked at: a launch is counted before it looks for this. One of the two
  // sees the other.
  if (!t.announced) {
    t.announced = true;
    a.underWay.fetch_add(1);
  }
  std::lock_guard<InlineMutex> placing(a.placing);
  EnqueueResult why = EnqueueResult::Busy;
  bool safe;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    safe = a.streams.quiet(*t.stream) && !t.stream->dependent.load() && stays(t) &&
           takeMarker(a, *t.stream);
    if (safe) {
      t.stream->waiting += !t.placed;
      t.placed = true;
      t.stream->engine = t.engine;
      ++t.stream->hashes;
    }
  }
  if (safe)
    why = t.engine->enqueue(t.ticket, after, region, stream);
  // Between the two hashes of a single thread nothing can be launched.
  if (t.placed && (after || why != EnqueueResult::None || a.severalThreads.load()))
    t.marked = t.engine->setMarker(t.stream->marker, stream);
  return why;
}

bool mayFill(ThreadState &thread, uint64_t handle, bool isIdle) {
  Auditor &a = auditor();
  if (a.collectives.load() || unseenCodeRunsKernels())
    return false;
  StreamState &stream = streamOf(thread, handle);
  std::lock_guard<AuditMutex> lock(a.mutex);
  // The launch itself has been counted, and is not under way yet.
  const bool isNext = isIdle || (!stream.mayWait() && !a.severalThreads.load());
  return isNext && a.streams.quietBeside(stream);
}

bool finishPlaced(const Call &call, Transfer &t) {
  uint64_t begin = ticks();
  bool isDone = t.placed ? t.engine->finishMarker(t.ticket, t.stream->marker)
                         : t.engine->finish(t.ticket, call.operands.stream);
  // With nothing of the program under way it is the hash that comes late: others use the device.
  if (t.behindWork)
    noteProgramsWait(call, t, nsSince(begin), 2 * t.engine->estimateNs(t.lookBytes));
  return isDone;
}

void handOver(Auditor &a, Transfer &t, Pending &pending) {
  if (!t.announced)
    a.underWay.fetch_add(1);
  pending.placed = t.placed;
  t.announced = t.placed = false;
  t.ticket = 0;
}

void endPlacing(Auditor &a, const Call &call, Transfer &t) {
  if (t.placed && !t.marked) { // the copy failed
    std::lock_guard<InlineMutex> placing(a.placing);
    t.engine->setMarker(t.stream->marker, call.operands.stream);
  }
  if (t.announced) {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (t.placed && t.ticket && !t.engine->arrived(t.ticket)) {
      Pending p;
      p.engine = t.engine;
      p.ticket = t.ticket;
      p.stream = t.stream->index;
      handOver(a, t, p);
      a.pending.push_back(p);
      return;
    }
    if (t.placed && t.stream->waiting)
      --t.stream->waiting;
    a.underWay.fetch_sub(1);
    t.announced = t.placed = false;
  }
  if (t.ticket)
    t.engine->release(t.ticket);
  t.ticket = 0;
}

void putBehindHashes(Auditor &a, StreamState &stream, uint64_t handle) {
  std::lock_guard<InlineMutex> placing(a.placing);
  DeviceHasher *engines[DeviceHasher::Markers];
  StreamState *before[DeviceHasher::Markers];
  unsigned count = 0;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.poll();
    a.streams.eachBeside(stream, [&](StreamState &other) {
      if (count < DeviceHasher::Markers && other.engine) {
        engines[count] = other.engine;
        before[count++] = &other;
      }
    });
  }
  // Under capture nothing starts now; the graph's launch comes this way again.
  if (count == 0 || cuda::Captures.isCapturing(handle))
    return;
  for (unsigned i = 0; i < count; ++i)
    if (engines[i]->putBehind(before[i]->marker, handle)) {
      std::lock_guard<AuditMutex> lock(a.mutex);
      stream.comesAfterHashes(before[i]->index, before[i]->hashes);
    }
  // What might have run side by side did not: once is enough, unless all is to be compared.
  if (!a.full)
    a.sideBySide.store(true);
}

} // namespace gpuinstr::audit
