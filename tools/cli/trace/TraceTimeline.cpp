// Traces of one or many processes as one stream of named slices.
// SPDX-License-Identifier: Apache-2.0
#include "trace/TraceTimeline.h"
#include "base/text/Printable.h"
#include "gpuinstr/abi.h"
#include "io/Failure.h"
#include "io/Progress.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <map>
#include <set>
#include <unistd.h>

namespace gpuinstr::cli {

using namespace trace;

namespace {

constexpr uint32_t DefaultStream = 7; ///< as CUPTI numbers the legacy default stream

SliceKind kindOf(const Record &record) {
  if (record.type == RecordType::Range)
    return SliceKind::Range;
  if (record.type != RecordType::Device)
    return SliceKind::Call;
  switch (record.op) {
  case GPUINSTR_OP_LAUNCH:
    return SliceKind::Kernel;
  case GPUINSTR_OP_GRAPH_LAUNCH:
    return SliceKind::Graph;
  case GPUINSTR_OP_SET:
  case GPUINSTR_OP_SET_2D:
  case GPUINSTR_OP_SET_3D:
    return SliceKind::Set;
  }
  return SliceKind::Copy;
}

std::string_view copyName(Direction direction) {
  static const std::string_view names[] = {
      "[CUDA memcpy]", "[CUDA memcpy Host-to-Host]", "[CUDA memcpy Host-to-Device]",
      "[CUDA memcpy Device-to-Host]", "[CUDA memcpy Device-to-Device]"};
  return names[std::min<unsigned>(unsigned(direction), 4)];
}

std::string labelOf(const TraceFile &file) {
  const TraceProcess &process = file.process();
  std::string label = process.rank >= 0 ? "rank " + std::to_string(process.rank) + ": " : "";
  label += process.command.substr(0, 120);
  return process.host.empty() ? label : label + " on " + process.host;
}

} // namespace

bool Slice::isLaunch() const { return record->op == GPUINSTR_OP_LAUNCH; }

std::string placeOf(const TraceSite *site) {
  if (!site || site->file.empty())
    return "";
  return site->line ? site->file + ":" + std::to_string(site->line) : site->file;
}

const char *longDirectionName(Direction direction) {
  static const char *const names[] = {"Unknown", "Host-to-Host", "Host-to-Device", "Device-to-Host",
                                      "Device-to-Device"};
  return names[std::min<unsigned>(unsigned(direction), 4)];
}

std::string demangled(const std::string &name) {
  if (name.compare(0, 2, "_Z") != 0)
    return name;
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text ? text : name;
  std::free(text);
  return out;
}

std::string shortKernelName(std::string_view name) {
  if (name.compare(0, 5, "void ") == 0)
    name.remove_prefix(5);
  constexpr std::string_view Anonymous = "(anonymous namespace)::";
  std::string text(name);
  for (std::size_t at; (at = text.find(Anonymous)) != std::string::npos;)
    text.erase(at, Anonymous.size());
  std::size_t op = text.find("operator");
  std::size_t end = op == std::string::npos ? text.find_first_of("<(") : std::string::npos;
  std::string head = text.substr(0, end);
  std::size_t colons = head.rfind("::");
  return colons == std::string::npos ? head : head.substr(colons + 2);
}

Timeline::Timeline(std::vector<std::unique_ptr<TraceFile>> files) : Files(std::move(files)) {
  if (Files.empty())
    throw Failure("no trace");
  Base = UINT64_MAX;
  std::set<uint32_t> pids;
  for (const auto &file : Files) {
    Base = std::min(Base, file->startNs());
    End = std::max(End, file->endNs());
    Records += file->records();
    TimelineProcess process;
    process.file = file.get();
    process.pid = file->process().pid;
    // Processes of several hosts: a number above the largest that Linux gives.
    while (!pids.insert(process.pid).second)
      process.pid += 4194304;
    process.label = labelOf(*file);
    Processes.push_back(std::move(process));
  }
  States.resize(Files.size());
  collect();
}

/// Which calls have device work: they get the numbers 1 and up.
void Timeline::collect() {
  uint64_t next = 0;
  TraceEvent event;
  Progress progress("trace: reading", Records);
  uint64_t done = 0;
  for (std::size_t i = 0; i < Files.size(); ++i) {
    std::vector<uint64_t> &all = States[i].withWork;
    Files[i]->rewind();
    while (Files[i]->next(event)) {
      if (event.record.type == RecordType::Device && event.record.correlation)
        all.push_back(event.record.correlation);
      if ((++done & 0xffff) == 0)
        progress.at(done);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.shrink_to_fit();
    States[i].firstCorrelation = next;
    next += all.size();
  }
  WithWork = next;
}

uint64_t Timeline::lost() const {
  uint64_t lost = 0;
  for (const auto &file : Files)
    lost += file->lost();
  return lost;
}

namespace {

using TraceFiles = std::vector<std::unique_ptr<TraceFile>>;

/// Where most were left out; "" unknown.
std::string mostThinned(const TraceFiles &files) {
  std::map<std::string, uint64_t> places;
  for (const auto &file : files)
    for (auto [index, number] : file->thinnedSites())
      if (const TraceSite *site = file->site(index))
        places[placeOf(site)] += number;
  auto most = std::max_element(places.begin(), places.end(),
                               [](auto &a, auto &b) { return a.second < b.second; });
  return most == places.end() || most->first.empty()
             ? ""
             : ", " + std::to_string(most->second) + " of them at " + most->first;
}

std::string nameOf(const TraceFile &file) {
  return file.path().substr(file.path().find_last_of('/') + 1);
}

/// The sum over the files that have some, and how many those are.
struct Sum {
  uint64_t events = 0;
  std::size_t files = 0;

  void add(uint64_t number) {
    events += number;
    files += number != 0;
  }
  std::string text() const { return plural(events, "event", "events"); }
  const char *were() const { return events == 1 ? " was " : " were "; }
};

} // namespace

std::vector<std::string> traceRemarks(const TraceFiles &files, bool paths) {
  std::vector<std::string> lines;
  auto whose = [&](std::size_t number) {
    return files.size() > 1
               ? std::to_string(number) + " of " + std::to_string(files.size()) + " traces: "
           : paths ? files[0]->path() + ": "
                   : "";
  };
  Sum damaged, endless, lost, thinned;
  std::string firstDamaged, firstEndless;
  for (const auto &file : files) {
    lost.add(file->lost());
    thinned.add(file->thinned());
    if (!file->problem().empty()) {
      damaged.add(1);
      if (firstDamaged.empty())
        firstDamaged = (files.size() > 1 ? nameOf(*file) + ": " : "") + file->problem();
    } else if (!file->ended()) {
      endless.add(1);
      firstEndless += (firstEndless.empty() ? "" : endless.files < 5 ? ", " : "");
      firstEndless += endless.files < 5 ? nameOf(*file) : endless.files == 5 ? " ..." : "";
    }
  }
  if (damaged.files)
    lines.push_back(whose(damaged.files) + firstDamaged +
                    (damaged.files > 1 ? "; others likewise" : ""));
  if (endless.files)
    lines.push_back(whose(endless.files) +
                    "without an end: the process was killed or replaced, or still runs" +
                    (files.size() > 1 ? " (" + firstEndless + ")" : ""));
  if (lost.events)
    lines.push_back(whose(lost.files) + lost.text() + lost.were() +
                    "lost while it was recorded (trace_size, or too fast)");
  if (thinned.events)
    lines.push_back(whose(thinned.files) + thinned.text() + " of hot sites" + thinned.were() +
                    "left out to stay within the budget" + mostThinned(files) +
                    " (budget=100 keeps all)");
  return lines;
}

uint32_t Timeline::streamNumber(State &state, const Record &record) {
  if (record.flags & StreamId)
    return uint32_t(record.stream);
  if (record.stream <= 1)
    return DefaultStream;
  // The per-thread default stream is another one in each thread.
  uint64_t key = record.stream == 2 ? uint64_t(1) << 63 | record.thread : record.stream;
  auto [it, fresh] = state.streams.emplace(key, state.nextStream);
  state.nextStream += fresh;
  return it->second;
}

void Timeline::fill(uint32_t process, const TraceEvent &event, Slice &slice) {
  const TraceFile &file = *Files[process];
  State &state = States[process];
  const Record &r = event.record;
  slice = {};
  slice.kind = kindOf(r);
  slice.record = &r;
  slice.start = event.startNs > Base ? event.startNs - Base : 0;
  slice.end = std::max(slice.start, event.endNs - std::min(event.endNs, Base));
  slice.process = process;
  if (const TraceThread *thread = file.thread(r.thread))
    slice.tid = thread->tid;
  slice.site = file.site(r.site);
  slice.caller = file.site(r.caller);
  slice.stream = streamNumber(state, r);
  if (r.name) {
    auto [it, fresh] = state.kernels.emplace(r.name, std::string());
    if (fresh)
      it->second = demangled(file.name(r.name));
    slice.kernel = it->second;
  }
  if (slice.onDevice())
    slice.device = r.device == NoDevice ? 0 : r.device;
  if (r.correlation) {
    auto at = std::lower_bound(state.withWork.begin(), state.withWork.end(), r.correlation);
    if (at != state.withWork.end() && *at == r.correlation)
      slice.correlation = state.firstCorrelation + 1 + uint64_t(at - state.withWork.begin());
  }
  switch (slice.kind) {
  case SliceKind::Range:
  case SliceKind::Kernel:
    slice.name = slice.kernel;
    break;
  case SliceKind::Copy:
    slice.name = copyName(r.memory.direction);
    break;
  case SliceKind::Set:
    slice.name = "[CUDA memset]";
    break;
  case SliceKind::Graph:
    slice.name = "[CUDA graph]";
    break;
  case SliceKind::Call:
    slice.leftOutBefore = r.leftOutBefore;
    slice.leftOutInside = r.leftOutInside;
    slice.name = slice.site         ? std::string_view(slice.site->called)
                 : slice.isLaunch() ? "cudaLaunchKernel"
                                    : "";
  }
  if (slice.name.empty())
    slice.name = "unknown";
}

void Timeline::run(Sink &sink, const std::string &what) {
  Progress progress("trace: " + what, Records);
  uint64_t done = 0;
  TraceEvent event;
  Slice slice;
  for (std::size_t i = 0; i < Files.size(); ++i) {
    Files[i]->rewind();
    while (Files[i]->next(event)) {
      fill(uint32_t(i), event, slice);
      sink.slice(slice);
      if ((++done & 0xffff) == 0)
        progress.at(done);
    }
  }
}

} // namespace gpuinstr::cli
