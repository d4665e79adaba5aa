// The stream captures that are open, and the lines whose work went into them.
// SPDX-License-Identifier: Apache-2.0
#include "time/graphs/OpenCaptures.h"
#include "cuda/CaptureTracker.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

/// Launches that went into no capture, one after the other: code without instrumentation has ended
/// it.
constexpr uint32_t MostBeside = 1 << 16;
/// Captures that are open at once.
constexpr size_t MostOpen = 1 << 10;

} // namespace

void addLine(CapturePlan::Lines &lines, SiteIndex site) {
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

void OpenCaptures::begin(uint64_t number, OpenCapture open) {
  closeIn(open.stream);
  if (Captures.size() >= MostOpen) // ended unseen, in streams that were destroyed unseen
    closeAll([](const OpenCapture &) { return true; });
  open.looksBefore = Looks.load();
  open.looked = Plan.wantsLook(open.place, open.takenNs);
  if (!open.looked)
    open.lines = Plan.lastOf(open.place);
  Captures[number] = std::move(open);
  Beside.store(0);
  GivenUp.store(false);
  changed();
}

OpenCapture *OpenCaptures::looked(uint64_t number) {
  auto open = Captures.find(number);
  return open != Captures.end() && open->second.looked ? &open->second : nullptr;
}

CapturePlan::Lines OpenCaptures::end(uint64_t number, bool isGraph) {
  auto at = Captures.find(number);
  if (at == Captures.end())
    return {};
  OpenCapture open = close(at);
  CapturePlan::Lines lines = std::move(open.inherited);
  for (SiteIndex site : open.lines)
    addLine(lines, site);
  if (isGraph && open.looked)
    Plan.captured(open.place, open.lines);
  return lines;
}

OpenCapture OpenCaptures::close(std::map<uint64_t, OpenCapture>::iterator at) {
  OpenCapture open = std::move(at->second);
  Captures.erase(at);
  if (open.looked)
    Plan.looked(open.place, Looks.load() - open.looksBefore, open.takenNs);
  return open;
}

template <class Which> void OpenCaptures::closeAll(Which which) {
  for (auto i = Captures.begin(); i != Captures.end();) {
    auto at = i++;
    if (which(at->second))
      close(at);
  }
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
                            [](const auto &capture) { return capture.second.looked; });
  if (AnyLooked.exchange(looked) == looked)
    return;
  looked ? unmuteObserver(Work) : muteObserver(Work);
}

} // namespace gpuinstr::timing
