// Which lines a graph was captured from, where nothing reads its nodes.
// SPDX-License-Identifier: Apache-2.0
#include "time/GraphLines.h"
#include "core/Driver.h"
#include "core/Observer.h"
#include "time/LaunchConfig.h"
#include "time/Sampler.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::timing {

using core::opBit;

namespace {

using Lines = std::vector<core::SiteIndex>;

/// Graphs that nobody destroys are remembered up to here.
constexpr size_t MostGraphs = 1 << 14;

struct Store {
  std::mutex Mutex;
  std::unordered_map<uint64_t, Lines> Captures; ///< open ones, by the driver's number
  std::unordered_map<uint64_t, Lines> Graphs;   ///< cudaGraph_t and cudaGraphExec_t
  /// The capture that a thread is about to end.
  std::unordered_map<const core::ThreadState *, uint64_t> Ending;
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

std::atomic<bool> AnyOpen{false};

void addLine(Lines &lines, core::SiteIndex site) {
  if (site && lines.size() < MostGraphLines &&
      std::find(lines.begin(), lines.end(), site) == lines.end())
    lines.push_back(site);
}

/// `from` 0, or a graph of unknown lines: what stood there is a former graph's.
void copyLines(uint64_t to, uint64_t from) {
  Store &s = store();
  auto known = s.Graphs.find(from);
  if (!to || known == s.Graphs.end())
    s.Graphs.erase(to);
  else if (Lines lines = known->second; s.Graphs.size() < MostGraphs || s.Graphs.count(to))
    s.Graphs[to] = std::move(lines);
}

uint64_t streamOf(const core::Operation &o) {
  LaunchRequest launch;
  return o.op == GPUINSTR_OP_LAUNCH ? readLaunch(o, launch) ? launch.stream : 0 : o.stream;
}

/// Work that goes into graphs. Asked only while a capture is open: it is what makes every launch
/// take the long way.
class CapturedWork : public core::Observer {
public:
  CapturedWork()
      : Observer(opBit(GPUINSTR_OP_LAUNCH) | opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) |
                 opBit(GPUINSTR_OP_COPY_3D) | opBit(GPUINSTR_OP_COPY_SYMBOL) |
                 opBit(GPUINSTR_OP_COPY_ARRAY) | opBit(GPUINSTR_OP_COPY_BATCH) |
                 opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) | opBit(GPUINSTR_OP_SET_3D) |
                 opBit(GPUINSTR_OP_GRAPH_LAUNCH)) {}

  void after(const core::Call &call) override {
    if (!AnyOpen.load(std::memory_order_relaxed) || call.failed)
      return;
    uint64_t capture = core::captureOf(streamOf(call.operation));
    if (!capture)
      return;
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.Mutex);
    auto open = s.Captures.find(capture);
    if (open == s.Captures.end())
      return;
    if (call.operation.op != GPUINSTR_OP_GRAPH_LAUNCH)
      return addLine(open->second, call.chargedSite);
    // A graph within the graph.
    if (auto inner = s.Graphs.find(call.operation.slot(GPUINSTR_SLOT_DST)); inner != s.Graphs.end())
      for (core::SiteIndex site : inner->second)
        addLine(open->second, site);
  }
};

CapturedWork &capturedWork() {
  static CapturedWork *work = new CapturedWork; // leaked: used during exit
  return *work;
}

/// A capture is over. What it had captured; the caller locks.
Lines close(uint64_t capture) {
  Store &s = store();
  Lines lines;
  if (auto open = s.Captures.find(capture); open != s.Captures.end()) {
    lines = std::move(open->second);
    s.Captures.erase(open);
  }
  if (s.Captures.empty() && AnyOpen.exchange(false))
    core::muteObserver(capturedWork());
  return lines;
}

