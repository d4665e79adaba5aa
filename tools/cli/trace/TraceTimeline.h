// Traces of one or many processes as one stream of named slices.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TRACE_TRACETIMELINE_H
#define GPUINSTR_CLI_TRACE_TRACETIMELINE_H

#include "trace/TraceFile.h"
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpuinstr::cli {

enum class SliceKind { Call, Kernel, Copy, Set, Graph, Range };

/// One call, piece of device work or user range. References live until the next slice.
struct Slice {
  SliceKind kind = SliceKind::Call;
  const trace::Record *record = nullptr;
  uint64_t start = 0, end = 0; ///< ns since Timeline::baseNs
  uint32_t process = 0;        ///< index into Timeline::processes
  uint32_t tid = 0;            ///< of the thread that called; 0 unknown
  int device = -1;             ///< of device work: ordinal
  uint32_t stream = 0;         ///< number; of device work and calls that name a stream
  const TraceSite *site = nullptr, *caller = nullptr; ///< null: unknown
  std::string_view name;                              ///< kernel, copy or function
  std::string_view kernel;                            ///< full name; "" none
  /// Joins call and device work, unique over all files; 0: a call without device work.
  uint64_t correlation = 0;
  /// Calls that were left out to stay within the budget: on this thread since its last call, and
  /// inside this one.
  uint32_t leftOutBefore = 0, leftOutInside = 0;

  bool onDevice() const { return kind != SliceKind::Call && kind != SliceKind::Range; }
  bool isLaunch() const;
  uint64_t ns() const { return end - start; }
  /// 10^9 bytes a second; 0 where nothing moved or no time passed.
  double gigabytesPerSecond() const { return ns() ? double(record->bytes) / double(ns()) : 0; }
};

struct TimelineProcess {
  const TraceFile *file = nullptr;
  uint32_t pid = 0;  ///< its own, or another one where two files have the same
  std::string label; ///< "rank 3: ./app -n 8 on node17"
};

/// "train.cu:131"; "" unknown.
std::string placeOf(const TraceSite *site);
/// "Host-to-Device" and the like, as Nsight spells it.
const char *longDirectionName(trace::Direction direction);
/// The name without arguments, template arguments and namespaces.
std::string shortKernelName(std::string_view name);
/// Names that the driver gives are mangled.
std::string demangled(const std::string &name);

/// What the traces lack, one line for each kind, whatever their number: damaged, without an end,
/// lost, left out within the budget. `paths`: a single file is named.
std::vector<std::string> traceRemarks(const std::vector<std::unique_ptr<TraceFile>> &files,
                                      bool paths = true);

class Timeline {
public:
  explicit Timeline(std::vector<std::unique_ptr<TraceFile>> files);

  const std::vector<TimelineProcess> &processes() const { return Processes; }
  uint64_t baseNs() const { return Base; }      ///< CLOCK_REALTIME of time 0
  uint64_t endNs() const { return End - Base; } ///< since then
  uint64_t records() const { return Records; }
  uint64_t lost() const;
  /// Their correlations are 1 to this.
  uint64_t callsWithWork() const { return WithWork; }
  /// What the traces lack.
  std::vector<std::string> remarks() const { return traceRemarks(Files); }

  class Sink {
  public:
    virtual ~Sink() = default;
    virtual void slice(const Slice &slice) = 0;
  };
  /// All slices, file by file in the order they were recorded. Can be repeated.
  void run(Sink &sink, const std::string &what);

private:
  struct State {
    std::vector<uint64_t> withWork; ///< sorted: correlations that have device work
    uint64_t firstCorrelation = 0;  ///< of this file, less one
    std::unordered_map<uint64_t, uint32_t> streams;
    std::unordered_map<uint32_t, std::string> kernels; ///< demangled, by name
    uint32_t nextStream = 13;
  };
  void collect();
  void fill(uint32_t process, const TraceEvent &event, Slice &slice);
  uint32_t streamNumber(State &state, const trace::Record &record);

  std::vector<std::unique_ptr<TraceFile>> Files;
  std::vector<TimelineProcess> Processes;
  std::vector<State> States;
  uint64_t Base = 0, End = 0, Records = 0, WithWork = 0;
};

} // namespace gpuinstr::cli

#endif
