// Trace files as the HTML page's timeline.
// SPDX-License-Identifier: Apache-2.0
#include "html/HtmlTimeline.h"
#include "base/text/Printable.h"
#include "gpuinstr/abi.h"
#include "profile/kinds/SiteKind.h"
#include "trace/TraceFile.h"
#include "trace/TraceTimeline.h"
#include <algorithm>
#include <map>
#include <unordered_map>

namespace gpuinstr::cli {

using trace::Record;
using trace::RecordType;

/// The duration from which on at most `most` events last as long or longer.
static uint64_t leastDuration(const HtmlTimeline &timeline, std::size_t most) {
  std::vector<uint64_t> durations;
  for (const HtmlTrack &track : timeline.tracks)
    for (const HtmlEvent &event : track.events)
      durations.push_back(event.duration);
  if (durations.size() <= most)
    return 0;
  auto at = durations.begin() + std::ptrdiff_t(durations.size() - most);
  std::nth_element(durations.begin(), at, durations.end());
  return *at;
}

void limitEvents(HtmlTimeline &timeline, std::size_t most) {
  uint64_t least = leastDuration(timeline, most);
  std::size_t kept = 0;
  for (HtmlTrack &track : timeline.tracks) {
    auto &events = track.events;
    std::size_t before = events.size();
    // Equal ones may be more than there is room for.
    events.erase(std::remove_if(events.begin(), events.end(),
                                [&](const HtmlEvent &event) {
                                  return event.duration < least ||
                                         (event.duration == least && least && kept >= most) ||
                                         (++kept, false);
                                }),
                 events.end());
    timeline.dropped += before - events.size();
  }
}

namespace {

/// Places of texts in a list that holds each once.
class Texts {
public:
  explicit Texts(std::vector<std::string> &list) : List(list) {}
  uint32_t operator[](const std::string &text) {
    auto [at, fresh] = Known.emplace(text, uint32_t(List.size()));
    if (fresh)
      List.push_back(text);
    return at->second;
  }

private:
  std::vector<std::string> &List;
  std::unordered_map<std::string, uint32_t> Known;
};

bool onDevice(unsigned resource) {
  return resource == GPUINSTR_RES_DEVICE || resource == GPUINSTR_RES_ASYNC ||
         resource == GPUINSTR_RES_PITCHED || resource == GPUINSTR_RES_MANAGED;
}

/// An allocation or, with `bytes` 0, a free.
struct MemoryEvent {
  uint64_t ns, address, bytes;
};

std::string programName(const TraceProcess &process) {
  std::string command = process.command.substr(0, process.command.find(' '));
  std::string name = printable(command.substr(command.find_last_of('/') + 1));
  if (name.empty())
    name = "process";
  return process.rank >= 0 ? name + ", rank " + std::to_string(process.rank)
                           : name + " (pid " + std::to_string(process.pid) + ")";
}

class Reader {
public:
  Reader(HtmlTimeline &timeline, uint64_t begin, std::size_t most)
      : T(timeline), Names(timeline.names), Kinds(timeline.kinds), Begin(begin), Most(most) {}

  /// `which` keeps the correlations of files apart; `only`: there is no other file.
  void read(TraceFile &file, uint64_t which, bool only) {
    Process = programName(file.process());
    OnGpu = only ? "" : ", " + Process;
    Tracks.clear();
    Streams.clear();
    Memory.clear();
    TraceEvent event;
    while (file.next(event)) {
      add(file, event, which);
      if (++Taken > 4 * Most) { // memory stays bounded
        limitEvents(T, Most);
        Taken = Most;
      }
    }
    T.end = std::max(T.end, file.endNs() - std::min(Begin, file.endNs()));
    for (auto &[device, events] : Memory)
      addMemory(device, events);
    std::string whose = only ? "" : Process + ": ";
    if (file.lost())
      T.notes.push_back(whose + plural(file.lost(), "call was", "calls were") + " not recorded");
    if (file.thinned())
      T.notes.push_back(
          whose + plural(file.thinned(), "event of a hot site was", "events of hot sites were") +
          " left out to stay within the budget (budget=100 keeps all)");
    if (!file.problem().empty())
      T.notes.push_back(whose + file.problem());
    else if (!file.ended())
      T.notes.push_back(whose + "the process did not end in order");
  }

private:
  using Key = std::pair<int, uint64_t>; ///< -1 and the thread, or the device and its stream

  HtmlTrack &track(TraceFile &file, const Record &record) {
    bool device = record.type == RecordType::Device;
    Key key{device ? int(record.device) : -1, device ? record.stream : record.thread};
    auto [at, fresh] = Tracks.emplace(key, T.tracks.size());
    if (!fresh)
      return T.tracks[at->second];
    HtmlTrack one;
    if (device) {
      std::string number = record.device == trace::NoDevice ? "" : std::to_string(record.device);
      one.group = number.empty() ? "GPU" + OnGpu : "GPU " + number + OnGpu;
      one.name = record.stream <= 1   ? "default stream"
                 : record.stream == 2 ? "default stream of a thread"
                                      : "stream " + std::to_string(++Streams[key.first]);
    } else {
      const TraceThread *thread = file.thread(record.thread);
      one.group = Process;
      one.name = thread && !thread->name.empty() ? thread->name : "thread";
      if (thread)
        one.name += " " + std::to_string(thread->tid);
    }
    T.tracks.push_back(std::move(one));
    return T.tracks.back();
  }

