// Traces in Perfetto's protobuf format.
// SPDX-License-Identifier: Apache-2.0
#include "gpuinstr/abi.h"
#include "io/Failure.h"
#include "io/OutFile.h"
#include "trace/TraceTimeline.h"
#include "trace/Writers.h"
#if GPUINSTR_HAVE_PROTOBUF
#include "perfetto_trace.pb.h"
#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <map>
#include <set>

namespace gpuinstr::cli {

namespace {

using perfetto::InternedData;
using perfetto::TracePacket;
using perfetto::TrackEvent;

constexpr uint32_t Sequence = 1, StateCleared = 1, NeedsState = 2;
constexpr int UnitBytes = 3;

enum class Level : uint64_t { Process = 1, Thread, Device, Stream, Memory, Power };

/// Tracks are numbers that must not meet: mixed, so that several files can be joined.
uint64_t track(Level level, uint64_t process, uint64_t a = 0, uint64_t b = 0) {
  uint64_t hash = 0x6770696e73747231u;
  for (uint64_t part : {uint64_t(level), process, a, b}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash ? hash : 1;
}

/// Numbers for texts, given out once and announced in the packet that uses them first.
class Interned {
public:
  using List = google::protobuf::RepeatedPtrField<perfetto::InternedString>;
  /// `list` is asked for when the text is new.
  template <class GetList> uint64_t number(std::string_view text, GetList list) {
    auto it = Numbers.find(text);
    if (it != Numbers.end())
      return it->second;
    uint64_t number = Numbers.size() + 1;
    Numbers.emplace(text, number);
    perfetto::InternedString *entry = list()->Add();
    entry->set_iid(number);
    entry->set_str(text.data(), text.size());
    return number;
  }

private:
  std::map<std::string, uint64_t, std::less<>> Numbers;
};

bool isDeviceMemory(const trace::Record &record) {
  switch (record.resource) {
  case GPUINSTR_RES_DEVICE:
  case GPUINSTR_RES_ASYNC:
  case GPUINSTR_RES_PITCHED:
  case GPUINSTR_RES_ARRAY:
  case GPUINSTR_RES_MIPMAPPED:
  case GPUINSTR_RES_MANAGED:
    return true;
  }
  return false;
}

class PerfettoWriter : public Timeline::Sink {
public:
  PerfettoWriter(const Timeline &timeline, OutFile &out) : All(timeline), Out(out) {
    TracePacket first;
    first.set_sequence_flags(StateCleared);
    put(first);
    for (std::size_t i = 0; i < timeline.processes().size(); ++i)
      describeProcess(i);
  }

  void slice(const Slice &s) override {
    uint64_t where = s.onDevice() ? streamTrack(s) : threadTrack(s);
    begin(s, where);
    Packet.Clear();
    Packet.set_timestamp(All.baseNs() + s.end);
    Packet.set_sequence_flags(NeedsState);
    TrackEvent &event = *Packet.mutable_track_event();
    event.set_type(TrackEvent::TYPE_SLICE_END);
    event.set_track_uuid(where);
    put(Packet);
    if (s.kind == SliceKind::Call)
      followMemory(s);
  }

  /// Tracks of what the driver said of the devices.
  void power() {
    for (std::size_t i = 0; i < All.processes().size(); ++i)
      for (const TracePower &reading : All.processes()[i].file->power()) {
        if (reading.milliwatts)
          counter(i, reading, "power", "W", double(reading.milliwatts) / 1000);
        if (reading.smMhz)
          counter(i, reading, "SM clock", "MHz", reading.smMhz);
        if (reading.busyPercent >= 0)
          counter(i, reading, "utilisation", "%", reading.busyPercent);
      }
  }

private:
  const Timeline &All;
  OutFile &Out;
  TracePacket Packet;
  std::string Bytes;
  Interned Categories, Names, Keys, Values;
  std::map<std::pair<uint32_t, const TraceSite *>, uint64_t> Places;
  std::set<uint64_t> Tracks;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> Live; ///< bytes by process and address
  std::map<uint32_t, int64_t> LiveBytes;                  ///< by process

  void put(TracePacket &packet) {
    packet.set_trusted_packet_sequence_id(Sequence);
    Bytes.clear();
    google::protobuf::io::StringOutputStream stream(&Bytes);
    {
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.WriteTag(1 << 3 | 2); // Trace.packet
      coded.WriteVarint32(uint32_t(packet.ByteSizeLong()));
      packet.SerializeWithCachedSizes(&coded);
    }
    Out.write(Bytes);
  }

  InternedData *data() { return Packet.mutable_interned_data(); }

  perfetto::DebugAnnotation &note(TrackEvent &event, std::string_view key) {
    perfetto::DebugAnnotation &note = *event.add_debug_annotations();
    note.set_name_iid(Keys.number(key, [&] { return data()->mutable_debug_annotation_names(); }));
    return note;
  }
  void text(TrackEvent &event, std::string_view key, std::string_view value) {
    if (!value.empty())
      note(event, key).set_string_value_iid(Values.number(value, [&] {
        return data()->mutable_debug_annotation_string_values();
      }));
  }
  void shape(TrackEvent &event, std::string_view key, uint32_t x, uint32_t y, uint32_t z) {
    text(event, key, std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z));
  }

  uint64_t placeNumber(const Slice &s) {
    auto [it, fresh] = Places.emplace(std::make_pair(s.process, s.site), Places.size() + 1);
    if (fresh) {
      perfetto::SourceLocation &place = *data()->add_source_locations();
      place.set_iid(it->second);
      place.set_file_name(s.site->file);
      place.set_function_name(s.site->function);
      place.set_line_number(s.site->line);
    }
    return it->second;
  }

  void begin(const Slice &s, uint64_t where) {
    static const char *const categories[] = {"cuda_runtime", "kernel",     "gpu_memcpy",
                                             "gpu_memset",   "cuda_graph", "user_annotation"};
    Packet.Clear();
    Packet.set_timestamp(All.baseNs() + s.start);
    Packet.set_sequence_flags(NeedsState);
    TrackEvent &event = *Packet.mutable_track_event();
    event.set_type(TrackEvent::TYPE_SLICE_BEGIN);
    event.set_track_uuid(where);
    event.add_category_iids(Categories.number(categories[unsigned(s.kind)],
                                              [&] { return data()->mutable_event_categories(); }));
    event.set_name_iid(Names.number(s.name, [&] { return data()->mutable_event_names(); }));
    if (s.site && !s.site->file.empty())
      event.set_source_location_iid(placeNumber(s));
    if (s.correlation && s.onDevice() && !(s.record->flags & trace::GraphNode))
      event.add_terminating_flow_ids(s.correlation);
    else if (s.correlation)
      event.add_flow_ids(s.correlation);
    annotate(event, s);
    put(Packet);
  }

  void annotate(TrackEvent &event, const Slice &s) {
    const trace::Record &r = *s.record;
    if (s.site) {
      text(event, "source", placeOf(s.site));
      text(event, "function", s.site->function);
      text(event, "variable", s.site->variable);
      if (s.kind == SliceKind::Call) {
        std::string arguments;
        for (const std::string &argument : s.site->arguments)
          arguments += (arguments.empty() ? "" : ", ") + argument;
        text(event, "arguments", arguments);
      }
    }
    text(event, "called from", placeOf(s.caller));
    if (s.kind != SliceKind::Kernel && s.kind != SliceKind::Range)
      text(event, "kernel", s.kernel);
    if (s.kind == SliceKind::Range)
      return;
    if (s.isLaunch()) {
      shape(event, "grid", r.launch.grid[0], r.launch.grid[1], r.launch.grid[2]);
      shape(event, "block", r.launch.block[0], r.launch.block[1], r.launch.block[2]);
      if (r.launch.shared)
        note(event, "shared memory").set_uint_value(r.launch.shared);
      if (r.launch.registers)
        note(event, "registers per thread").set_uint_value(r.launch.registers);
    } else if (r.bytes) {
      note(event, "bytes").set_uint_value(r.bytes);
      if (s.onDevice() && s.ns())
        note(event, "GB/s").set_double_value(s.gigabytesPerSecond());
      if (r.memory.memory != trace::HostMemory::Unknown)
        text(event, "host memory",
             r.memory.memory == trace::HostMemory::Pinned ? "pinned" : "pageable");
    }
    if (!s.onDevice() && (r.stream || s.isLaunch()))
      note(event, "stream").set_uint_value(s.stream);
    if (r.result)
      note(event, "result").set_int_value(r.result);
    if (s.correlation)
      note(event, "correlation").set_uint_value(s.correlation);
    if (r.flags & trace::Estimated)
      note(event, "estimated, ns +-").set_uint_value(r.doubtNs);
    if (s.leftOutBefore)
      note(event, "calls left out before").set_uint_value(s.leftOutBefore);
    if (s.leftOutInside)
      note(event, "calls left out inside").set_uint_value(s.leftOutInside);
  }

  void descriptor(uint64_t uuid, uint64_t parent, const std::string &name) {
    TracePacket packet;
    perfetto::TrackDescriptor &d = *packet.mutable_track_descriptor();
    d.set_uuid(uuid);
    if (parent)
      d.set_parent_uuid(parent);
    d.set_name(name);
    put(packet);
  }

  void describeProcess(std::size_t index) {
    const TimelineProcess &process = All.processes()[index];
    TracePacket packet;
    perfetto::TrackDescriptor &d = *packet.mutable_track_descriptor();
    d.set_uuid(track(Level::Process, index));
    d.mutable_process()->set_pid(int32_t(process.pid));
    d.mutable_process()->set_process_name(process.label);
    d.mutable_process()->add_cmdline(process.file->process().command);
    put(packet);
  }

  uint64_t threadTrack(const Slice &s) {
    uint64_t uuid = track(Level::Thread, s.process, s.record->thread);
    if (Tracks.insert(uuid).second) {
      TracePacket packet;
      perfetto::TrackDescriptor &d = *packet.mutable_track_descriptor();
      d.set_uuid(uuid);
      d.set_parent_uuid(track(Level::Process, s.process));
      d.mutable_thread()->set_pid(int32_t(All.processes()[s.process].pid));
      d.mutable_thread()->set_tid(int32_t(s.tid));
      const TraceThread *thread = All.processes()[s.process].file->thread(s.record->thread);
      if (thread && !thread->name.empty())
        d.mutable_thread()->set_thread_name(thread->name);
      put(packet);
    }
    return uuid;
  }

  uint64_t streamTrack(const Slice &s) {
    uint64_t device = track(Level::Device, s.process, uint64_t(s.device));
    if (Tracks.insert(device).second) {
      std::string name = "GPU " + std::to_string(s.device);
      for (const TraceDevice &known : All.processes()[s.process].file->devices())
        if (int(known.ordinal) == s.device && !known.name.empty())
          name += ": " + known.name;
      descriptor(device, track(Level::Process, s.process), name);
    }
    // Slices of one track must nest; where work of one stream overlaps (graphs, estimates) it takes
    // a further line.
    std::vector<uint64_t> &lanes = Lanes[{device, s.stream}];
    std::size_t lane = 0;
    while (lane < lanes.size() && lanes[lane] > s.start)
      ++lane;
    if (lane == lanes.size())
      lanes.push_back(0);
    lanes[lane] = s.end;
    uint64_t uuid = track(Level::Stream, device, s.stream, lane);
    if (Tracks.insert(uuid).second)
      descriptor(uuid, device,
                 "stream " + std::to_string(s.stream) +
                     (lane ? " (" + std::to_string(lane + 1) + ")" : std::string()));
    return uuid;
  }
  std::map<std::pair<uint64_t, uint32_t>, std::vector<uint64_t>> Lanes; ///< ends of their slices

  void counter(std::size_t process, const TracePower &reading, const std::string &what,
               const char *unit, double value) {
    uint64_t uuid = track(Level::Power, process, reading.device, uint64_t(what[0]));
    if (Tracks.insert(uuid).second) {
      TracePacket packet;
      perfetto::TrackDescriptor &d = *packet.mutable_track_descriptor();
      d.set_uuid(uuid);
      d.set_parent_uuid(track(Level::Process, process));
      d.set_name("GPU " + std::to_string(reading.device) + " " + what);
      d.mutable_counter()->set_unit_name(unit);
      put(packet);
    }
    Packet.Clear();
    Packet.set_timestamp(std::max(reading.ns, All.baseNs()));
    Packet.set_sequence_flags(NeedsState);
    TrackEvent &event = *Packet.mutable_track_event();
    event.set_type(TrackEvent::TYPE_COUNTER);
    event.set_track_uuid(uuid);
    event.set_double_counter_value(value);
    put(Packet);
  }

  void followMemory(const Slice &s) {
    const trace::Record &r = *s.record;
    bool alloc = r.op == GPUINSTR_OP_ALLOC, free = r.op == GPUINSTR_OP_FREE;
    if ((!alloc && !free) || (r.flags & trace::Failed) || !r.memory.dst)
      return;
    if (alloc) {
      if (!isDeviceMemory(r))
        return;
      Live[{s.process, r.memory.dst}] = r.bytes;
      LiveBytes[s.process] += int64_t(r.bytes);
    } else {
      auto it = Live.find({s.process, r.memory.dst});
      if (it == Live.end())
        return;
      LiveBytes[s.process] -= int64_t(it->second);
      Live.erase(it);
    }
    uint64_t uuid = track(Level::Memory, s.process);
    if (Tracks.insert(uuid).second) {
      TracePacket packet;
      perfetto::TrackDescriptor &d = *packet.mutable_track_descriptor();
      d.set_uuid(uuid);
      d.set_parent_uuid(track(Level::Process, s.process));
      d.set_name("device memory allocated");
      d.mutable_counter()->set_unit(UnitBytes);
      put(packet);
    }
    Packet.Clear();
    Packet.set_timestamp(All.baseNs() + s.end);
    Packet.set_sequence_flags(NeedsState);
    TrackEvent &event = *Packet.mutable_track_event();
    event.set_type(TrackEvent::TYPE_COUNTER);
    event.set_track_uuid(uuid);
    event.set_counter_value(LiveBytes[s.process]);
    put(Packet);
  }
};

} // namespace

void writePerfetto(Timeline &timeline, const std::string &path) {
  OutFile out(path);
  PerfettoWriter writer(timeline, out);
  timeline.run(writer, "writing");
  writer.power();
  out.commit();
}

} // namespace gpuinstr::cli

#else
namespace gpuinstr::cli {
void writePerfetto(Timeline &, const std::string &path) {
  throw Failure(path + ": this gpuinstr was built without protobuf");
}
} // namespace gpuinstr::cli
#endif
