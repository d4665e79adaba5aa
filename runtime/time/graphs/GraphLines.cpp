// Which lines a graph was captured from, where nothing reads its nodes.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/GraphLines.h"
#include "base/Guard.h"
#include "calls/CallHooks.h"
#include "calls/CaptureObserver.h"
#include "calls/Observer.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/operands/GraphNode.h"
#include "ledger/HandleTable.h"
#include "time/graphs/OpenCaptures.h"
#include <mutex>
#include <unordered_map>

namespace gpuinstr::timing {

namespace {

/// Graphs that nobody destroys are remembered up to here.
constexpr size_t MostGraphs = 1 << 14;

struct Graph : CapturedGraph {
  SiteIndex notedAt = 0; ///< the site that launched it last
};

Observer &capturedWork();

struct Store {
  std::mutex mutex;
  OpenCaptures captures{mutex, capturedWork()};
  HandleTable<uint64_t, Graph> graphs;           ///< by cudaGraph_t and cudaGraphExec_t
  std::unordered_map<SiteIndex, Lines> launched; ///< of the graphs that a site launched
  bool anyLines = false;                         ///< there was a graph
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

/// Graphs whose lines are known, when they are launched. Asked only once there is one.
class GraphLaunches final : public Observer {
public:
  GraphLaunches() : Observer(opBit(GPUINSTR_OP_GRAPH_LAUNCH)) {}
  void after(const Call &call) override {
    if (call.failed || store().captures.launchedInto(call.operands.stream))
      return; // or it became part of another graph
    note(call.operands.slot(GPUINSTR_SLOT_DST), call.chargedSite);
  }
  const ShortLook *shortLook(const gpuinstr_site &) const override { return &Again; }

private:
  static void note(uint64_t executable, SiteIndex site) {
    std::lock_guard<std::mutex> lock(store().mutex);
    Graph *graph = store().graphs.find(executable);
    if (!graph || graph->notedAt == site)
      return;
    graph->notedAt = site;
    for (SiteIndex line : *graph->lines)
      addLine(store().launched[site], line);
  }
  GPUINSTR_HOT static bool isNoPart(ThreadState &, const gpuinstr_frame &) {
    return !cuda::Captures.anyOpen();
  }
  GPUINSTR_HOT static void noteAgain(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
    BusyScope busy(thread);
    if (frame.site->slots >> GPUINSTR_SLOT_DST & 1)
      guarded([&] { note(frame.slot[GPUINSTR_SLOT_DST], thread.root.site); });
  }
  static ShortLook Again;
};
GPUINSTR_HOT_DATA ShortLook GraphLaunches::Again = {isNoPart, noteAgain};

GraphLaunches &graphLaunches() {
  static GraphLaunches *launches = new GraphLaunches; // leaked: used during exit
  return *launches;
}

/// What stood under this handle is a former graph's. No lines: nothing is known of it.
void setGraph(uint64_t handle, const CapturedGraph &graph) {
  Store &s = store();
  if (!handle || !graph.lines || graph.lines->empty())
    return s.graphs.erase(handle);
  if (s.graphs.size() >= MostGraphs && !s.graphs.find(handle))
    return;
  Graph &known = s.graphs.at(handle);
  if (known.lines != graph.lines)
    known.notedAt = 0;
  static_cast<CapturedGraph &>(known) = graph;
  if (!s.anyLines)
    unmuteObserver(graphLaunches());
  s.anyLines = true;
}

CapturedGraph graphOf(uint64_t handle) {
  const Graph *known = store().graphs.find(handle);
  return known ? CapturedGraph(*known) : CapturedGraph();
}

/// Each thread has a per-thread default stream of its own.
uint64_t keyOf(uint64_t stream, const ThreadState &thread) {
  constexpr uint64_t PerThread = 2;
  return stream == PerThread ? reinterpret_cast<uintptr_t>(&thread) : stream;
}

/// Work that goes into graphs. Asked only while a capture is looked at: it is what makes every
/// launch take the long way.
class CapturedWork : public Observer {
public:
  CapturedWork()
      : Observer(opBit(GPUINSTR_OP_LAUNCH) | opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
                 opBit(GPUINSTR_OP_COPY_3D) | opBit(GPUINSTR_OP_COPY_SYMBOL) |
                 opBit(GPUINSTR_OP_COPY_ARRAY) | opBit(GPUINSTR_OP_COPY_BATCH) |
                 opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) | opBit(GPUINSTR_OP_SET_3D) |
                 opBit(GPUINSTR_OP_GRAPH_LAUNCH)) {}

