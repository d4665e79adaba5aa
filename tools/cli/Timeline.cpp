// What the HTML page's timeline shows, kept to a size that a browser takes.
// SPDX-License-Identifier: Apache-2.0
#include "Timeline.h"
#include <algorithm>

namespace gpuinstr::cli {

/// The duration from which on at most `most` events last as long or longer.
static uint64_t leastDuration(const Timeline &timeline, std::size_t most) {
  std::vector<uint64_t> durations;
  for (const TimelineTrack &track : timeline.tracks)
    for (const TimelineEvent &event : track.events)
      durations.push_back(event.duration);
  if (durations.size() <= most)
    return 0;
  auto at = durations.begin() + std::ptrdiff_t(durations.size() - most);
  std::nth_element(durations.begin(), at, durations.end());
  return *at;
}

void limitEvents(Timeline &timeline, std::size_t most) {
  uint64_t least = leastDuration(timeline, most);
  std::size_t kept = 0;
  for (TimelineTrack &track : timeline.tracks) {
    auto &events = track.events;
    std::size_t before = events.size();
    // Equal ones may be more than there is room for.
    events.erase(std::remove_if(events.begin(), events.end(),
                                [&](const TimelineEvent &event) {
                                  return event.duration < least ||
                                         (event.duration == least && least && kept >= most) ||
                                         (++kept, false);
                                }),
                 events.end());
    timeline.dropped += before - events.size();
  }
}

} // namespace gpuinstr::cli
