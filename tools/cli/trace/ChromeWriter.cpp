// Traces as Chrome JSON in Kineto's dialect.
// SPDX-License-Identifier: Apache-2.0
//
// What PyTorch's profiler writes: devices are processes whose number is the ordinal, streams their
// threads, times in us with three decimals, flows called ac2g from call to device work.
#include "gpuinstr/abi.h"
#include "io/OutFile.h"
#include "trace/TraceTimeline.h"
#include "trace/Writers.h"
#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <set>

namespace gpuinstr::cli {

namespace {

/// Devices of further processes: above every pid, so that no two meet.
constexpr uint64_t DevicesOfAProcess = 100000000;

void quote(std::string &out, std::string_view text) {
  out += '"';
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      out += code;
    } else {
      out += c;
    }
  }
  out += '"';
}

__attribute__((format(printf, 2, 3))) void print(std::string &out, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  int n = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  out.append(text, std::size_t(n));
}

void microseconds(std::string &out, const char *key, uint64_t ns) {
  print(out, "\"%s\": %" PRIu64 ".%03u", key, ns / 1000, unsigned(ns % 1000));
}

class ChromeWriter : public Timeline::Sink {
public:
  ChromeWriter(const Timeline &timeline, OutFile &out) : All(timeline), Out(out) { start(); }