  void after(const Call &call) override {
    Store &s = store();
    if (!s.captures.anyLooked() || call.failed)
      return;
    uint64_t capture = s.captures.lookAt(call.operands.stream);
    if (!capture)
      return;
    std::lock_guard<std::mutex> lock(s.mutex);
    OpenCapture *open = s.captures.looked(capture);
    if (!open)
      return;
    if (call.operands.op != GPUINSTR_OP_GRAPH_LAUNCH)
      return addLine(open->lines, call.chargedSite);
    // A graph within the graph.
    if (SharedLines inner = graphOf(call.operands.slot(GPUINSTR_SLOT_DST)).lines)
      for (SiteIndex site : *inner)
        addLine(open->lines, site);
  }
};

Observer &capturedWork() {
  static CapturedWork *work = new CapturedWork; // leaked: used during exit
  return *work;
}

/// What an executable is from now on: the graph `from`, with 0 nothing that is known.
void becomeGraph(uint64_t handle, uint64_t from) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  const Graph *source = from ? s.graphs.find(from) : nullptr;
  const Graph *known = source ? s.graphs.find(handle) : nullptr;
  if (known && known->lines == source->lines && known->context == source->context)
    return; // it is that already
  setGraph(handle, source ? CapturedGraph(*source) : CapturedGraph());
}

class GraphObserver final : public Observer {
public:
  GraphObserver()
      : Observer(opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END) |
                 opBit(GPUINSTR_OP_CREATE) | opBit(GPUINSTR_OP_DESTROY) |
                 opBit(GPUINSTR_OP_GRAPH_NODE) | opBit(GPUINSTR_OP_RESET_DEVICE)) {}

  /// Of nodes, those of a whole graph that another one becomes; nothing of events.
  const ShortLook *shortLook(const gpuinstr_site &site) const override {
    switch (site.op) {
    case GPUINSTR_OP_CAPTURE_BEGIN:
      return &Begins;
    case GPUINSTR_OP_CAPTURE_END:
      return &Ends;
    case GPUINSTR_OP_GRAPH_NODE:
      if (!(site.slots >> GPUINSTR_SLOT_SRC & 1))
        return &NoLook;
      return site.detail == cuda::ExecutableUpdated ? &Becomes : nullptr;
    default:
      return site.resource == GPUINSTR_RES_EVENT                                     ? &NoLook
             : site.op == GPUINSTR_OP_DESTROY && site.resource == GPUINSTR_RES_GRAPH ? &Destroyed
                                                                                     : nullptr;
    }
  }

  /// Before: afterwards the handle may be another thread's new one.
  void before(const Call &call) override {
    uint64_t handle = call.operands.dst.address;
    std::unique_lock<std::mutex> lock(store().mutex, std::defer_lock);
    if (call.operands.op == GPUINSTR_OP_RESET_DEVICE) {
      uint64_t context = handle ? handle : currentContext();
      lock.lock();
      dropContext(context);
    } else if (call.operands.op == GPUINSTR_OP_DESTROY && isGraph(call)) {
      lock.lock();
      store().graphs.erase(handle);
    } else if (call.operands.op == GPUINSTR_OP_DESTROY &&
               call.operands.resource == GPUINSTR_RES_STREAM && cuda::Captures.anyOpen()) {
      lock.lock();
      store().captures.closeIn(handle);
    }
  }

  void after(const Call &call) override {
    const cuda::CallOperands &o = call.operands;
    if (o.op == GPUINSTR_OP_CAPTURE_END) {
      if (call.failed && streamIsCapturing(o.stream))
        return; // it could not be ended from here, and goes on
      return end(call.thread, o.stream, call.failed ? 0 : resultOf(o).address);
    }
    if (call.failed)
      return;
    if (o.op == GPUINSTR_OP_CAPTURE_BEGIN)
      return begin(call.thread, o.stream, o.detail == ToGraph ? o.slot(GPUINSTR_SLOT_DST) : 0);
    uint64_t made = 0, from = o.slot(GPUINSTR_SLOT_SRC);
    if (o.op == GPUINSTR_OP_CREATE && isGraph(call)) {
      made = resultOf(o).address;
    } else if (o.op == GPUINSTR_OP_GRAPH_NODE && o.detail == cuda::ExecutableUpdated && from) {
      made = o.slot(GPUINSTR_SLOT_DST);
    }
    if (made)
      becomeGraph(made, from);
  }

private:
  static constexpr unsigned ToGraph = 1; ///< detail of CAPTURE_BEGIN: CudaApi.def

