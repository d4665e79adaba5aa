// Graphs as the auditor sees them: what is captured, added, instantiated and launched.
// SPDX-License-Identifier: Apache-2.0
#include "audit/graphs/GraphCalls.h"
#include "audit/scheduling/CapturedLaunches.h"
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "base/HotCode.h"
#include "cuda/CaptureTracker.h"
#include "cuda/DriverFacts.h"
#include "cuda/operands/GraphNode.h"
#include <algorithm>
#include <optional>

namespace gpuinstr::audit {

namespace {

/// False: there are too many, of which nothing but that they write is known.
bool addCopy(GraphWork &work, const Call &call, const cuda::CallOperands &o) {
  const bool isKept = work.copies.size() < GraphWork::MostCopies;
  if (isKept)
    work.copies.emplace_back(withOperands(call, o), o);
  else
    work.unknown = true;
  return isKept;
}

/// One copy of a graph that is launched. isSourceLeft: no host function can write what it copies.
/// With the lock held.
void prepareCopy(Auditor &a, const Call &call, const GraphWork &work, const GraphCopy &copy,
                 bool isSourceLeft, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  bool isSet = o.op == GPUINSTR_OP_SET || o.op == GPUINSTR_OP_SET_2D || o.op == GPUINSTR_OP_SET_3D;
  t.work = isSet ? DeviceWorkKind::Set : DeviceWorkKind::Copy;
  t.skip = SkipReason::Capture;
  t.isGuess = true; // it is read when the stream gets there
  meetUnhashed(a, call, t, isSourceLeft && !work.isWritten(copy));
}

/// What its kernels may do to memory that no argument names. With the lock held.
void touchElsewhere(Auditor &a, const GraphWork &work, uint64_t now) {
  if (!work.keepsVariables)
    Ranges::variableWrites.fetch_add(1);
  if (work.follows) {
    stampLaunch(a.ranges.follower, now);
    a.ranges.follows.fetch_add(1);
    if (!work.keepsVariables)
      a.ranges.fillVariables();
  }
}

/// The allocation is gone, and the graph is launched all the same: for what has its place.
__attribute__((noinline)) void touchOthers(Auditor &a, const GraphTouch &touch, uint64_t now,
                                           SiteIndex site) {
  const uint64_t end = touch.base + touch.bytes;
  for (uint64_t at = touch.base; at < end;) {
    Range *range = a.ranges.find(at);
    if (!range)
      range = a.ranges.firstAbove(at, end - 1 - at);
    if (!range)
      return;
    touchRange(*range, touch.access, now, site);
    at = std::max(range->end(), at + 1);
  }
}

void touchOne(Auditor &a, const GraphTouch &touch, uint64_t now, SiteIndex site) {
  if (touch.range->serial == touch.serial)
    touchRange(*touch.range, touch.access, now, site);
  else
    touchOthers(a, touch, now, site);
}

/// What its kernels may touch, where it copies nothing. With the lock held.
void touchAll(Auditor &a, const GraphWork &work, uint64_t now, SiteIndex site) {
  for (const GraphTouch &touch : work.touches)
    touchOne(a, touch, now, site);
  touchElsewhere(a, work, now);
}

/// ... and between its copies, where there are any: a kernel captured behind one runs behind it, or
/// both do not touch the same.
class TouchesBetween {
public:
  TouchesBetween(Auditor &a, const GraphWork &work, StreamState &stream, uint64_t now,
                 SiteIndex site)
      : Audit(a), Work(work), Stream(stream), Now(now), Site(site) {
    if (!work.copies.empty())
      touchElsewhere(a, work, now);
  }
  /// Those before the copy of that number.
  void upTo(size_t copy) {
    const size_t from = Next;
    for (; Next < Work.touches.size() && Work.touches[Next].copies <= copy; ++Next)
      touchOne(Audit, Work.touches[Next], Now, Site);
    if (Next != from && Next != Work.touches.size())
      Now = LaunchStamp::pack(Stream.countLaunch(Work.mayWait), Stream.index);
  }
  void end() {
    upTo(Work.copies.size());
    touchElsewhere(Audit, Work, Now);
  }

private:
  Auditor &Audit;
  const GraphWork &Work;
  StreamState &Stream;
  uint64_t Now;
  SiteIndex Site;
  size_t Next = 0;
};

} // namespace

bool noteCapturedCopy(const Call &call) {
  Auditor &a = auditor();
  uint64_t capture = cuda::Captures.captureIn(call.operands.stream);
  if (!capture)
    return false;
  std::lock_guard<AuditMutex> lock(a.mutex);
  const cuda::CallOperands &o = call.operands;
  noteTransferUse(a, call, o.dst.address ? a.ranges.find(o.dst.address) : nullptr,
                  o.src.address ? a.ranges.find(o.src.address) : nullptr);
  addCopy(a.graphs.captured(capture), call, call.operands);
  return true;
}

void noteCapturedHostFunction(uint64_t stream) {
  Auditor &a = auditor();
  uint64_t capture = cuda::Captures.captureIn(stream);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (capture)
    a.graphs.captured(capture).noteHostFunction(stream);
}

void noteCapturedUnknown(bool hostRuns) {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.graphs.capturesUnknown(hostRuns);
}

GPUINSTR_HOT void noteCaptureBegun(ThreadState &thread, uint64_t stream, unsigned detail) {
  constexpr unsigned IntoGraph = 1; // detail of CAPTURE_BEGIN: CudaApi.def
  Auditor &a = auditor();
  const CallCapture &capture = thread.capture;
  if (!capture.number)
    return;
  if (cuda::Captures.isOneOpen())
    rememberCapture(thread.launches, stream, capture);
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.graphs.captureBegun(capture.number, detail != IntoGraph);
}

GPUINSTR_HOT void noteCaptureEnded(ThreadState &thread, uint64_t place) {
  Auditor &a = auditor();
  const uint64_t capture = thread.capture.number;
  if (!capture)
    return;
  const uint64_t graph = place ? *reinterpret_cast<const uint64_t *>(place) : 0;
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.graphs.captureEnded(capture, graph);
}

bool becomesGraph(const cuda::CallOperands &o) {
  return o.detail == cuda::ExecutableUpdated && o.slot(GPUINSTR_SLOT_SRC) != 0;
}

void noteNodeFailed(const Call &call) {
  if (!becomesGraph(call.operands))
    return;
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.graphs.executableGone(call.operands.slot(GPUINSTR_SLOT_DST));
}

namespace {

/// What the stream captures next comes behind other nodes than what it captured last.
void noteDetached(const cuda::CallOperands &o) {
  Auditor &a = auditor();
  const uint64_t capture = cuda::Captures.captureIn(o.stream);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (capture)
    a.graphs.captured(capture).noteEdgesRemoved();
}

/// A node, or what is said about edges. With the lock held.
void addNode(Auditor &a, GraphWork &work, const Call &call) {
  const cuda::CallOperands &o = call.operands;
  const unsigned detail = cuda::nodeDetail(o);
  if (detail == cuda::EdgesRemoved)
    return work.noteEdgesRemoved();
  GraphWork::CopySet ended =
      work.copiesBehind(reinterpret_cast<const uint64_t *>(o.slot(GPUINSTR_SLOT_DPITCH)),
                        o.slot(GPUINSTR_SLOT_HEIGHT));
  cuda::CallOperands copy;
  if (detail == cuda::NodeOfGraph) {
    GraphWorks::Work child = a.graphs.known(cuda::nodeGraph(o));
    if (child)
      ended = work.addGraph(*child, ended);
    else
      work.noteHost(ended);
    work.unknown = true;
  } else if (detail == cuda::NodeCallsHost) {
    work.noteHost(ended);
    work.unknown = true;
  } else if (nodeCopy(o, copy)) {
    if (addCopy(work, call, copy))
      ended.set(work.copies.size() - 1);
  } else if (detail != cuda::NodeIsEmpty) {
    work.unknown = true;
  }
  if (uint64_t place = o.slot(GPUINSTR_SLOT_FUNC))
    work.noteNode(*reinterpret_cast<const uint64_t *>(place), ended);
}

} // namespace

void noteNode(const Call &call) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  if (call.site.slots >> GPUINSTR_SLOT_STREAM & 1)
    return noteDetached(o);
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (o.detail == cuda::NodeUpdated)
    return a.graphs.nodeChanged();
  uint64_t handle = o.slot(GPUINSTR_SLOT_DST);
  if (o.detail == cuda::ExecutableUpdated) { // with SRC: by that graph as a whole
    const uint64_t from = o.slot(GPUINSTR_SLOT_SRC);
    return from ? a.graphs.became(handle, from) : a.graphs.executableGone(handle);
  }
  GraphWork *work = a.graphs.graph(handle);
  if (work)
    return addNode(a, *work, call);
  // It may be the one that a stream captures into, or the copy of its own that another one holds.
  if (cuda::nodeDetail(o) != cuda::NodeIsEmpty && cuda::Captures.anyOpen())
    a.graphs.capturesUnknown(true);
  a.graphs.heldChanged();
}

