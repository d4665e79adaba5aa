// What the HTML page's timeline shows: tracks of events, and memory over time.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_HTML_HTMLTIMELINE_H
#define GPUINSTR_CLI_HTML_HTMLTIMELINE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpuinstr::cli {

struct HtmlEvent {
  uint64_t start = 0, duration = 0; ///< ns since the timeline's start
  uint64_t bytes = 0;
  uint64_t link = 0; ///< the same in a call and the device work that it started; 0 none
  uint32_t name = 0; ///< place in HtmlTimeline::names
  uint32_t kind = 0; ///< place in HtmlTimeline::kinds
  uint64_t site = 0; ///< profile::Site::id as a number, 0 none
};

/// What the page hatches: here was something that no event shows.
struct HtmlGap {
  enum Reason : uint8_t {
    LeftOut,       ///< calls, to stay within the budget
    LeftOutInside, ///< the same of calls inside the one that lasts as long
    NotTimed,      ///< work on the device: it ran somewhere within
    TooShort,      ///< events, for their number
  };
  Reason reason = LeftOut;
  uint64_t start = 0, end = 0;
  uint64_t count = 1;
};

struct HtmlTrack {
  std::string group, name; ///< "solver (pid 12)", "thread 1"; tracks of a group follow one another
  std::vector<HtmlEvent> events;
  std::vector<HtmlGap> gaps;
};

struct HtmlMemory {
  std::string name;
  std::vector<std::pair<uint64_t, uint64_t>> samples; ///< ns, bytes held from then on
  bool power = false;                                 ///< of the whole device, in mW, and no bytes
};

struct HtmlTimeline {
  uint64_t end = 0;     ///< ns
  uint64_t dropped = 0; ///< events left out for their number
  std::vector<std::string> names, kinds;
  std::vector<HtmlTrack> tracks;
  std::vector<HtmlMemory> memory;
  std::vector<std::string> notes; ///< what is missing, each part of a sentence
};

class TraceFile;

/// Drops the shortest events, so that at most `most` are left of the tracks from `first` on.
void limitEvents(HtmlTimeline &timeline, std::size_t most, std::size_t first = 0);

/// A page shows no more gaps of a track side by side.
constexpr uint64_t MostGaps = 2048;

/// Adds a gap; their number stays bounded by merging.
void addGap(std::vector<HtmlGap> &gaps, const HtmlGap &gap, uint64_t distance);

/// Those of one reason that are nearer to each other than `distance` become one.
void mergeGaps(std::vector<HtmlGap> &gaps, uint64_t distance);

/// At most `most` events of all files, which are on one clock: of each file the same share. Throws
/// Failure.
HtmlTimeline traceTimeline(const std::vector<std::unique_ptr<TraceFile>> &files, std::size_t most);

} // namespace gpuinstr::cli

#endif
