// The stream captures that are open, and the lines whose work went into them.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/OpenCaptures.h"
#include "cuda/CaptureTracker.h"
#include <algorithm>
#include <iterator>

namespace gpuinstr::timing {

namespace {

/// Launches that went into no capture, one after the other: code without instrumentation has ended
/// it.
constexpr uint32_t MostBeside = 1 << 16;
/// Captures that are open at once.
constexpr size_t MostOpen = 1 << 10;

} // namespace

void addLine(Lines &lines, SiteIndex site) {
  if (site && lines.size() < MostGraphLines &&
      std::find(lines.begin(), lines.end(), site) == lines.end())
    lines.push_back(site);
}

/// No capture, though one is open: when this goes on, it was ended unseen. Those that are not
/// looked at cost nothing more, and stay open.
void OpenCaptures::noteBeside() {
  if (Beside.fetch_add(1, std::memory_order_relaxed) != MostBeside)
    return;
  std::lock_guard<std::mutex> lock(Mutex);
  GivenUp.store(true);
  closeAll([](const OpenCapture &open) { return open.looked; });
}

uint64_t OpenCaptures::launchedInto(uint64_t stream) {
  if (!cuda::Captures.anyOpen() || GivenUp.load(std::memory_order_relaxed))
    return 0;
  uint64_t capture = cuda::Captures.captureIn(stream);
  if (!capture)
    noteBeside();
  return capture;
}

uint64_t OpenCaptures::lookAt(uint64_t stream) {
  Looks.fetch_add(1, std::memory_order_relaxed);
  uint64_t capture = cuda::Captures.captureIn(stream);
  if (capture)
    Beside.store(0, std::memory_order_relaxed);
  else
    noteBeside();
  return capture;
}

void OpenCaptures::begin(OpenCapture open) {
  closeIn(open.stream);
  if (Captures.size() >= MostOpen) // ended unseen, in streams that were destroyed unseen
    closeAll([](const OpenCapture &) { return true; });
  if (auto former = find(open.number); former != Captures.end())
    close(former); // of a driver whose numbers began anew
  open.looksBefore = Looks.load();
  open.looked = Plan.wantsLook(open.place, open.takenNs);
  Captures.push_back(std::move(open));
  Beside.store(0);
  GivenUp.store(false);
  changed();
}

/// The newest are found first: older ones may have ended unseen.
OpenCaptures::Place OpenCaptures::find(uint64_t number) {
  auto at = std::find_if(Captures.rbegin(), Captures.rend(),
                         [&](const OpenCapture &open) { return open.number == number; });
  return at == Captures.rend() ? Captures.end() : std::prev(at.base());
}

OpenCapture *OpenCaptures::looked(uint64_t number) {
  auto open = find(number);
  return open != Captures.end() && open->looked ? &*open : nullptr;
}

namespace {
SharedLines joined(const SharedLines &first, const SharedLines &second) {
  if (!first || !second)
    return first ? first : second;
  Lines all = *first;
  for (SiteIndex site : *second)
    addLine(all, site);
  return std::make_shared<const Lines>(std::move(all));
}
} // namespace

CapturedGraph OpenCaptures::end(uint64_t number, bool isGraph) {
  auto open = find(number);
  if (open == Captures.end())
    return {};
  CapturedGraph graph{open->context, nullptr};
  if (open->looked && isGraph)
    Plan.captured(open->place, std::move(open->lines));
  if (isGraph)
    graph.lines = joined(open->inherited, Plan.lastOf(open->place));
  close(open);
  changed();
  return graph;
}

void OpenCaptures::close(Place at) {
  if (at->looked)
    Plan.looked(at->place, Looks.load() - at->looksBefore, at->takenNs);
  Captures.erase(at);
}

template <class Which> void OpenCaptures::closeAll(Which which) {
  if (Captures.empty())
    return;
  for (size_t i = 0; i < Captures.size();)
    if (which(Captures[i]))
      close(Captures.begin() + ptrdiff_t(i));
    else
      ++i;
  changed();
}

void OpenCaptures::closeIn(uint64_t stream) {
  closeAll([&](const OpenCapture &open) { return open.stream == stream; });
}

void OpenCaptures::closeInContext(uint64_t context) {
  closeAll([&](const OpenCapture &open) { return open.context == context; });
}

void OpenCaptures::forget() {
  Plan.clear();
  closeAll([](const OpenCapture &) { return true; });
}

/// Captures were opened or closed.
void OpenCaptures::changed() {
  bool looked = std::any_of(Captures.begin(), Captures.end(),
                            [](const OpenCapture &open) { return open.looked; });
  if (AnyLooked.exchange(looked) == looked)
    return;
  looked ? unmuteObserver(Work) : muteObserver(Work);
}

} // namespace gpuinstr::timing
