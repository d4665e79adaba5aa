// Trace files as the HTML page's timeline.
// SPDX-License-Identifier: Apache-2.0
#include "html/HtmlTimeline.h"
#include "base/text/Printable.h"
#include "gpuinstr/abi.h"
#include "html/UntimedWork.h"
#include "profile/kinds/SiteKind.h"
#include "trace/TraceFile.h"
#include "trace/TraceTimeline.h"
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace gpuinstr::cli {

using trace::Record;
using trace::RecordType;

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
  Reader(HtmlTimeline &timeline, uint64_t begin, uint64_t end)
      : T(timeline), Names(timeline.names), Kinds(timeline.kinds), Begin(begin),
        Distance((end - begin) / MostGaps) {}

  uint64_t untimed() const { return Untimed; }

  /// At most so many of its events. `which` keeps the correlations of files apart; `only`: there is
  /// no other file.
  void read(TraceFile &file, std::size_t most, uint64_t which, bool only) {
    Process = programName(file.process());
    OnGpu = only ? "" : ", " + Process;
    Tracks.clear();
    Streams.clear();
    Memory.clear();
    CallEnds.clear();
    Work.emplace(file, Begin, Distance);
    std::size_t first = T.tracks.size(), taken = 0;
    TraceEvent event;
    while (file.next(event)) {
      add(file, event, which);
      if (++taken > 4 * most) { // memory stays bounded
        limitEvents(T, most, first);
        taken = most;
      }
    }
    T.end = std::max(T.end, file.endNs() - std::min(Begin, file.endNs()));
    Untimed += Work->count();
    for (const auto &[stream, gaps] : Work->finish(T.end))
      addNotTimed(stream, gaps);
    limitEvents(T, most, first);
    for (std::size_t i = first; i < T.tracks.size(); ++i)
      mergeGaps(T.tracks[i].gaps, Distance);
    for (auto &[device, events] : Memory)
      addMemory(device, events);
    addPower(file);
  }

private:
  static constexpr int UnknownDevice = -2;
  using Key = std::pair<int, uint64_t>; ///< -1 and the thread, or the device and its stream

  static Key keyOf(const Record &record) {
    if (record.type != RecordType::Device)
      return {-1, record.thread};
    return {int(record.device), UntimedWork::streamOf(record)};
  }

  HtmlTrack &track(TraceFile &file, const Record &record) {
    Key key = keyOf(record);
    if (key.first != -1)
      return deviceTrack(key);
    auto [at, fresh] = Tracks.emplace(key, T.tracks.size());
    if (!fresh)
      return T.tracks[at->second];
    const TraceThread *thread = file.thread(record.thread);
    HtmlTrack one;
    one.group = Process;
    one.name = thread && !thread->name.empty() ? thread->name : "thread";
    if (thread)
      one.name += " " + std::to_string(thread->tid);
    T.tracks.push_back(std::move(one));
    return T.tracks.back();
  }

  HtmlTrack &deviceTrack(Key key) {
    auto [at, fresh] = Tracks.emplace(key, T.tracks.size());
    if (!fresh)
      return T.tracks[at->second];
    auto [device, stream] = key;
    HtmlTrack one;
    one.group = device == trace::NoDevice ? "GPU" + OnGpu
                : device == UnknownDevice ? "GPU, which is not known" + OnGpu
                                          : "GPU " + std::to_string(device) + OnGpu;
    one.name = stream <= 1   ? "default stream"
               : stream == 2 ? "default stream of a thread"
                             : "stream " + std::to_string(++Streams[device]);
    T.tracks.push_back(std::move(one));
    return T.tracks.back();
  }

  /// On the stream's own track where it is known, which it is by work that was timed there.
  void addNotTimed(uint64_t stream, const std::vector<HtmlGap> &gaps) {
    std::set<int> devices, own;
    for (const auto &[key, place] : Tracks)
      if (key.first != -1) {
        devices.insert(key.first);
        if (key.second == stream)
          own.insert(key.first);
      }
    const std::set<int> &known = own.empty() ? devices : own;
    int device = known.size() == 1 ? *known.begin()
                 : known.empty()   ? int(trace::NoDevice)
                                   : UnknownDevice;
    HtmlTrack &track = deviceTrack({device, stream});
    track.gaps.insert(track.gaps.end(), gaps.begin(), gaps.end());
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
    HtmlTrack &own = track(file, record);
    own.events.push_back(one);
    if (record.type == RecordType::Host)
      addGaps(own, record, one);
    if (record.type == RecordType::Host)
      Work->note(record, site, one);
    bool failed = record.flags & trace::Failed;
    if (record.type != RecordType::Host || failed || !onDevice(record.resource))
      return;
    if (record.op == GPUINSTR_OP_ALLOC)
      Memory[record.device].push_back(
          {one.start + one.duration, record.memory.dst, std::max<uint64_t>(record.bytes, 1)});
    else if (record.op == GPUINSTR_OP_FREE)
      Memory[record.device].push_back({one.start, record.memory.dst, 0});
  }

  /// What was left out before a call and inside it.
  void addGaps(HtmlTrack &track, const Record &record, const HtmlEvent &call) {
    if (record.flags & trace::Nested)
      return;
    uint64_t &last = CallEnds[record.thread], end = call.start + call.duration;
    if (record.leftOutBefore)
      addGap(track.gaps,
             {HtmlGap::LeftOut, std::min(last, call.start), call.start, record.leftOutBefore},
             Distance);
    if (record.leftOutInside)
      addGap(track.gaps, {HtmlGap::LeftOutInside, call.start, end, record.leftOutInside}, Distance);
    last = end;
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

  void addPower(const TraceFile &file) {
    std::map<uint32_t, HtmlMemory> devices;
    for (const TracePower &reading : file.power()) {
      HtmlMemory &out = devices[reading.device];
      if (reading.milliwatts)
        out.samples.emplace_back(reading.ns - std::min(Begin, reading.ns), reading.milliwatts);
    }
    for (auto &[device, out] : devices) {
      out.name = "Power, GPU " + std::to_string(device) + OnGpu;
      out.power = true;
      if (!out.samples.empty())
        T.memory.push_back(std::move(out));
    }
  }

  HtmlTimeline &T;
  Texts Names, Kinds;
  uint64_t Begin, Distance; ///< nearer gaps are one
  uint64_t Untimed = 0;
  std::string Process, OnGpu;
  std::map<Key, std::size_t> Tracks;
  std::map<uint32_t, uint64_t> CallEnds; ///< of each thread's last outermost call
  std::optional<UntimedWork> Work;
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
  uint64_t begin = ~uint64_t(0), end = 0, all = 0, which = 0;
  for (auto &file : files) {
    begin = std::min(begin, file->startNs());
    end = std::max(end, file->endNs());
    all += file->records();
  }
  Reader reader(timeline, begin, std::max(begin, end));
  for (auto &file : files) {
    double share = double(most) / double(std::max<uint64_t>(all, 1));
    auto own = std::max<std::size_t>(1, std::size_t(share * double(file->records())));
    reader.read(*file, all <= most ? most : own, ++which, files.size() == 1);
  }
  std::vector<std::string> &notes = timeline.notes;
  if (timeline.dropped)
    notes.push_back("the " + plural(timeline.dropped, "shortest", "shortest") + " left out" +
                    (files.size() > 1 ? ", of each process the same share" : "") +
                    " (--events; gpuinstr trace has all)");
  for (std::string &line : traceRemarks(files, false))
    notes.push_back(std::move(line));
  if (reader.untimed())
    notes.push_back(plural(reader.untimed(), "operation", "operations") +
                    " on the device not timed (gpu_time=exact times all)");
  arrange(timeline);
  return timeline;
}

} // namespace gpuinstr::cli
