// The columns of a trace as a flat table.
// SPDX-License-Identifier: Apache-2.0
#include "trace/Columns.h"
#include "gpuinstr/abi.h"
#include <cinttypes>

namespace gpuinstr::cli {

namespace {

using S = const Slice &;
using T = const Timeline &;

const TraceProcess &processOf(S s, T t) { return t.processes()[s.process].file->process(); }
template <class Numbers> std::string shapeText(const Numbers &n) {
  return std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]);
}
bool hasMemory(S s) { return !s.isLaunch() && s.kind != SliceKind::Range; }

std::vector<TraceColumn> makeColumns() {
  std::vector<TraceColumn> all;
  auto integer = [&](const char *name, int64_t (*get)(S, T)) { all.push_back({name, get}); };
  auto text = [&](const char *name, std::string (*get)(S, T)) {
    all.push_back({name, nullptr, nullptr, get});
  };
  integer("rank", [](S s, T t) { return int64_t(processOf(s, t).rank); });
  text("host", [](S s, T t) { return processOf(s, t).host; });
  integer("pid", [](S s, T t) { return int64_t(processOf(s, t).pid); });
  integer("tid", [](S s, T) { return int64_t(s.tid); });
  text("kind", [](S s, T) {
    static const char *const kinds[] = {"call", "kernel", "memcpy", "memset", "graph", "range"};
    return std::string(kinds[unsigned(s.kind)]);
  });
  text("name", [](S s, T) { return std::string(s.name); });
  integer("start_ns", [](S s, T t) { return int64_t(t.baseNs() + s.start); });
  integer("duration_ns", [](S s, T) { return int64_t(s.ns()); });
  integer("device", [](S s, T) { return int64_t(s.device); });
  integer("stream", [](S s, T) { return s.kind == SliceKind::Range ? 0 : int64_t(s.stream); });
  integer("bytes", [](S s, T) { return int64_t(s.record->bytes); });
  all.push_back(
      {"gb_per_s", nullptr, [](S s, T) { return s.onDevice() ? s.gigabytesPerSecond() : 0.0; }});
  text("direction", [](S s, T) {
    return std::string(hasMemory(s) && s.record->memory.direction != trace::Direction::Unknown
                           ? longDirectionName(s.record->memory.direction)
                           : "");
  });
  text("host_memory", [](S s, T) {
    auto memory = hasMemory(s) ? s.record->memory.memory : trace::HostMemory::Unknown;
    return std::string(memory == trace::HostMemory::Pinned     ? "pinned"
                       : memory == trace::HostMemory::Pageable ? "pageable"
                                                               : "");
  });
  text("kernel",
       [](S s, T) { return s.kind == SliceKind::Range ? std::string() : std::string(s.kernel); });
  text("file", [](S s, T) { return s.site ? s.site->file : std::string(); });
  integer("line", [](S s, T) { return s.site ? int64_t(s.site->line) : 0; });
  text("function", [](S s, T) { return s.site ? s.site->function : std::string(); });
  text("variable", [](S s, T) { return s.site ? s.site->variable : std::string(); });
  text("called_from", [](S s, T) { return placeOf(s.caller); });
  text("site", [](S s, T) {
    char id[20] = "";
    if (s.site)
      std::snprintf(id, sizeof id, "%016" PRIx64, s.site->id);
    return std::string(id);
  });
  integer("correlation", [](S s, T) { return int64_t(s.correlation); });
  integer("result", [](S s, T) { return int64_t(s.record->result); });
  text("grid",
       [](S s, T) { return s.isLaunch() ? shapeText(s.record->launch.grid) : std::string(); });
  text("block",
       [](S s, T) { return s.isLaunch() ? shapeText(s.record->launch.block) : std::string(); });
  integer("shared_bytes",
          [](S s, T) { return s.isLaunch() ? int64_t(s.record->launch.shared) : 0; });
  integer("doubt_ns", [](S s, T) { return s.onDevice() ? int64_t(s.record->doubtNs) : 0; });
  integer("left_out_before", [](S s, T) { return int64_t(s.leftOutBefore); });
  integer("left_out_inside", [](S s, T) { return int64_t(s.leftOutInside); });
  return all;
}

} // namespace

const std::vector<TraceColumn> &traceColumns() {
  static const std::vector<TraceColumn> columns = makeColumns();
  return columns;
}

} // namespace gpuinstr::cli