  static bool isGraph(const Call &call) {
    return call.operands.resource == GPUINSTR_RES_GRAPH ||
           call.operands.resource == GPUINSTR_RES_GRAPH_EXEC;
  }

  static void dropContext(uint64_t context) {
    Store &s = store();
    s.captures.closeInContext(context);
    s.graphs.eraseIf([&](uint64_t, const Graph &graph) { return graph.context == context; });
  }

  static void begin(const ThreadState &thread, uint64_t stream, uint64_t into) {
    if (!TimedOperations.load(std::memory_order_relaxed))
      return;
    const uint64_t capture = thread.capture.number;
    if (!capture)
      return;
    uint64_t context = currentContext();
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.mutex);
    OpenCapture open;
    open.number = capture;
    open.stream = keyOf(stream, thread);
    open.context = context;
    if (into)
      open.inherited = graphOf(into).lines;
    open.place = {thread.root.site, thread.root.caller};
    s.captures.begin(std::move(open));
  }

  /// `handle`: of the graph, 0 none.
  static void end(const ThreadState &thread, uint64_t stream, uint64_t handle) {
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.mutex);
    CapturedGraph graph = s.captures.end(thread.capture.number, handle != 0);
    s.captures.closeIn(keyOf(stream, thread)); // also where it was invalidated
    setGraph(handle, graph);
  }

  // Where they come again and again.
  static bool beforeNothing(ThreadState &, const gpuinstr_frame &) { return true; }
  GPUINSTR_HOT static void beginShortly(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
    BusyScope busy(thread);
    const bool isPart = frame.site->detail == ToGraph;
    guarded(
        [&] { begin(thread, streamHandle(frame), isPart ? slotOf(frame, GPUINSTR_SLOT_DST) : 0); });
  }
  GPUINSTR_HOT static void endShortly(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
    BusyScope busy(thread);
    auto *place = reinterpret_cast<const uint64_t *>(slotOf(frame, GPUINSTR_SLOT_DST));
    guarded([&] { end(thread, streamHandle(frame), place ? *place : 0); });
  }
  GPUINSTR_HOT static void becomeShortly(ThreadState &thread, const gpuinstr_frame &frame,
                                         int32_t) {
    BusyScope busy(thread);
    const uint64_t made = slotOf(frame, GPUINSTR_SLOT_DST);
    if (const uint64_t from = slotOf(frame, GPUINSTR_SLOT_SRC); made && from)
      guarded([&] { becomeGraph(made, from); });
  }
  GPUINSTR_HOT static bool beforeDestroyed(ThreadState &thread, const gpuinstr_frame &frame) {
    BusyScope busy(thread);
    guarded([&] {
      std::lock_guard<std::mutex> lock(store().mutex);
      store().graphs.erase(slotOf(frame, GPUINSTR_SLOT_DST));
    });
    return true;
  }
  static ShortLook Begins, Ends, Becomes, Destroyed;
};
GPUINSTR_HOT_DATA ShortLook GraphObserver::Begins = {beforeNothing, beginShortly};
GPUINSTR_HOT_DATA ShortLook GraphObserver::Ends = {beforeNothing, endShortly};
GPUINSTR_HOT_DATA ShortLook GraphObserver::Becomes = {beforeNothing, becomeShortly};
GPUINSTR_HOT_DATA ShortLook GraphObserver::Destroyed = {beforeDestroyed, nullptr};

} // namespace

void addGraphObservers() {
  watchCaptures();
  static GraphObserver *graphs = new GraphObserver; // leaked: used during exit
  for (Observer *later : {&capturedWork(), static_cast<Observer *>(&graphLaunches())}) {
    addObserver(*later);
    muteObserver(*later);
  }
  addObserver(*graphs);
}

std::vector<SiteIndex> graphLinesOf(SiteIndex site) {
  std::lock_guard<std::mutex> lock(store().mutex);
  auto launched = store().launched.find(site);
  return launched == store().launched.end() ? Lines() : launched->second;
}

void clearNotedGraphLines() {
  std::lock_guard<std::mutex> lock(store().mutex);
  store().launched.clear();
  store().graphs.each([](uint64_t, Graph &graph) { graph.notedAt = 0; });
}

void lockGraphLines() { store().mutex.lock(); }
void unlockGraphLines() { store().mutex.unlock(); }

void forgetGraphLines() {
  store().launched.clear();
  store().graphs.clear();
  store().captures.forget();
}

} // namespace gpuinstr::timing
