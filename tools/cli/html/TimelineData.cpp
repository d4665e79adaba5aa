// The timeline as the HTML page's script reads it.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Printable.h"
#include "html/HtmlPage.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace gpuinstr::cli {

using Json = nlohmann::json;

// Columns of numbers: a tenth of the size of one object an event.
Json timelineData(const HtmlTimeline &timeline, const std::map<uint64_t, int> &sites) {
  Json out{{"end", std::max<uint64_t>(timeline.end, 1)},
           {"names", texts(timeline.names)},
           {"kinds", texts(timeline.kinds)},
           {"notes", texts(timeline.notes)},
           {"tracks", Json::array()},
           {"memory", Json::array()}};
  for (const HtmlTrack &track : timeline.tracks) {
    Json one{{"group", printable(track.group)}, {"name", printable(track.name)}};
    for (const char *column : {"t", "d", "n", "k", "s", "b", "c"})
      one[column] = Json::array();
    uint64_t last = 0;
    for (const HtmlEvent &event : track.events) {
      auto site = sites.find(event.site);
      one["t"].push_back(event.start - last);
      one["d"].push_back(event.duration);
      one["n"].push_back(event.name);
      one["k"].push_back(event.kind);
      one["s"].push_back(site == sites.end() ? -1 : site->second);
      one["b"].push_back(event.bytes);
      one["c"].push_back(event.link);
      last = event.start;
    }
    one["gaps"] = Json::array();
    for (const HtmlGap &gap : track.gaps)
      one["gaps"].push_back({gap.start, gap.end, gap.count, int(gap.reason)});
    out["tracks"].push_back(std::move(one));
  }
  for (const HtmlMemory &memory : timeline.memory) {
    Json one{{"name", printable(memory.name)},
             {"power", memory.power},
             {"t", Json::array()},
             {"v", Json::array()}};
    uint64_t last = 0;
    for (auto [ns, bytes] : memory.samples) {
      one["t"].push_back(ns - last);
      one["v"].push_back(bytes);
      last = ns;
    }
    out["memory"].push_back(std::move(one));
  }
  return out;
}

} // namespace gpuinstr::cli