  std::string nameOf(TraceFile &file, const Record &record) {
    const std::string &own = file.name(record.name);
    if (!own.empty())
      return demangled(own);
    if (record.type == RecordType::Device) {
      profile::SiteKind kind = profile::siteKindOf(record.op);
      if (kind == profile::SiteKind::Copy)
        return std::string("[CUDA memcpy ") + longDirectionName(record.memory.direction) + "]";
      if (kind == profile::SiteKind::Set)
        return "[CUDA memset]";
    }
    const TraceSite *site = file.site(record.site);
    return site && !site->callee.empty() ? site->callee : "?";
  }

  void add(TraceFile &file, const TraceEvent &event, uint64_t which) {
    const Record &record = event.record;
    const TraceSite *site = file.site(record.site);
    HtmlEvent one;
    one.start = event.startNs - std::min(Begin, event.startNs);
    one.duration = event.endNs - event.startNs;
    one.bytes = record.bytes;
    // 50 bits of a hash: the page's script counts exactly up to 53 bits.
    if (record.correlation)
      one.link = (record.correlation + (which << 56)) * 0x9e3779b97f4a7c15u >> 14 | 1;
    one.name = Names[nameOf(file, record)];
    bool range = record.type == RecordType::Range;
    one.kind = Kinds[std::string(
        profile::textOf(range ? profile::SiteKind::Region : profile::siteKindOf(record.op)))];
    one.site = site ? site->id : 0;
    T.end = std::max(T.end, one.start + one.duration);
    track(file, record).events.push_back(one);
    bool failed = record.flags & trace::Failed;
    if (record.type != RecordType::Host || failed || !onDevice(record.resource))
      return;
    if (record.op == GPUINSTR_OP_ALLOC)
      Memory[record.device].push_back(
          {one.start + one.duration, record.memory.dst, std::max<uint64_t>(record.bytes, 1)});
    else if (record.op == GPUINSTR_OP_FREE)
      Memory[record.device].push_back({one.start, record.memory.dst, 0});
  }

  void addMemory(uint32_t device, std::vector<MemoryEvent> &events) {
    std::stable_sort(events.begin(), events.end(), [](auto &a, auto &b) { return a.ns < b.ns; });
    HtmlMemory out;
    out.name =
        (device == trace::NoDevice ? "Memory" : "Memory, GPU " + std::to_string(device)) + OnGpu;
    std::unordered_map<uint64_t, uint64_t> live;
    uint64_t held = 0;
    for (const MemoryEvent &event : events) {
      uint64_t &bytes = live[event.address];
      held = held - bytes + event.bytes;
      bytes = event.bytes;
      if (!event.bytes)
        live.erase(event.address);
      if (!out.samples.empty() && out.samples.back().first == event.ns)
        out.samples.back().second = held;
      else
        out.samples.emplace_back(event.ns, held);
    }
    T.memory.push_back(std::move(out));
  }

  HtmlTimeline &T;
  Texts Names, Kinds;
  uint64_t Begin;
  std::size_t Most, Taken = 0;
  std::string Process, OnGpu;
  std::map<Key, std::size_t> Tracks;
  std::map<int, unsigned> Streams; ///< numbered so far, by device
  std::map<uint32_t, std::vector<MemoryEvent>> Memory;
};

/// Of each process its threads, then its streams; events by start, the longer of two first.
void arrange(HtmlTimeline &timeline) {
  std::vector<std::string> groups;
  for (const HtmlTrack &track : timeline.tracks)
    if (std::find(groups.begin(), groups.end(), track.group) == groups.end())
      groups.push_back(track.group);
  auto place = [&](const HtmlTrack &track) {
    return std::find(groups.begin(), groups.end(), track.group) - groups.begin();
  };
  std::stable_sort(timeline.tracks.begin(), timeline.tracks.end(),
                   [&](auto &a, auto &b) { return place(a) < place(b); });
  for (HtmlTrack &track : timeline.tracks)
    std::sort(track.events.begin(), track.events.end(), [](auto &a, auto &b) {
      return a.start != b.start ? a.start < b.start : a.duration > b.duration;
    });
}

} // namespace

HtmlTimeline traceTimeline(const std::vector<std::unique_ptr<TraceFile>> &files, std::size_t most) {
  HtmlTimeline timeline;
  uint64_t begin = ~uint64_t(0), which = 0;
  for (auto &file : files)
    begin = std::min(begin, file->startNs());
  Reader reader(timeline, begin, most);
  for (auto &file : files)
    reader.read(*file, ++which, files.size() == 1);
  limitEvents(timeline, most);
  if (timeline.dropped)
    timeline.notes.insert(timeline.notes.begin(),
                          "the " + plural(timeline.dropped, "shortest", "shortest") +
                              " left out (--events; gpuinstr trace has all)");
  arrange(timeline);
  return timeline;
}

} // namespace gpuinstr::cli
