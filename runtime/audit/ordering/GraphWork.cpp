// What a graph does each time it is launched, as far as instrumented calls built it.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/GraphWork.h"

namespace gpuinstr::audit {

namespace {
constexpr size_t MostWorks = 4096; ///< handles that nobody destroys
}

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

GraphWork *GraphWorks::find(Works &works, uint64_t handle) {
  auto it = works.find(handle);
  return it == works.end() ? nullptr : &it->second;
}

void GraphWorks::captureBegun(uint64_t capture, bool empty) {
  if (Captures.size() >= MostWorks) // ended unseen
    Captures.clear();
  GraphWork work;
  work.unknown = !empty;
  Captures.insert_or_assign(capture, std::move(work));
}

GraphWork &GraphWorks::captured(uint64_t capture) {
  auto [it, isNew] = Captures.try_emplace(capture);
  it->second.unknown |= isNew;
  return it->second;
}

void GraphWorks::capturesUnknown() {
  UnknownCaptures = true;
  for (auto &[number, work] : Captures)
    work.unknown = true;
}

void GraphWorks::captureEnded(uint64_t capture, uint64_t graph) {
  auto it = Captures.find(capture);
  GraphWork work;
  work.unknown = it == Captures.end() || UnknownCaptures;
  if (it != Captures.end()) {
    bool unknown = work.unknown;
    work = std::move(it->second);
    work.unknown |= unknown;
    Captures.erase(it);
  }
  if (graph && Graphs.size() < MostWorks)
    Graphs.insert_or_assign(graph, std::move(work));
  UnknownCaptures &= !Captures.empty();
}

void GraphWorks::cloned(uint64_t graph, uint64_t from) {
  if (const GraphWork *known = find(Graphs, from)) {
    GraphWork copy = *known;
    Graphs.erase(graph);
    Graphs.emplace(graph, copy);
  } else {
    Graphs.erase(graph);
  }
}

void GraphWorks::instantiated(uint64_t executable, uint64_t graph) {
  Executables.erase(executable);
  const GraphWork *known = find(Graphs, graph);
  if (known && Executables.size() < MostWorks)
    Executables.emplace(executable, *known);
}

void GraphWorks::nodeChanged() {
  for (auto &[handle, work] : Graphs) {
    work.unknown = true;
    work.copies.clear();
  }
}

void GraphWorks::clear() {
  Captures.clear();
  Graphs.clear();
  Executables.clear();
}

} // namespace gpuinstr::audit
