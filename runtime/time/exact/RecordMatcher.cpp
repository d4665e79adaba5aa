// From CUPTI's records to the calls that they belong to.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/RecordMatcher.h"
#include <cstring>

namespace gpuinstr::timing {

namespace {

/// The two clocks are matched to better than this.
constexpr uint64_t ClockDoubtNs = 20000;

bool isDead(const LogEntry &entry) { return __atomic_load_n(&entry.dead, __ATOMIC_RELAXED); }

/// "ns::saxpy<float>" -> "saxpy"; lambdas and operators have no such name.
std::string baseName(const std::string &name) {
  size_t end = name.find_first_of("<(");
  std::string head = name.substr(0, end);
  size_t colon = head.rfind("::");
  std::string base = colon == std::string::npos ? head : head.substr(colon + 2);
  for (char c : base)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      return "";
  return base;
}

} // namespace

bool namesKernel(const char *mangled, const std::string &name) {
  std::string base = baseName(name);
  if (base.empty() || !mangled)
    return true;
  if (std::strncmp(mangled, "_Z", 2) != 0)
    return base == mangled;
  return std::strstr(mangled, (std::to_string(base.size()) + base).c_str()) != nullptr;
}

bool RecordMatcher::fitsKernel(const LogEntry &entry, const DeviceRecord &record) {
  if (record.done != Done::Kernel || record.graphNode || entry.shape != record.shape)
    return false;
  auto known = Known.find({entry.what, record.name});
  if (known != Known.end())
    return known->second;
  auto name = Names.find(entry.what);
  if (name == Names.end())
    name = Names.emplace(entry.what, Namer ? Namer(entry.what) : std::string()).first;
  bool fits = namesKernel(record.name, name->second);
  Known[{entry.what, record.name}] = fits;
  return fits;
}

bool RecordMatcher::fits(const LogEntry &entry, const DeviceRecord &record, const TickScale &scale,
                         bool size) {
  if (record.start && record.start + ClockDoubtNs < scale.at(entry.startTicks))
    return false; // nothing runs before it was asked for
  switch (entry.asked) {
  case Asked::Kernel:
    return fitsKernel(entry, record);
  case Asked::Graph:
    return record.graphNode != 0;
  case Asked::Copy:
    return record.done == Done::Copy && !record.graphNode && (!size || entry.what == record.bytes);
  case Asked::Set:
    return record.done == Done::Set && !record.graphNode && (!size || entry.what == record.bytes);
  case Asked::Library:
    return false;
  }
  return false;
}

void RecordMatcher::group(const DeviceRecord *records, size_t count, CallLog &log,
                          const TickScale &scale, RecordSink &sink) {
  const DeviceRecord &first = records[0];
  bool timed = first.start && first.end;
  Unfinished += !timed;
  while (LogEntry *entry = log.peek(0)) {
    if (!isDead(*entry))
      break;
    log.take(1);
  }
  LogEntry *match = nullptr;
  uint64_t at = 0, libraries = 0;
  bool onlyLibraries = true;
  for (uint64_t i = 0; i < Ahead && !match; ++i) {
    LogEntry *entry = log.peek(i);
    if (!entry)
      break;
    if (isDead(*entry))
      continue;
    if (entry->asked == Asked::Library) {
      bool before = timed && first.start + ClockDoubtNs >= scale.at(entry->startTicks);
      libraries += onlyLibraries && before;
      continue;
    }
    onlyLibraries = false;
    if (fits(*entry, first, scale, true)) {
      match = entry;
      at = i;
    }
  }
  // Sizes can differ (rows with a pitch, copies that the driver splits): the next in line will do.
  if (!match && !libraries && log.peek(0) && fits(*log.peek(0), first, scale, false))
    match = log.peek(0);
  if (match) {
    for (uint64_t i = 0; i < at; ++i)
      if (LogEntry *entry = log.peek(i); entry->asked != Asked::Library && !isDead(*entry))
        sink.lost(*entry);
    if (timed)
      sink.joined(*match, records, count);
    log.take(at + 1);
    return;
  }
  if (!timed)
    return;
  if (!libraries)
    return sink.foreign(records, count);
  // The latest call into a library before it; the call may launch more.
  log.take(libraries - 1);
  sink.joined(*log.peek(0), records, count);
}

void RecordMatcher::feed(const std::vector<DeviceRecord> &records, CallLog &log,
                         const TickScale &scale, RecordSink &sink) {
  for (const DeviceRecord &record : records) {
    bool more = !Open.empty() && Open[0].correlation == record.correlation;
    if (!more && !Open.empty()) {
      group(Open.data(), Open.size(), log, scale, sink);
      Open.clear();
    }
    Open.push_back(record);
  }
  // Only graphs have several records: no need to wait for more.
  if (!Open.empty() && !Open[0].graphNode) {
    group(Open.data(), Open.size(), log, scale, sink);
    Open.clear();
  }
}

void RecordMatcher::finish(CallLog &log, const TickScale &scale, RecordSink &sink) {
  if (!Open.empty())
    group(Open.data(), Open.size(), log, scale, sink);
  Open.clear();
  while (LogEntry *entry = log.peek(0)) {
    if (entry->asked != Asked::Library && !isDead(*entry))
      sink.lost(*entry);
    log.take(1);
  }
}

} // namespace gpuinstr::timing
