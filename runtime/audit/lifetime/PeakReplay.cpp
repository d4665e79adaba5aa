// What the peak of a device's memory was, and what it would be if memory lived only while it is
// used.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/PeakReplay.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace gpuinstr::audit {

namespace {

constexpr size_t MostLines = 64; ///< that are tried
/// A line that saves no more than such a part of the whole is left out.
constexpr uint64_t LeastPart = 16;

/// One side of the allocations of a line. Cut: they live on that side only while they are used.
struct Line {
  bool early = false, cut = true;
  std::vector<size_t> lives;
  double weight = 0; ///< bytes held for nothing, by how long
};

struct Step {
  Event at;
  uint64_t bytes;
  bool ends;
};

struct Replay {
  const std::vector<Life> &lives;
  std::vector<Line> lines;
  std::vector<bool> cutEarly, cutLate; ///< by life
  Event peakAt = 0;                    ///< of the last peak()

  explicit Replay(const std::vector<Life> &all)
      : lives(all), cutEarly(all.size()), cutLate(all.size()) {}

  void findLines();
  void set(Line &line, bool cut);
  uint64_t peak();
};

void Replay::findLines() {
  std::map<std::tuple<SiteIndex, SiteIndex, SiteIndex, bool>, Line> byPlace;
  for (size_t i = 0; i < lives.size(); ++i) {
    const Life &l = lives[i];
    auto add = [&](bool early, SiteIndex related, Event idle) {
      if (!idle)
        return;
      Line &line = byPlace[{l.site, l.caller, related, early}];
      line.early = early;
      line.lives.push_back(i);
      line.weight += double(l.bytes) * double(idle);
    };
    add(true, l.firstSite, l.first - l.begin);
    add(false, l.lastSite, l.end - l.last);
  }
  for (auto &entry : byPlace)
    lines.push_back(std::move(entry.second));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line &a, const Line &b) { return a.weight > b.weight; });
  if (lines.size() > MostLines)
    lines.resize(MostLines);
  for (Line &line : lines)
    set(line, true);
}

void Replay::set(Line &line, bool cut) {
  line.cut = cut;
  for (size_t i : line.lives)
    (line.early ? cutEarly : cutLate)[i] = cut;
}

uint64_t Replay::peak() {
  std::vector<Step> steps;
  steps.reserve(2 * lives.size());
  for (size_t i = 0; i < lives.size(); ++i) {
    const Life &l = lives[i];
    steps.push_back({cutEarly[i] ? l.first : l.begin, l.bytes, false});
    steps.push_back({cutLate[i] ? l.last : l.end, l.bytes, true});
  }
  // What is used at the same time is held at the same time.
  std::sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) {
    return a.at != b.at ? a.at < b.at : a.ends < b.ends;
  });
  uint64_t now = 0, most = 0;
  for (const Step &step : steps) {
    now += step.ends ? -step.bytes : step.bytes;
    if (now > most) {
      most = now;
      peakAt = step.at;
    }
  }
  return most;
}

} // namespace

Peaks replay(const std::vector<Life> &lives) {
  Replay run(lives);
  Peaks peaks;
  peaks.held = run.peak();
  Event peakAt = run.peakAt;
  run.findLines();
  peaks.lean = run.peak();
  if (peaks.lean >= peaks.held)
    return peaks;
  uint64_t allowed = peaks.lean + (peaks.held - peaks.lean) / LeastPart;
  for (auto line = run.lines.rbegin(); line != run.lines.rend(); ++line) {
    run.set(*line, false);
    if (run.peak() > allowed)
      run.set(*line, true);
  }
  peaks.lean = run.peak();
  for (const Line &line : run.lines)
    for (size_t i : line.cut ? line.lives : std::vector<size_t>()) {
      const Life &l = lives[i];
      Event from = line.early ? l.begin : l.last + 1, to = line.early ? l.first : l.end;
      peaks.idle.push_back({i, line.early, from <= peakAt && peakAt < to});
    }
  return peaks;
}

} // namespace gpuinstr::audit
