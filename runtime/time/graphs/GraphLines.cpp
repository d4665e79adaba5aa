// Which lines a graph was captured from, where nothing reads its nodes.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/GraphLines.h"
#include "calls/Observer.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "time/TimeStore.h"
#include "time/graphs/CapturePlan.h"
#include "time/sampled/Sampler.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::timing {

namespace {

using Lines = CapturePlan::Lines;

/// Graphs that nobody destroys are remembered up to here.
constexpr size_t MostGraphs = 1 << 14;
/// Launches that went into no capture, one after the other: code without instrumentation has ended
/// it.
constexpr uint32_t MostBeside = 1 << 16;
/// Captures that are open at once.
constexpr size_t MostOpen = 1 << 10;

struct Open {
  uint64_t stream = 0, context = 0;
  Lines inherited, lines;   ///< of the graph that it goes into, and its own
  CapturePlan::Place place; ///< where it began
  bool looked = false;      ///< at what goes into it
  uint64_t looksBefore = 0; ///< the process's when it began
  uint64_t takenNs = 0;     ///< for the look
};

/// By the driver's number, older ones first.
using OpenCaptures = std::map<uint64_t, Open>;

struct Graph {
  uint64_t context = 0;
  Lines lines;
  SiteIndex notedAt = 0; ///< the site that launched it last
};

struct Store {
  std::mutex Mutex;
  OpenCaptures Captures;
  std::unordered_map<uint64_t, Graph> Graphs; ///< by cudaGraph_t and cudaGraphExec_t
  CapturePlan Plan;
  bool AnyLines = false; ///< there was a graph
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

std::atomic<bool> AnyOpen{false}, AnyLooked{false}; ///< captures, and those that are looked at
std::atomic<uint32_t> Beside{0};
/// Launches are no longer asked where they went.
std::atomic<bool> GivenUp{false};
std::atomic<uint64_t> Looks{0};

void addLine(Lines &lines, SiteIndex site) {
  if (site && lines.size() < MostGraphLines &&
      std::find(lines.begin(), lines.end(), site) == lines.end())
    lines.push_back(site);
}

void closeLooked();

/// No capture, though one is open: when this goes on, it was ended unseen. Those that are not
/// looked at cost nothing more, and stay open.
void noteBeside() {
  if (Beside.fetch_add(1, std::memory_order_relaxed) != MostBeside)
    return;
  std::lock_guard<std::mutex> lock(store().Mutex);
  GivenUp.store(true);
  closeLooked();
}

bool goesIntoCapture(uint64_t stream) {
  if (!AnyOpen.load(std::memory_order_relaxed) || GivenUp.load(std::memory_order_relaxed))
    return false;
  if (captureOf(stream))
    return true;
  noteBeside();
  return false;
}

/// Graphs whose lines are known, when they are launched. Asked only once there is one.
class GraphLaunches : public Observer {
public:
  GraphLaunches() : Observer(opBit(GPUINSTR_OP_GRAPH_LAUNCH)) {}
  void after(const Call &call) override {
    if (call.failed || goesIntoCapture(call.operation.stream))
      return; // or it became part of another graph
    Lines lines;
    {
      std::lock_guard<std::mutex> lock(store().Mutex);
      auto graph = store().Graphs.find(call.operation.slot(GPUINSTR_SLOT_DST));
      if (graph == store().Graphs.end() || graph->second.notedAt == call.chargedSite)
        return;
      graph->second.notedAt = call.chargedSite;
      lines = graph->second.lines;
    }
    noteGraphLines(call.chargedSite, lines);
  }
};

GraphLaunches &graphLaunches() {
  static GraphLaunches *launches = new GraphLaunches; // leaked: used during exit
  return *launches;
}

/// What stood under this handle is a former graph's. No lines: nothing is known of it.
void setLines(uint64_t handle, const Lines &lines, uint64_t context) {
  Store &s = store();
  s.Graphs.erase(handle);
  if (!handle || lines.empty() || s.Graphs.size() >= MostGraphs)
    return;
  s.Graphs[handle] = {context, lines, 0};
  if (!s.AnyLines)
    unmuteObserver(graphLaunches());
  s.AnyLines = true;
}

Lines linesOf(uint64_t handle) {
  auto known = store().Graphs.find(handle);
  return known == store().Graphs.end() ? Lines() : known->second.lines;
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
    if (!AnyLooked.load(std::memory_order_relaxed) || call.failed)
      return;
    Looks.fetch_add(1, std::memory_order_relaxed);
    uint64_t capture = captureOf(call.operation.stream);
    if (!capture)
      return noteBeside();
    Beside.store(0, std::memory_order_relaxed);
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.Mutex);
    auto open = s.Captures.find(capture);
    if (open == s.Captures.end() || !open->second.looked)
      return;
    if (call.operation.op != GPUINSTR_OP_GRAPH_LAUNCH)
      return addLine(open->second.lines, call.chargedSite);
    // A graph within the graph.
    for (SiteIndex site : linesOf(call.operation.slot(GPUINSTR_SLOT_DST)))
      addLine(open->second.lines, site);
  }
};

