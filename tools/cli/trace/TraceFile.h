// Reads trace files (docs/design/trace-file.md) from front to back, in memory that does not grow
// with them. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_TRACE_TRACEFILE_H
#define GPUINSTR_CLI_TRACE_TRACEFILE_H

#include "trace/Format.h"
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gpuinstr::cli {

struct TraceSite {
  std::string file, function, callee, variable, type;
  std::string called; ///< the CUDA function: a launch is spelled as its kernel
  std::vector<std::string> arguments;
  uint32_t line = 0, column = 0, flags = 0;
  uint16_t op = 0, resource = 0, detail = 0;
  uint64_t id = 0;
};
struct TraceThread {
  uint32_t tid = 0;
  std::string name;
};
struct TraceDevice {
  uint32_t ordinal = 0;
  uint64_t memory = 0; ///< bytes
  std::string name;
};
/// What the driver said of a device at one moment.
struct TracePower {
  uint64_t ns = 0; ///< CLOCK_REALTIME
  uint32_t device = 0, milliwatts = 0, smMhz = 0;
  int32_t busyPercent = -1;
};
struct TraceProcess {
  uint32_t pid = 0;
  int32_t rank = -1;
  std::string host, command, version;
};

/// A record with its times on one clock.
struct TraceEvent {
  trace::Record record;
  uint64_t startNs = 0, endNs = 0; ///< CLOCK_REALTIME; end >= start
};

class TraceFile {
public:
  /// Reads the header and the tables, which a pass over the block headers finds. Throws Failure
  /// with the file's name when it is no trace, of another version, or holds no clock.
  explicit TraceFile(const std::string &path);
  /// The same from what is open and can be sought in; `path` only names it.
  TraceFile(const std::string &path, std::FILE *file);

  /// The next event in the file's order; false at the end of what is whole. Throws Failure when the
  /// file cannot be read.
  bool next(TraceEvent &event);
  /// Back to the first event.
  void rewind();

  const std::string &path() const { return Path; }
  const TraceProcess &process() const { return Process; }
  /// nullptr for 0 and what the file does not describe.
  const TraceSite *site(uint32_t index) const;
  const TraceThread *thread(uint32_t index) const;
  /// A kernel's or range's name; "" unknown.
  const std::string &name(uint32_t index) const;
  const std::map<uint32_t, TraceSite> &sites() const { return Sites; }
  const std::map<uint32_t, TraceThread> &threads() const { return Threads; }
  const std::vector<TraceDevice> &devices() const { return Devices; }
  /// A few a second, in their order.
  std::vector<TracePower> power() const;

  uint64_t startNs() const;                    ///< CLOCK_REALTIME before the first event
  uint64_t endNs() const;                      ///< of the last clock entry
  uint64_t records() const { return Records; } ///< whole ones, by the block headers
  uint64_t lost() const { return Last.lost; }  ///< calls that were not recorded
  /// Left out to stay within `budget`: all, and by site where the process ended in order.
  uint64_t thinned() const { return Last.thinned; }
  const std::map<uint32_t, uint64_t> &thinnedSites() const { return Thinned; }
  bool ended() const { return Ended; }                   ///< the process ended in order
  const std::string &problem() const { return Problem; } ///< one line: what is cut or damaged; ""

  /// Places another file of the same host on the same clock: CLOCK_REALTIME may be set meanwhile.
  int64_t realtimeOffset() const { return int64_t(First.realtimeNs - First.monotonicNs); }
  void useRealtimeOffset(int64_t offset) { Offset = offset; }

private:
  struct Closer {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  void scan();
  bool readBlock(trace::BlockHeader &header, bool wantRecords);
  void take(const trace::BlockHeader &header);
  void stop(const std::string &what);
  uint64_t hostNs(uint64_t ticks) const;

  std::string Path, Problem;
  std::unique_ptr<std::FILE, Closer> File;
  std::vector<char> Payload;
  uint32_t RecordBytes = 0, Left = 0; ///< records left in the payload
  std::size_t At = 0;                 ///< of the next one
  uint64_t FirstBlock = 0, Good = 0;  ///< file offsets: the first block, behind the last whole one
  TraceProcess Process;
  std::map<uint32_t, TraceSite> Sites;
  std::map<uint32_t, TraceThread> Threads;
  std::map<uint32_t, std::string> Names;
  std::map<uint32_t, uint64_t> Thinned;
  std::vector<TraceDevice> Devices;
  std::vector<trace::PowerEntry> Power;
  trace::ClockEntry First{}, Last{};
  uint64_t Clocks = 0, Records = 0;
  double NsPerTick = 1;
  int64_t Offset = 0;
  bool Ended = false;
};

/// The files, with folders replaced by their *.trace files, on one clock. Throws Failure.
std::vector<std::unique_ptr<TraceFile>> openTraces(const std::vector<std::string> &given);

} // namespace gpuinstr::cli

#endif
