// From CUPTI's records to the calls that they belong to.
// SPDX-License-Identifier: Apache-2.0
//
// No external correlation is needed. CUPTI fills a buffer per thread, in the order of that thread's
// calls, and asks for the buffer on that thread; gpuinstr has a log per thread, in the same order.
// So record and entry are joined one by one. What each must agree in (kernel and launch shape, kind
// and size of a copy, no record before its call) finds the place again after work that was not
// logged (libraries that are not instrumented) or has no record.
#ifndef GPUINSTR_TIME_EXACT_RECORDMATCHER_H
#define GPUINSTR_TIME_EXACT_RECORDMATCHER_H

#include "time/exact/CallLog.h"
#include "time/exact/cupti/DeviceRecord.h"
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpuinstr::timing {

/// Ticks to ns as far as they are known now.
struct TickScale {
  uint64_t ticks = 0, ns = 0;
  double nsPerTick = 1;
  uint64_t at(uint64_t stamp) const {
    return uint64_t(double(ns) + double(int64_t(stamp - ticks)) * nsPerTick);
  }
};

/// What becomes of records and entries. The records of one graph launch come together.
class RecordSink {
public:
  virtual ~RecordSink() = default;
  virtual void joined(const LogEntry &entry, const DeviceRecord *records, size_t count) = 0;
  /// Of code that is not instrumented.
  virtual void foreign(const DeviceRecord *records, size_t count) = 0;
  /// No record came.
  virtual void lost(const LogEntry &entry) = 0;
};

/// The kernel's name as the source has it, "" unknown.
using KernelNamer = std::string (*)(uint64_t function);

/// Whether a mangled name can be that of `name` (ns::saxpy<float>). True when that is unknown.
bool namesKernel(const char *mangled, const std::string &name);

/// Of one thread.
class RecordMatcher {
public:
  explicit RecordMatcher(KernelNamer namer) : Namer(namer) {}

  /// Records in the thread's order; a buffer may end within a graph launch.
  void feed(const std::vector<DeviceRecord> &records, CallLog &log, const TickScale &scale,
            RecordSink &sink);
  /// The group that the last buffer ended with; and what is left in the log is lost.
  void finish(CallLog &log, const TickScale &scale, RecordSink &sink);
  /// Records whose start is not known.
  uint64_t unfinished() const { return Unfinished; }

private:
  /// Entries that are looked at ahead when the next one does not fit.
  static constexpr uint64_t Ahead = 512;

  void group(const DeviceRecord *records, size_t count, CallLog &log, const TickScale &scale,
             RecordSink &sink);
  bool fits(const LogEntry &entry, const DeviceRecord &record, const TickScale &scale, bool size);
  bool fitsKernel(const LogEntry &entry, const DeviceRecord &record);

  KernelNamer Namer;
  std::vector<DeviceRecord> Open; ///< a group that may go on
  std::unordered_map<uint64_t, std::string> Names;
  std::map<std::pair<uint64_t, const char *>, bool> Known;
  uint64_t Unfinished = 0;
};

} // namespace gpuinstr::timing

#endif