CapturedWork &capturedWork() {
  static CapturedWork *work = new CapturedWork; // leaked: used during exit
  return *work;
}

/// Captures were opened or closed.
void capturesChanged() {
  const auto &captures = store().Captures;
  AnyOpen.store(!captures.empty());
  bool looked = std::any_of(captures.begin(), captures.end(),
                            [](const auto &capture) { return capture.second.looked; });
  if (AnyLooked.exchange(looked) == looked)
    return;
  looked ? unmuteObserver(capturedWork()) : muteObserver(capturedWork());
}

/// The capture is over, in whatever way.
Open close(OpenCaptures::iterator at) {
  Store &s = store();
  Open open = std::move(at->second);
  s.Captures.erase(at);
  if (open.looked)
    s.Plan.looked(open.place, Looks.load() - open.looksBefore, open.takenNs);
  return open;
}

template <class Which> void closeAll(Which which) {
  OpenCaptures &all = store().Captures;
  for (auto i = all.begin(); i != all.end();) {
    auto at = i++;
    if (which(at->second))
      close(at);
  }
  capturesChanged();
}

void closeAll() {
  closeAll([](const Open &) { return true; });
}

void closeLooked() {
  closeAll([](const Open &open) { return open.looked; });
}

/// A stream is captured once at a time: those that are open were ended unseen.
void closeIn(uint64_t stream) {
  closeAll([&](const Open &open) { return open.stream == stream; });
}

class GraphObserver : public Observer {
public:
  GraphObserver()
      : Observer(opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END) |
                 opBit(GPUINSTR_OP_CREATE) | opBit(GPUINSTR_OP_DESTROY) |
                 opBit(GPUINSTR_OP_GRAPH_NODE) | opBit(GPUINSTR_OP_RESET_DEVICE)) {}

  /// Before: afterwards the handle may be another thread's new one.
  void before(const Call &call) override {
    uint64_t handle = call.operation.dst.address;
    std::unique_lock<std::mutex> lock(store().Mutex, std::defer_lock);
    if (call.operation.op == GPUINSTR_OP_RESET_DEVICE) {
      uint64_t context = handle ? handle : currentContext();
      lock.lock();
      dropContext(context);
    } else if (call.operation.op == GPUINSTR_OP_DESTROY && isGraph(call)) {
      lock.lock();
      store().Graphs.erase(handle);
    } else if (call.operation.op == GPUINSTR_OP_DESTROY &&
               call.operation.resource == GPUINSTR_RES_STREAM && AnyOpen.load()) {
      lock.lock();
      closeIn(handle);
    } else if (call.operation.op == GPUINSTR_OP_CAPTURE_END) {
      Ending = AnyOpen.load() ? captureOf(call.operation.stream) : 0;
    }
  }

  void after(const Call &call) override {
    const cuda::CallOperands &o = call.operation;
    constexpr unsigned Changed = 2; // of what changes a graph, only a whole update has a source
    if (o.op == GPUINSTR_OP_CAPTURE_END)
      return end(call);
    if (call.failed)
      return;
    if (o.op == GPUINSTR_OP_CAPTURE_BEGIN)
      return begin(call);
    uint64_t made = 0, from = o.slot(GPUINSTR_SLOT_SRC);
    if (o.op == GPUINSTR_OP_CREATE && isGraph(call)) {
      cuda::CallOperands created = o;
      made = readResult(created);
    } else if (o.op == GPUINSTR_OP_GRAPH_NODE && o.detail == Changed && from) {
      made = o.slot(GPUINSTR_SLOT_DST);
    }
    if (!made)
      return;
    uint64_t context = currentContext();
    std::lock_guard<std::mutex> lock(store().Mutex);
    setLines(made, from ? linesOf(from) : Lines(), context);
  }

