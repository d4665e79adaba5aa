// What the peak of a device's memory was, and what it would be if memory lived only while it is
// used.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/PeakReplay.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace gpuinstr::audit {

namespace {

constexpr size_t MostReplayed = 64; ///< that are tried
constexpr size_t MostMoments = 64;  ///< of the most held, at which they are tried
/// A line that saves no more than such a part of the whole is left out.
constexpr uint64_t LeastPart = 16;

struct Step {
  Event at;
  uint64_t bytes;
  bool ends;
};

/// What is used at the same time is held at the same time.
void sortSteps(std::vector<Step> &steps) {
  std::sort(steps.begin(), steps.end(), [](const Step &a, const Step &b) {
    return a.at != b.at ? a.at < b.at : a.ends < b.ends;
  });
}

struct PeakMoment {
  Event at = 0;
  uint64_t bytes = 0;
};

/// Calls visit(PeakMoment) at each step up.
template <class Visit> void walk(std::vector<Step> &steps, Visit visit) {
  sortSteps(steps);
  uint64_t now = 0;
  for (const Step &step : steps) {
    now += step.ends ? -step.bytes : step.bytes;
    if (!step.ends)
      visit(PeakMoment{step.at, now});
  }
}

PeakMoment peakOf(std::vector<Step> &steps) {
  PeakMoment peak;
  walk(steps, [&](PeakMoment m) {
    if (m.bytes > peak.bytes)
      peak = m;
  });
  return peak;
}

/// One side of the allocations of a line. Cut: they live on that side only while they are used.
struct Line {
  bool early = false, cut = true;
  std::vector<size_t> lives;
  double weight = 0; ///< bytes held for nothing, by how long
};

struct Search {
  const std::vector<Life> &lives;
  std::vector<Line> lines;
  std::vector<char> cutEarly, cutLate; ///< by life
  std::vector<size_t> tried;           ///< lives at the moments of the most held
  Event peakAt = 0;

  explicit Search(const std::vector<Life> &all)
      : lives(all), cutEarly(all.size()), cutLate(all.size()) {}

  void findMoments(uint64_t above);
  void findLines();
  void set(Line &line, bool cut);
  void addSteps(std::vector<Step> &steps, size_t life) const;
  uint64_t peakOfTried() const;
  uint64_t peakOfAll() const;
};

void Search::findMoments(uint64_t above) {
  std::vector<Step> steps;
  for (const Life &l : lives) {
    steps.push_back({l.begin, l.bytes, false});
    steps.push_back({l.end, l.bytes, true});
  }
  std::vector<PeakMoment> moments;
  walk(steps, [&](PeakMoment m) {
    if (m.bytes > above)
      moments.push_back(m);
  });
  std::stable_sort(moments.begin(), moments.end(),
                   [](const PeakMoment &a, const PeakMoment &b) { return a.bytes > b.bytes; });
  moments.resize(std::min(moments.size(), MostMoments));
  if (!moments.empty())
    peakAt = moments.front().at;
  std::sort(moments.begin(), moments.end(),
            [](const PeakMoment &a, const PeakMoment &b) { return a.at < b.at; });
  for (size_t i = 0; i < lives.size(); ++i) {
    auto next = std::partition_point(moments.begin(), moments.end(),
                                     [&](const PeakMoment &m) { return m.at < lives[i].begin; });
    if (next != moments.end() && next->at < lives[i].end)
      tried.push_back(i);
  }
}

void Search::findLines() {
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
  lines.resize(std::min(lines.size(), MostReplayed));
  for (Line &line : lines)
    set(line, true);
}

void Search::set(Line &line, bool cut) {
  line.cut = cut;
  for (size_t i : line.lives)
    (line.early ? cutEarly : cutLate)[i] = cut;
}

void Search::addSteps(std::vector<Step> &steps, size_t i) const {
  const Life &l = lives[i];
  steps.push_back({cutEarly[i] ? l.first : l.begin, l.bytes, false});
  steps.push_back({cutLate[i] ? l.last : l.end, l.bytes, true});
}

uint64_t Search::peakOfTried() const {
  std::vector<Step> steps;
  for (size_t i : tried)
    addSteps(steps, i);
  return peakOf(steps).bytes;
}

uint64_t Search::peakOfAll() const {
  std::vector<Step> steps;
  for (size_t i = 0; i < lives.size(); ++i)
    addSteps(steps, i);
  return peakOf(steps).bytes;
}

} // namespace

Peaks replay(const std::vector<Life> &lives) {
  std::vector<Step> held, lean;
  for (const Life &l : lives) {
    held.push_back({l.begin, l.bytes, false});
    held.push_back({l.end, l.bytes, true});
    lean.push_back({l.first, l.bytes, false});
    lean.push_back({l.last, l.bytes, true});
  }
  return {peakOf(held).bytes, peakOf(lean).bytes};
}

std::vector<IdleLife> idleLives(const std::vector<Life> &lives, Peaks &peaks) {
  std::vector<IdleLife> idle;
  if (peaks.lean >= peaks.held)
    return idle;
  Search search(lives);
  search.findMoments(peaks.lean);
  search.findLines();
  uint64_t least = std::max(peaks.lean, search.peakOfTried());
  uint64_t allowed = least + (peaks.held - std::min(peaks.held, least)) / LeastPart;
  for (auto line = search.lines.rbegin(); line != search.lines.rend(); ++line) {
    search.set(*line, false);
    if (search.peakOfTried() > allowed)
      search.set(*line, true);
  }
  peaks.lean = search.peakOfAll();
  for (const Line &line : search.lines)
    for (size_t i : line.cut ? line.lives : std::vector<size_t>()) {
      const Life &l = lives[i];
      Event from = line.early ? l.begin : l.last + 1, to = line.early ? l.first : l.end;
      idle.push_back({i, line.early, from <= search.peakAt && search.peakAt < to});
    }
  return idle;
}

} // namespace gpuinstr::audit