void noteGraphCreated(Auditor &a, const cuda::CallOperands &o, uint64_t handle) {
  uint64_t from = o.slot(GPUINSTR_SLOT_SRC);
  if (o.resource == GPUINSTR_RES_GRAPH_EXEC)
    return a.graphs.instantiated(handle, from);
  if (from)
    a.graphs.cloned(handle, from);
  else
    a.graphs.created(handle);
}

void noteGraphDestroyed(Auditor &a, const cuda::CallOperands &o) {
  if (o.resource == GPUINSTR_RES_GRAPH_EXEC)
    a.graphs.executableGone(o.dst.address);
  else
    a.graphs.destroyed(o.dst.address);
}

namespace {

bool isKnown(const GraphWork *work) { return work && !work->unknown && !work->hostRuns; }

/// Its place in the stream, and in the order of launches: a LaunchStamp where the work is known.
uint64_t noteRun(ThreadState &thread, uint64_t stream, const GraphWork *work) {
  if (isKnown(work))
    return noteKnownWork(thread, stream, work->mayWait);
  noteUnknownWork(thread, stream, false);
  if (!work || work->hostRuns) {
    Auditor &a = auditor();
    StreamState &state = streamOf(thread, stream);
    std::lock_guard<AuditMutex> lock(a.mutex);
    state.hold = std::max(state.hold.load(), state.lastLaunch.load());
  }
  return 0;
}

/// Before the launch: what its copies read when the stream gets there is what stands there now, as
/// far as host functions go. The graph's own come later, and of earlier work none is left.
bool areSourcesLeft(Auditor &a, const GraphWork *work) {
  return work && work->beforeHost.any() && !a.streams.hostMayRunAnywhere();
}

/// Before the launch: once it is back, the graph's host functions may have written there already.
void lookAtSources(Auditor &a, const Call &call, const GraphWork &work, ThreadAuditState &local) {
  for (size_t i = 0; i < work.copies.size(); ++i) {
    Transfer &t = local.batch[i];
    const cuda::CallOperands &o = work.copies[i].operands;
    if (!t.key || (t.repeat && !t.due))
      continue;
    // No call has shown yet that the pointers are good.
    const bool isThere = t.direction == CopyDirection::HostToDevice &&
                         hostReadable(local, o.src.address) && hostAnswers(o.src);
    if (isThere || t.work == DeviceWorkKind::Set)
      lookAtHost(a, local, work.copies[i].call(call.thread), t, 0);
  }
}

} // namespace