class GraphObserver : public core::Observer {
public:
  GraphObserver()
      : Observer(opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END) |
                 opBit(GPUINSTR_OP_CREATE) | opBit(GPUINSTR_OP_DESTROY) |
                 opBit(GPUINSTR_OP_GRAPH_NODE) | opBit(GPUINSTR_OP_RESET_DEVICE)) {}

  void before(const core::Call &call) override {
    switch (call.operation.op) {
    case GPUINSTR_OP_DESTROY:
      return beforeDestroy(call);
    case GPUINSTR_OP_CAPTURE_END:
      if (AnyOpen.load()) {
        uint64_t capture = core::captureOf(call.operation.stream);
        std::lock_guard<std::mutex> lock(store().Mutex);
        store().Ending[&call.thread] = capture;
      }
      return;
    case GPUINSTR_OP_RESET_DEVICE: {
      std::lock_guard<std::mutex> lock(store().Mutex);
      return forgetGraphLines();
    }
    }
  }

  void after(const core::Call &call) override {
    switch (call.operation.op) {
    case GPUINSTR_OP_CAPTURE_BEGIN:
      return begin(call);
    case GPUINSTR_OP_CAPTURE_END:
      return end(call);
    case GPUINSTR_OP_CREATE:
      if (isGraph(call) && !call.failed) {
        core::Operation created = call.operation;
        noteGraph(core::readResult(created), created.slot(GPUINSTR_SLOT_SRC));
      }
      return;
    case GPUINSTR_OP_GRAPH_NODE:
      // Of those that change a graph, only the update of a whole one has a source.
      constexpr unsigned Changed = 2;
      if (uint64_t from = call.operation.slot(GPUINSTR_SLOT_SRC);
          from && call.operation.detail == Changed && !call.failed)
        noteGraph(call.operation.slot(GPUINSTR_SLOT_DST), from);
      return;
    }
  }

private:
  static bool isGraph(const core::Call &call) {
    return call.operation.resource == GPUINSTR_RES_GRAPH ||
           call.operation.resource == GPUINSTR_RES_GRAPH_EXEC;
  }

  static void noteGraph(uint64_t made, uint64_t from) {
    std::lock_guard<std::mutex> lock(store().Mutex);
    copyLines(made, from);
  }

  /// When it is destroyed its handle may be another thread's new graph.
  static void beforeDestroy(const core::Call &call) {
    uint64_t handle = call.operation.dst.address;
    bool stream = AnyOpen.load() && call.operation.resource == GPUINSTR_RES_STREAM;
    uint64_t capture = stream ? core::captureOf(handle) : 0;
    if (!isGraph(call) && !capture)
      return;
    std::lock_guard<std::mutex> lock(store().Mutex);
    if (capture)
      close(capture);
    else
      store().Graphs.erase(handle);
  }

  static void begin(const core::Call &call) {
    if (call.failed || !TimedOperations.load(std::memory_order_relaxed))
      return;
    uint64_t capture = core::captureOf(call.operation.stream);
    if (!capture)
      return;
    Store &s = store();
    std::lock_guard<std::mutex> lock(s.Mutex);
    s.Captures[capture];
    if (!AnyOpen.exchange(true))
      core::unmuteObserver(capturedWork());
  }

  static void end(const core::Call &call) {
    Store &s = store();
    core::Operation graph = call.operation;
    uint64_t handle = call.failed ? 0 : core::readResult(graph);
    // A capture that could not be ended from here goes on.
    uint64_t still = call.failed ? core::captureOf(call.operation.stream) : 0;
    std::lock_guard<std::mutex> lock(s.Mutex);
    Lines lines;
    if (auto ending = s.Ending.find(&call.thread); ending != s.Ending.end()) {
      uint64_t capture = ending->second;
      s.Ending.erase(ending);
      if (capture != still)
        lines = close(capture);
    }
    s.Graphs.erase(handle);
    if (!lines.empty() && s.Graphs.size() < MostGraphs)
      s.Graphs[handle] = std::move(lines);
  }
};

} // namespace

void addGraphObservers() {
  static GraphObserver *graphs = new GraphObserver; // leaked: used during exit
  core::addObserver(capturedWork());
  core::muteObserver(capturedWork());
  core::addObserver(*graphs);
}

std::vector<core::SiteIndex> linesOfGraph(uint64_t exec) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  auto graph = s.Graphs.find(exec);
  return graph == s.Graphs.end() ? Lines() : graph->second;
}

void lockGraphLines() { store().Mutex.lock(); }
void unlockGraphLines() { store().Mutex.unlock(); }

void forgetGraphLines() {
  Store &s = store();
  s.Captures.clear();
  s.Graphs.clear();
  s.Ending.clear();
  if (AnyOpen.exchange(false))
    core::muteObserver(capturedWork());
}

} // namespace gpuinstr::timing
