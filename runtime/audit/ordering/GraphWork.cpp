// What a graph does each time it is launched, as far as instrumented calls built it.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/GraphWork.h"
#include <algorithm>
#include <iterator>

namespace gpuinstr::audit {

namespace {
constexpr size_t MostWorks = 4096; ///< handles that nobody destroys
/// Works that wait for the next capture, and the largest that do.
constexpr size_t MostSpare = 4, MostSpareTouches = 4096;
} // namespace

GraphCopy::GraphCopy(const Call &call, const cuda::CallOperands &o)
    : kept(std::make_shared<Kept>(Kept{*call.operands.frame, call.site})), operands(o),
      site(call.chargedSite), caller(call.caller) {
  kept->frame.site = &kept->site;
  operands.frame = &kept->frame;
}

Call GraphCopy::call(ThreadState &thread) const {
  return {operands, kept->site, thread, site, caller, 0, false};
}

bool GraphWork::isWritten(const GraphCopy &copy) const {
  uint64_t lo = copy.operands.src.address, hi = lo + copy.operands.src.span();
  for (const GraphCopy &other : copies) {
    uint64_t from = other.operands.dst.address;
    if (from && from < hi && lo < from + other.operands.dst.span())
      return true;
  }
  return false;
}

void GraphWork::noteHost(CopySet copiesBefore) {
  if (isLoose)
    copiesBefore.reset();
  beforeHost = hostRuns ? beforeHost & copiesBefore : copiesBefore;
  hostRuns = true;
}

/// In other streams nothing says what comes first: they may wait for each other.
void GraphWork::noteHostFunction(uint64_t stream) {
  constexpr uint64_t PerThread = 2; // up to here: of which stream, the thread or the context says
  CopySet before;
  for (size_t i = 0; stream > PerThread && i < copies.size(); ++i)
    before[i] = copies[i].operands.stream == stream;
  noteHost(before);
}

/// Of its kernels and copies nothing changes: those that touch the same have an order, which can
/// only become another one by edges that are added, and then it is unknown.
void GraphWork::noteEdgesRemoved() {
  isLoose = true;
  beforeHost.reset();
  nodes.clear();
}

bool GraphWork::isBeforeHost(const GraphCopy &copy) const {
  return !hostRuns || beforeHost[size_t(&copy - copies.data())];
}

GraphWork::CopySet GraphWork::copiesBehind(const uint64_t *handles, size_t count) const {
  CopySet ended;
  for (size_t i = 0; handles && i < count; ++i) {
    auto at = std::find_if(nodes.rbegin(), nodes.rend(),
                           [&](const Node &node) { return node.handle == handles[i]; });
    if (at != nodes.rend())
      ended |= at->ended;
  }
  return ended;
}

void GraphWork::noteNode(uint64_t handle, const CopySet &ended) {
  constexpr size_t MostNodes = 1024; // what comes behind others is not known to come behind copies
  if (ended.any() && !isLoose && nodes.size() < MostNodes)
    nodes.push_back({handle, ended});
}

GraphWork::CopySet GraphWork::addGraph(const GraphWork &child, const CopySet &behind) {
  const size_t first = copies.size(), number = std::min(child.copies.size(), MostCopies - first);
  copies.insert(copies.end(), child.copies.begin(), child.copies.begin() + ptrdiff_t(number));
  holdsGraph = true;
  if (child.hostRuns)
    noteHost(behind | child.beforeHost << first);
  CopySet ended = behind;
  for (size_t i = first; i < copies.size(); ++i)
    ended.set(i);
  return ended;
}

void GraphWork::noteTouch(GraphTouch touch) {
  touch.copies = uint32_t(copies.size());
  if (touch.range && touch.range->serial == touch.serial) {
    touch.base = touch.range->base;
    touch.bytes = touch.range->bytes;
  }
  constexpr size_t LookedAt = 16;
  auto end = touches.end(), begin = end - ptrdiff_t(std::min(touches.size(), LookedAt));
  if (std::find(begin, end, touch) == end)
    touches.push_back(touch);
}

void GraphWork::clear() {
  copies.clear();
  touches.clear();
  nodes.clear();
  follows = mayWait = hostRuns = unknown = isLoose = holdsGraph = false;
  keepsVariables = true;
  beforeHost.reset();
}

GraphWorks::Work GraphWorks::find(const Works &works, uint64_t handle) {
  const Work *work = works.find(handle);
  return work ? *work : nullptr;
}

GraphWorks::Work GraphWorks::make() {
  if (Spare.empty())
    return std::make_shared<GraphWork>();
  Work work = std::move(Spare.back());
  Spare.pop_back();
  return work;
}

/// The next capture has room for as much.
void GraphWorks::drop(Work work) {
  if (!work || work.use_count() != 1 || Spare.size() == MostSpare ||
      work->touches.capacity() > MostSpareTouches)
    return;
  work->clear();
  Spare.push_back(std::move(work));
}

void GraphWorks::set(Works &works, uint64_t handle, Work work) {
  if (Work *known = works.find(handle)) {
    drop(std::exchange(*known, std::move(work)));
    if (!*known)
      works.erase(handle);
  } else if (work && works.size() < MostWorks) {
    works.at(handle) = std::move(work);
  }
}

std::vector<GraphWorks::Capture>::iterator GraphWorks::findCapture(uint64_t number) {
  auto at = std::find_if(Captures.rbegin(), Captures.rend(),
                         [&](const Capture &capture) { return capture.number == number; });
  return at == Captures.rend() ? Captures.end() : std::prev(at.base());
}

void GraphWorks::captureBegun(uint64_t capture, bool empty) {
  if (Captures.size() >= MostWorks) // ended unseen
    Captures.clear();
  auto former = findCapture(capture);
  if (former != Captures.end())
    Captures.erase(former);
  Captures.push_back({capture, make()});
  if (!empty) { // what is in it already may call the host
    Captures.back().work->unknown = true;
    Captures.back().work->noteHost({});
  }
}

GraphWork &GraphWorks::captured(uint64_t capture) {
  auto at = findCapture(capture);
  if (at != Captures.end())
    return *at->work;
  captureBegun(capture, false);
  return *Captures.back().work;
}

void GraphWorks::capturesUnknown(bool hostRuns) {
  UnknownCaptures = true;
  for (Capture &capture : Captures) {
    capture.work->unknown = true;
    if (hostRuns)
      capture.work->noteHostFunction(0);
  }
}

void GraphWorks::captureEnded(uint64_t capture, uint64_t graph) {
  auto at = findCapture(capture);
  Work work;
  if (at != Captures.end()) {
    work = std::move(at->work);
    Captures.erase(at);
    work->unknown |= UnknownCaptures;
  } else {
    work = make();
    work->unknown = true;
    work->noteHost({});
  }
  UnknownCaptures &= !Captures.empty();
  if (graph)
    set(Graphs, graph, std::move(work));
  else
    drop(std::move(work));
}

/// Of nobody else, to be changed.
GraphWork &GraphWorks::own(Work &work) {
  if (work.use_count() != 1)
    work = std::make_shared<GraphWork>(*work);
  return *work;
}

GraphWork *GraphWorks::graph(uint64_t graph) {
  Work *work = Graphs.find(graph);
  return work ? &own(*work) : nullptr;
}

/// The nodes of the clone are others.
void GraphWorks::cloned(uint64_t graph, uint64_t from) {
  Work work = find(Graphs, from);
  if (work && !work->nodes.empty()) {
    work = std::make_shared<GraphWork>(*work);
    work->nodes.clear();
  }
  set(Graphs, graph, std::move(work));
}

void GraphWorks::heldChanged() {
  Graphs.each([](uint64_t, Work &shared) {
    if (!shared->holdsGraph)
      return;
    GraphWork &work = own(shared);
    work.noteEdgesRemoved();
    work.noteHost({});
  });
}

void GraphWorks::instantiated(uint64_t executable, uint64_t graph) {
  if (isKnownAsGone(executable))
    goneSlot(executable).store(0, std::memory_order_relaxed);
  set(Executables, executable, find(Graphs, graph));
}

void GraphWorks::became(uint64_t executable, uint64_t graph) {
  instantiated(executable, graph);
  noteGiven();
}

void GraphWorks::kernelsLaunch() {
  KernelsLaunch.store(true);
  noteGiven();
}

/// Which of them it was given, nobody says.
void GraphWorks::noteGiven() const {
  if (KernelsLaunch.load())
    Ranges::lostUpTo.store(Ranges::lastSerial());
}

void GraphWorks::executableGone(uint64_t executable) {
  set(Executables, executable, nullptr);
  goneSlot(executable).store(executable, std::memory_order_relaxed);
  noteGiven();
}

void GraphWorks::nodeChanged() {
  Graphs.each([](uint64_t, Work &shared) {
    GraphWork &work = own(shared);
    work.unknown = true;
    work.copies.clear();
    work.nodes.clear();
    work.beforeHost.reset();
  });
}

void GraphWorks::allChanged() {
  nodeChanged();
  Executables.clear();
}

void GraphWorks::clear() {
  Captures.clear();
  Graphs.clear();
  Executables.clear();
  UnknownCaptures = false;
  KernelsLaunch.store(false);
}

} // namespace gpuinstr::audit