void beforeGraphLaunch(const Call &call, ThreadAuditState &local) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  local.batch.clear();
  const bool captured = cuda::Captures.isCapturing(o.stream);
  bool isLeft = false;
  std::shared_ptr<const GraphWork> work;
  if (captured) {
    std::shared_ptr<const GraphWork> inner;
    {
      std::lock_guard<AuditMutex> lock(a.mutex);
      inner = a.graphs.executable(o.dst.address);
    }
    noteCapturedUnknown(!inner || inner->hostRuns); // a graph within a graph
  } else {
    std::lock_guard<AuditMutex> lock(a.mutex);
    work = a.graphs.executable(o.dst.address);
    isLeft = areSourcesLeft(a, work.get());
  }
  const uint64_t now = noteRun(call.thread, o.stream, work.get());
  if (!work || work->isPlain())
    return;
  std::unique_lock<AuditMutex> lock(a.mutex);
  ++Streams::ForHost; // its copies
  StreamState &stream = a.streams.of(o.stream, local.context, &call.thread);
  std::optional<TouchesBetween> touches;
  if (isKnown(work.get()))
    touches.emplace(a, *work, stream, now, call.chargedSite);
  for (const GraphCopy &copy : work->copies) {
    if (touches)
      touches->upTo(size_t(&copy - work->copies.data()));
    Transfer t;
    t.stream = &stream;
    t.order = a.ranges.launches.load();
    t.notRun = cuda::kernelsNotRun();
    prepareCopy(a, copy.call(call.thread), *work, copy,
                !work->hostRuns || (isLeft && work->isBeforeHost(copy)), t);
    local.batch.push_back(t);
  }
  if (touches)
    touches->end();
  lock.unlock();
  if (work->hostRuns)
    lookAtSources(a, call, *work, local);
}

