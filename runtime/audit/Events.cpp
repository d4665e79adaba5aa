// Events, queries and waits of streams: what they tell of what is done, and what comes before what.
// SPDX-License-Identifier: Apache-2.0
#include "audit/Events.h"
#include "audit/graphs/GraphCalls.h"
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr::audit {

namespace {

constexpr unsigned OfEvent = 1; ///< detail of QUERY: CudaApi.def

/// With the lock held, as the next.
void noteRecorded(Auditor &a, StreamState &stream, uint64_t event) {
  a.streams.recorded(event, stream);
  a.streams.put(stream);
}

/// What follows in the stream waits for something that is no launch.
void hold(Auditor &a, StreamState &stream) {
  stream.hold = a.ranges.launches.fetch_add(1) + 1;
  ++a.notLaunches;
}

/// A wait makes all that follows wait as well: the host may have good reason to wait for that.
void noteWaiting(Auditor &a, StreamState &stream, uint64_t event) {
  if (!a.streams.waited(stream, event))
    hold(a, stream);
  a.streams.put(stream);
}

} // namespace

void beforeQuery(ThreadAuditState &local) {
  local.syncFrom = Moment(Ranges::launches.load(), Streams::Puts.load());
}

void noteQuery(const Call &call) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  if (call.result != 0)
    return;
  if (local.downloadCount != 0)
    takeDownloads(call, local);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (call.operands.detail == OfEvent)
    a.streams.eventDone(call.operands.dst.address);
  else
    a.streams.synced(a.streams.of(call.operands.stream, local.context, &call.thread),
                     local.syncFrom);
}

void noteStreamCall(const Call &call) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  if (o.op == GPUINSTR_OP_HOST_FUNC && cuda::Captures.anyOpen())
    noteCapturedHostFunction(o.stream);
  ThreadAuditState &local = auditStateOf(call.thread);
  std::lock_guard<AuditMutex> lock(a.mutex);
  StreamState &stream = a.streams.of(o.stream, local.context, &call.thread);
  if (call.failed) {
    a.streams.put(stream);
  } else if (o.op == GPUINSTR_OP_RECORD_EVENT) {
    noteRecorded(a, stream, o.dst.address);
  } else if (o.op == GPUINSTR_OP_WAIT_EVENT) {
    noteWaiting(a, stream, o.dst.address);
  } else {
    hold(a, stream);
    a.streams.putForHost(stream);
  }
}

// ---- Where they come again and again ----

namespace {

template <bool EndsRow> GPUINSTR_HOT bool before(ThreadState &thread, const gpuinstr_frame &) {
  beginLook(thread, EndsRow);
  return true;
}

/// work(auditor) with the lock held.
template <class Work> void lookLocked(ThreadState &thread, Work work) {
  look(thread, [&] {
    Auditor &a = auditor();
    std::lock_guard<AuditMutex> lock(a.mutex);
    work(a);
  });
}

/// An event, and the stream that it is recorded in or that waits for it.
template <void (*Note)(Auditor &, StreamState &, uint64_t)>
GPUINSTR_HOT void afterEvent(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  look(thread, [&] {
    Auditor &a = auditor();
    StreamState &stream = streamOf(thread, streamHandle(frame));
    std::lock_guard<AuditMutex> lock(a.mutex);
    Note(a, stream, slotOf(frame, GPUINSTR_SLOT_DST));
  });
}

GPUINSTR_HOT bool beforeShortQuery(ThreadState &thread, const gpuinstr_frame &) {
  // What they brought is looked at in the leave.
  if (auditStateOf(thread).downloadCount != 0 || CaptureTrust::isOn())
    return false;
  beforeQuery(beginLook(thread, true));
  return true;
}
GPUINSTR_HOT void afterEventQuery(ThreadState &thread, const gpuinstr_frame &frame,
                                  int32_t result) {
  if (result != 0)
    return;
  lookLocked(thread, [&](Auditor &a) { a.streams.eventDone(slotOf(frame, GPUINSTR_SLOT_DST)); });
}
GPUINSTR_HOT void afterStreamQuery(ThreadState &thread, const gpuinstr_frame &frame,
                                   int32_t result) {
  if (result != 0)
    return;
  look(thread, [&] {
    Auditor &a = auditor();
    StreamState &stream = streamOf(thread, streamHandle(frame));
    const Moment &from = auditStateOf(thread).syncFrom;
    if (a.streams.syncedAlone(stream, stream.legacy, from))
      return;
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.streams.synced(stream, from);
  });
}

GPUINSTR_HOT bool beforeUpdate(ThreadState &thread, const gpuinstr_frame &frame) {
  look(thread, [&] {
    beginLook(thread, true);
    noteHandedOn(thread, streamHandle(frame));
  });
  return true;
}
GPUINSTR_HOT void afterUpdate(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  uint64_t executable = slotOf(frame, GPUINSTR_SLOT_DST);
  if (auditor().graphs.isKnownAsGone(executable))
    return;
  lookLocked(thread, [&](Auditor &a) { a.graphs.executableGone(executable); });
}

GPUINSTR_HOT void afterDestroyed(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  lookLocked(thread, [&](Auditor &a) { a.streams.eventGone(slotOf(frame, GPUINSTR_SLOT_DST)); });
}

GPUINSTR_HOT_DATA ShortLook Records = {before<false>, afterEvent<noteRecorded>},
                            Waits = {before<true>, afterEvent<noteWaiting>},
                            EventQueries = {beforeShortQuery, afterEventQuery},
                            StreamQueries = {beforeShortQuery, afterStreamQuery},
                            Updates = {beforeUpdate, afterUpdate},
                            GraphLaunches = {beforeShortGraphLaunch, nullptr},
                            Created = {before<true>, nullptr},
                            Destroyed = {before<true>, afterDestroyed};

} // namespace

const ShortLook *shortLookAt(const gpuinstr_site &site) {
  switch (site.op) {
  case GPUINSTR_OP_RECORD_EVENT:
    return &Records;
  case GPUINSTR_OP_WAIT_EVENT:
    return site.detail == 0 ? &Waits : nullptr;
  case GPUINSTR_OP_QUERY:
    return site.detail == OfEvent ? &EventQueries : &StreamQueries;
  case GPUINSTR_OP_GRAPH_NODE:
    return changesNode(site) ? &Updates : shortLookAtGraph(site);
  case GPUINSTR_OP_CAPTURE_BEGIN:
  case GPUINSTR_OP_CAPTURE_END:
    return shortLookAtGraph(site);
  case GPUINSTR_OP_SYNC_STREAM:
  case GPUINSTR_OP_SYNC_EVENT:
  case GPUINSTR_OP_SYNC_DEVICE:
    return shortLookAtSync(site);
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return &GraphLaunches;
  case GPUINSTR_OP_CREATE:
    return site.resource == GPUINSTR_RES_EVENT ? &Created : nullptr;
  case GPUINSTR_OP_DESTROY:
    return site.resource == GPUINSTR_RES_EVENT ? &Destroyed : shortLookAtGraph(site);
  case GPUINSTR_OP_COPY:
  case GPUINSTR_OP_SET:
    return shortLookAtTransfer(site);
  case GPUINSTR_OP_ALLOC:
  case GPUINSTR_OP_FREE:
    return shortLookAtMemory(site);
  default:
    return nullptr;
  }
}

} // namespace gpuinstr::audit
