// What keeps the HTML page's timeline small: the shortest events go, gaps that are near become one.
// SPDX-License-Identifier: Apache-2.0
#include "html/HtmlTimeline.h"
#include <algorithm>
#include <tuple>

namespace gpuinstr::cli {

namespace {

/// The duration from which on at most `most` events last as long or longer.
uint64_t leastDuration(const HtmlTimeline &timeline, std::size_t most, std::size_t first) {
  std::vector<uint64_t> durations;
  for (std::size_t i = first; i < timeline.tracks.size(); ++i)
    for (const HtmlEvent &event : timeline.tracks[i].events)
      durations.push_back(event.duration);
  if (durations.size() <= most)
    return 0;
  auto at = durations.begin() + std::ptrdiff_t(durations.size() - most);
  std::nth_element(durations.begin(), at, durations.end());
  return *at;
}

} // namespace

void addGap(std::vector<HtmlGap> &gaps, const HtmlGap &gap, uint64_t distance) {
  gaps.push_back(gap);
  if (gaps.size() > 8 * MostGaps)
    mergeGaps(gaps, distance);
}

void mergeGaps(std::vector<HtmlGap> &gaps, uint64_t distance) {
  std::sort(gaps.begin(), gaps.end(), [](const HtmlGap &a, const HtmlGap &b) {
    return std::make_tuple(a.reason, a.start, a.end) < std::make_tuple(b.reason, b.start, b.end);
  });
  std::vector<HtmlGap> out;
  for (const HtmlGap &gap : gaps) {
    HtmlGap *last = out.empty() || out.back().reason != gap.reason ? nullptr : &out.back();
    if (last && gap.start <= last->end + distance) {
      last->end = std::max(last->end, gap.end);
      last->count += gap.count;
    } else {
      out.push_back(gap);
    }
  }
  gaps = std::move(out);
}

void limitEvents(HtmlTimeline &timeline, std::size_t most, std::size_t first) {
  uint64_t least = leastDuration(timeline, most, first);
  std::size_t kept = 0;
  for (std::size_t i = first; i < timeline.tracks.size(); ++i) {
    HtmlTrack &track = timeline.tracks[i];
    auto &events = track.events;
    std::size_t before = events.size();
    // Equal ones may be more than there is room for.
    auto isDropped = [&](const HtmlEvent &event) {
      bool dropped = event.duration < least || (event.duration == least && least && kept >= most);
      kept += !dropped;
      if (dropped)
        addGap(track.gaps, {HtmlGap::TooShort, event.start, event.start + event.duration, 1},
               timeline.end / MostGaps);
      return dropped;
    };
    events.erase(std::remove_if(events.begin(), events.end(), isDropped), events.end());
    timeline.dropped += before - events.size();
  }
}

} // namespace gpuinstr::cli