GPUINSTR_HOT bool beforeShortGraphLaunch(ThreadState &thread, const gpuinstr_frame &frame) {
  if (mayCapture() || !auditStateOf(thread).batch.empty())
    return false;
  bool isShort = false;
  look(thread, [&] {
    Auditor &a = auditor();
    std::shared_ptr<const GraphWork> work;
    {
      std::lock_guard<AuditMutex> lock(a.mutex);
      work = a.graphs.executable(slotOf(frame, GPUINSTR_SLOT_DST));
    }
    if (work && !work->copies.empty())
      return;
    isShort = true;
    beginLook(thread, true);
    const uint64_t now = noteRun(thread, streamHandle(frame), work.get());
    if (!isKnown(work.get()) || work->isPlain())
      return;
    std::lock_guard<AuditMutex> lock(a.mutex);
    touchAll(a, *work, now, thread.root.site);
  });
  return isShort;
}

namespace {

template <bool Ends = false>
GPUINSTR_HOT bool beforeCapture(ThreadState &thread, const gpuinstr_frame &frame) {
  beginLook(thread, true);
  if (Ends && CaptureTrust::isOn())
    look(thread, [&] { settleTrust(thread, streamHandle(frame), true); });
  return true;
}
GPUINSTR_HOT void afterBegin(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  look(thread, [&] { noteCaptureBegun(thread, streamHandle(frame), frame.site->detail); });
}
GPUINSTR_HOT void afterEnd(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  look(thread, [&] { noteCaptureEnded(thread, slotOf(frame, GPUINSTR_SLOT_DST)); });
}
template <void (*Note)(GraphWorks &, const gpuinstr_frame &)>
GPUINSTR_HOT void afterChange(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  look(thread, [&] {
    Auditor &a = auditor();
    std::lock_guard<AuditMutex> lock(a.mutex);
    Note(a.graphs, frame);
  });
}
void noteBecame(GraphWorks &graphs, const gpuinstr_frame &frame) {
  const uint64_t handle = slotOf(frame, GPUINSTR_SLOT_DST), from = slotOf(frame, GPUINSTR_SLOT_SRC);
  from ? graphs.became(handle, from) : graphs.executableGone(handle);
}
void noteGone(GraphWorks &graphs, const gpuinstr_frame &frame) {
  graphs.destroyed(slotOf(frame, GPUINSTR_SLOT_DST));
}

GPUINSTR_HOT_DATA ShortLook Begins = {beforeCapture<>, afterBegin},
                            Ends = {beforeCapture<true>, afterEnd},
                            Becomes = {beforeCapture<>, afterChange<noteBecame>},
                            Destroyed = {beforeCapture<>, afterChange<noteGone>};

} // namespace

const ShortLook *shortLookAtGraph(const gpuinstr_site &site) {
  switch (site.op) {
  case GPUINSTR_OP_CAPTURE_BEGIN:
    return &Begins;
  case GPUINSTR_OP_CAPTURE_END:
    return &Ends;
  case GPUINSTR_OP_DESTROY:
    return site.resource == GPUINSTR_RES_GRAPH ? &Destroyed : nullptr;
  default: // an update without a source would be unknown work
    return site.op == GPUINSTR_OP_GRAPH_NODE && site.detail == cuda::ExecutableUpdated ? &Becomes
                                                                                       : nullptr;
  }
}

void afterGraphLaunch(const Call &call, ThreadAuditState &local) {
  if (local.batch.empty())
    return;
  Auditor &a = auditor();
  std::shared_ptr<const GraphWork> work;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    work = a.graphs.executable(call.operands.dst.address);
  }
  static const std::vector<GraphCopy> none;
  const bool isSame = work && work->copies.size() == local.batch.size();
  const std::vector<GraphCopy> &copies = isSame ? work->copies : none;
  for (size_t i = 0; i < local.batch.size(); ++i) {
    Transfer &t = local.batch[i];
    if (!t.key)
      continue;
    t.sourceMayGo = true; // what the graph does last may tell others that it is done
    if (i < copies.size() && !call.failed && !work->hostRuns)
      lookAtHost(a, local, copies[i].call(call.thread), t, 0);
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (!call.failed && i < copies.size())
      countTransfer(a, t, 0);
    if (call.failed || i >= copies.size() || !isKnown(work.get()))
      t.key->unread = false; // what else the graph does may come behind it
    --t.key->pending;
  }
  local.batch.clear();
}

} // namespace gpuinstr::audit
