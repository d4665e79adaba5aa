// What a device did over time, and what the host did while the device had nothing to do.
// SPDX-License-Identifier: Apache-2.0
#include "time/common/Timeline.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

bool isCopy(Activity a) { return a == Activity::HostToDevice || a == Activity::DeviceToHost; }

struct Edge {
  uint64_t at;
  int16_t step; ///< +1 begins, -1 ends
  Activity activity;
};

/// What goes on at a moment.
struct Running {
  uint32_t count[Activities] = {};
  bool has(Activity a) const { return count[size_t(a)] != 0; }
  Activity first() const {
    for (size_t i = 0; i < size_t(Activity::Host); ++i)
      if (count[i])
        return Activity(i);
    return Activity::Host;
  }
};

} // namespace

void Timeline::add(Activity activity, uint64_t startNs, uint64_t endNs) {
  startNs = std::max(startNs, DoneUpTo);
  if (endNs > startNs)
    Spans.push_back({startNs, endNs, activity});
}

void Timeline::sweep(uint64_t upTo) {
  if (upTo <= DoneUpTo)
    return;
  std::vector<Edge> edges;
  edges.reserve(2 * Spans.size());
  size_t kept = 0;
  for (const Span &span : Spans) {
    if (span.start < upTo) {
      edges.push_back({span.start, 1, span.activity});
      edges.push_back({std::min(span.end, upTo), -1, span.activity});
    }
    if (span.end > upTo)
      Spans[kept++] = {std::max(span.start, upTo), span.end, span.activity};
  }
  Spans.resize(kept);
  std::sort(edges.begin(), edges.end(), [](const Edge &a, const Edge &b) { return a.at < b.at; });
  Running running;
  uint64_t from = DoneUpTo;
  auto pass = [&](uint64_t to) {
    uint64_t ns = to - from;
    Activity now = running.first();
    Sums.ns[size_t(now)] += ns;
    bool kernel = running.has(Activity::Kernel);
    bool copy = running.has(Activity::HostToDevice) || running.has(Activity::DeviceToHost);
    Sums.kernelNs += kernel ? ns : 0;
    Sums.copyNs += copy ? ns : 0;
    Sums.bothNs += kernel && copy ? ns : 0;
    if (ns && now == Activity::Kernel)
      LastWasKernel = true;
    if (ns && isCopy(now) && LastWasKernel) {
      ++Sums.turns;
      LastWasKernel = false;
    }
    from = to;
  };
  for (const Edge &edge : edges) {
    if (edge.at > from)
      pass(edge.at);
    running.count[size_t(edge.activity)] += uint32_t(int32_t(edge.step));
  }
  if (upTo > from)
    pass(upTo);
  DoneUpTo = upTo;
}

void Timeline::settle(uint64_t horizonNs) {
  sweep(horizonNs);
  // Where little could be settled, do not come back for as little.
  Fill = std::max(LeastFill, 2 * Spans.size());
}

TimelineTotals Timeline::totals(uint64_t endNs) const {
  Timeline copy = *this;
  copy.sweep(endNs);
  return copy.Sums;
}

} // namespace gpuinstr::timing