  void slice(const Slice &s) override {
    uint64_t process = processOf(s), thread = s.onDevice() ? s.stream : s.tid;
    describe(s, process, thread);
    static const char *const categories[] = {"cuda_runtime", "kernel",     "gpu_memcpy",
                                             "gpu_memset",   "cuda_graph", "user_annotation"};
    const char *category = categories[unsigned(s.kind)];
    if (s.kind == SliceKind::Call && s.site && (s.site->flags & GPUINSTR_SITE_DRIVER))
      category = "cuda_driver";
    Text.clear();
    print(Text, ",\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": ", category);
    // The kernel's name in full, copies as Kineto spells them: Memcpy HtoD (Pinned -> Device).
    quote(Text, s.kind == SliceKind::Copy  ? copyName(*s.record)
                : s.kind == SliceKind::Set ? "Memset (Device)"
                                           : s.name);
    print(Text, ", \"pid\": %" PRIu64 ", \"tid\": %" PRIu64 ", ", process, thread);
    microseconds(Text, "ts", s.start);
    Text += ", ";
    microseconds(Text, "dur", s.ns());
    Text += ", \"args\": {";
    arguments(s);
    Text += "}}";
    if (s.correlation)
      flow(s, process, thread);
    Out.write(Text);
  }

  void finish(const std::string &name) {
    for (std::size_t i = 0; i < All.processes().size(); ++i)
      for (const TracePower &reading : All.processes()[i].file->power()) {
        Text.clear();
        if (reading.milliwatts)
          counter(i, reading, "power", "W", double(reading.milliwatts) / 1000);
        if (reading.smMhz)
          counter(i, reading, "SM clock", "MHz", reading.smMhz);
        if (reading.busyPercent >= 0)
          counter(i, reading, "utilisation", "percent", reading.busyPercent);
        Out.write(Text);
      }
    Text.clear();
    Text += ",\n{\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\", \"pid\": \"\", "
            "\"tid\": \"\", ";
    microseconds(Text, "ts", All.endNs());
    Text += "}\n],\n\"traceName\": ";
    quote(Text, name);
    Text += "\n}\n";
    Out.write(Text);
  }

private:
  const Timeline &All;
  OutFile &Out;
  std::string Text;
  bool First = true;
  std::set<std::pair<uint64_t, uint64_t>> Known;
  std::set<uint64_t> KnownDevices;

  static uint64_t processOf(const Timeline &all, const Slice &s) {
    if (!s.onDevice())
      return all.processes()[s.process].pid;
    return s.process * DevicesOfAProcess + uint64_t(s.device);
  }
  uint64_t processOf(const Slice &s) const { return processOf(All, s); }

  static std::string copyName(const trace::Record &r) {
    static const char *const names[] = {"Memcpy", "Memcpy HtoH", "Memcpy HtoD", "Memcpy DtoH",
                                        "Memcpy DtoD"};
    std::string host = r.memory.memory == trace::HostMemory::Pinned ? "Pinned" : "Pageable";
    std::string name = names[unsigned(r.memory.direction) % 5];
    switch (r.memory.direction) {
    case trace::Direction::HostToDevice:
      return name + " (" + host + " -> Device)";
    case trace::Direction::DeviceToHost:
      return name + " (Device -> " + host + ")";
    case trace::Direction::DeviceToDevice:
      return name + " (Device -> Device)";
    default:
      return name;
    }
  }

  void start() {
    Text = "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [";
    const char *separator = "";
    for (std::size_t i = 0; i < All.processes().size(); ++i)
      for (const TraceDevice &device : All.processes()[i].file->devices()) {
        print(Text, "%s\n  {\"id\": %" PRIu64 ", \"name\": ", separator,
              i * DevicesOfAProcess + device.ordinal);
        quote(Text, device.name);
        print(Text, ", \"totalGlobalMem\": %" PRIu64 "}", device.memory);
        separator = ",";
      }
    print(Text,
          "\n],\n\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": %" PRIu64
          ",\n\"traceEvents\": [",
          All.baseNs());
    for (std::size_t i = 0; i < All.processes().size(); ++i) {
      const TimelineProcess &process = All.processes()[i];
      int rank = process.file->process().rank;
      metadata("process_name", process.pid, 0, "name", process.label);
      if (rank >= 0)
        metadata("process_labels", process.pid, 0, "labels", "rank " + std::to_string(rank));
    }
    Out.write(Text);
  }

  /// A point of a track of the process: "GPU 0 power".
  void counter(std::size_t process, const TracePower &reading, const char *what, const char *unit,
               double value) {
    print(Text, ",\n{\"ph\": \"C\", \"name\": \"GPU %u %s\", \"pid\": %u, ", reading.device, what,
          All.processes()[process].pid);
    microseconds(Text, "ts", reading.ns - std::min(reading.ns, All.baseNs()));
    print(Text, ", \"args\": {\"%s\": %.1f}}", unit, value);
  }

  void metadata(const char *name, uint64_t process, uint64_t thread, const char *key,
                std::string_view value) {
    print(Text,
          "%s\n{\"name\": \"%s\", \"ph\": \"M\", \"ts\": 0.000, \"pid\": %" PRIu64
          ", \"tid\": %" PRIu64 ", \"args\": {\"%s\": ",
          First ? "" : ",", name, process, thread, key);
    quote(Text, value);
    Text += "}}";
    First = false;
  }

  void describe(const Slice &s, uint64_t process, uint64_t thread) {
    if (!Known.emplace(process, thread).second)
      return;
    Text.clear();
    if (s.onDevice()) {
      if (KnownDevices.insert(process).second) {
        metadata("process_name", process, 0, "name", All.processes()[s.process].label);
        metadata("process_labels", process, 0, "labels", "GPU " + std::to_string(s.device));
      }
      metadata("thread_name", process, thread, "name", "stream " + std::to_string(s.stream));
    } else {
      const TraceThread *known = All.processes()[s.process].file->thread(s.record->thread);
      metadata("thread_name", process, thread, "name",
               "thread " + std::to_string(s.tid) +
                   (known && !known->name.empty() ? " (" + known->name + ")" : ""));
    }
    Out.write(Text);
  }

  void text(const char *name, std::string_view value) {
    if (value.empty())
      return;
    key(name);
    quote(Text, value);
  }
  void number(const char *name, uint64_t value) {
    key(name);
    print(Text, "%" PRIu64, value);
  }
  void key(const char *name) { print(Text, "%s\"%s\": ", Text.back() == '{' ? "" : ", ", name); }

  void arguments(const Slice &s) {
    const trace::Record &r = *s.record;
    if (s.onDevice()) {
      number("device", uint64_t(s.device));
      number("stream", s.stream);
    }
    if (s.correlation)
      number("correlation", s.correlation);
    if (s.isLaunch()) {
      key("grid");
      print(Text, "[%u, %u, %u]", r.launch.grid[0], r.launch.grid[1], r.launch.grid[2]);
      key("block");
      print(Text, "[%u, %u, %u]", r.launch.block[0], r.launch.block[1], r.launch.block[2]);
      if (s.onDevice()) {
        number("registers per thread", r.launch.registers);
        number("shared memory", r.launch.shared);
      } else {
        text("kernel", s.kernel);
      }
    } else if (r.bytes) {
      number("bytes", r.bytes);
      if (s.onDevice() && s.ns()) {
        key("memory bandwidth (GB/s)");
        print(Text, "%.3f", s.gigabytesPerSecond());
      }
    }
    if (r.result) {
      key("result");
      print(Text, "%d", int(r.result));
    }
    if (s.site) {
      text("source", placeOf(s.site));
      text("function", s.site->function);
      text("variable", s.site->variable);
    }
    text("called from", placeOf(s.caller));
    if (r.flags & trace::Estimated)
      number("estimated +- (ns)", r.doubtNs);
    if (s.leftOutBefore)
      number("calls left out before", s.leftOutBefore);
    if (s.leftOutInside)
      number("calls left out inside", s.leftOutInside);
  }

  void flow(const Slice &s, uint64_t process, uint64_t thread) {
    print(Text,
          ",\n{\"ph\": \"%s\", \"id\": %" PRIu64 ", \"pid\": %" PRIu64 ", \"tid\": %" PRIu64 ", ",
          s.onDevice() ? "f" : "s", s.correlation, process, thread);
    microseconds(Text, "ts", s.start);
    Text += ", \"cat\": \"ac2g\", \"name\": \"ac2g\"";
    Text += s.onDevice() ? ", \"bp\": \"e\"}" : "}";
  }
};

} // namespace

void writeChrome(Timeline &timeline, const std::string &path) {
  OutFile out(path);
  ChromeWriter writer(timeline, out);
  timeline.run(writer, "writing");
  writer.finish(path);
  out.commit();
}

} // namespace gpuinstr::cli