private:
  static bool isGraph(const Call &call) {
    return call.operation.resource == GPUINSTR_RES_GRAPH ||
           call.operation.resource == GPUINSTR_RES_GRAPH_EXEC;
  }

  static void dropContext(uint64_t context) {
    Store &s = store();
    closeAll([&](const Open &open) { return open.context == context; });
    for (auto i = s.Graphs.begin(); i != s.Graphs.end();)
      i = i->second.context == context ? s.Graphs.erase(i) : std::next(i);
  }

  static void begin(const Call &call) {
    if (!TimedOperations.load(std::memory_order_relaxed))
      return;
    uint64_t stream = call.operation.stream, capture = captureOf(stream);
    if (!capture)
      return;
    constexpr unsigned ToGraph = 1;
    uint64_t into = call.operation.detail == ToGraph ? call.operation.slot(GPUINSTR_SLOT_DST) : 0;
    uint64_t context = currentContext();
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.Mutex);
    Open open;
    open.stream = keyOf(stream, call.thread);
    open.context = context;
    if (into)
      open.inherited = linesOf(into);
    open.place = {call.chargedSite, call.caller};
    closeIn(open.stream);
    if (s.Captures.size() >= MostOpen)
      closeAll(); // ended unseen, in streams that were destroyed unseen
    open.looksBefore = Looks.load();
    open.looked = s.Plan.wantsLook(open.place, open.takenNs);
    if (!open.looked)
      open.lines = s.Plan.lastOf(open.place);
    s.Captures[capture] = std::move(open);
    Beside.store(0);
    GivenUp.store(false);
    capturesChanged();
  }

  static void end(const Call &call) {
    if (call.failed && streamIsCapturing(call.operation.stream))
      return; // it could not be ended from here, and goes on
    cuda::CallOperands graph = call.operation;
    uint64_t handle = call.failed ? 0 : readResult(graph);
    uint64_t context = currentContext();
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.Mutex);
    Lines lines;
    if (auto at = s.Captures.find(Ending); at != s.Captures.end()) {
      Open open = close(at);
      lines = std::move(open.inherited);
      for (SiteIndex site : open.lines)
        addLine(lines, site);
      if (handle && open.looked)
        s.Plan.captured(open.place, open.lines);
    }
    closeIn(keyOf(call.operation.stream, call.thread)); // also where it was invalidated
    setLines(handle, lines, context);
  }

  /// The driver's number of the capture that this thread is about to end.
  static thread_local uint64_t Ending;
};

thread_local uint64_t GraphObserver::Ending = 0;

} // namespace

void addGraphObservers() {
  static GraphObserver *graphs = new GraphObserver; // leaked: used during exit
  for (Observer *later :
       {static_cast<Observer *>(&capturedWork()), static_cast<Observer *>(&graphLaunches())}) {
    addObserver(*later);
    muteObserver(*later);
  }
  addObserver(*graphs);
}

void lockGraphLines() { store().Mutex.lock(); }
void unlockGraphLines() { store().Mutex.unlock(); }

void forgetGraphLines() {
  store().Graphs.clear();
  store().Plan.clear();
  closeAll();
}

} // namespace gpuinstr::timing
