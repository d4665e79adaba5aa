// Exact device times by site, and each device's timeline.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/RecordStore.h"
#include "base/text/KernelName.h"
#include "trace/Trace.h"
#include <algorithm>
#include <cstring>

namespace gpuinstr::timing {

namespace {

/// From the launch call's return to the start on an idle device: later than this, something else
/// held it up.
constexpr uint64_t MostLaunchNs = 20000;

// CUpti_ActivityMemcpyKind and CUpti_ActivityMemoryKind.
enum : uint8_t { HtoD = 1, DtoH = 2, HtoA = 3, AtoH = 4, HtoH = 9 };
enum : uint8_t { Pageable = 1, Pinned = 2 };

CopyDirection directionOf(const DeviceRecord &r) {
  switch (r.copyKind) {
  case HtoD:
  case HtoA:
    return CopyDirection::HostToDevice;
  case DtoH:
  case AtoH:
    return CopyDirection::DeviceToHost;
  case HtoH:
    return CopyDirection::HostToHost;
  }
  return CopyDirection::DeviceToDevice;
}

HostMemoryKind memoryOf(const DeviceRecord &r) {
  CopyDirection direction = directionOf(r);
  uint8_t kind = direction == CopyDirection::HostToDevice   ? r.srcKind
                 : direction == CopyDirection::DeviceToHost ? r.dstKind
                                                            : 0;
  return kind == Pageable ? HostMemoryKind::Pageable
         : kind == Pinned ? HostMemoryKind::Pinned
                          : HostMemoryKind::Unknown;
}

DeviceWorkKind workOf(Done done) {
  return done == Done::Kernel ? DeviceWorkKind::Kernel
         : done == Done::Copy ? DeviceWorkKind::Copy
                              : DeviceWorkKind::Set;
}

/// The runtime's own kernels are no part of the program.
bool isOwn(const DeviceRecord &r) { return r.name && std::strncmp(r.name, "gpuinstr_", 9) == 0; }

void addToTrace(const DeviceRecord &r, SiteIndex site, uint64_t correlation,
                const std::string &name) {
  trace::DeviceWork work;
  work.op = r.done == Done::Kernel ? GPUINSTR_OP_LAUNCH
            : r.done == Done::Copy ? GPUINSTR_OP_COPY
                                   : GPUINSTR_OP_SET;
  work.startNs = r.start;
  work.endNs = r.end;
  work.correlation = correlation;
  work.site = site;
  work.name = name;
  work.stream = r.stream;
  work.streamIsId = true;
  work.bytes = r.bytes;
  if (r.done == Done::Copy) {
    work.direction = directionOf(r);
    work.memory = memoryOf(r);
  }
  std::copy(r.grid, r.grid + 3, work.grid);
  std::copy(r.block, r.block + 3, work.block);
  work.shared = r.staticShared + r.dynamicShared;
  work.registers = r.registers;
  work.device = int(r.device);
  work.graphNode = r.graphNode != 0;
  trace::addDevice(work);
}

} // namespace

RecordStore::RecordStore(KernelNamer namer, uint64_t startNs)
    : Namer(namer), Graphs(namer), StartNs(startNs), Hosts(startNs) {}

RecordStats &RecordStore::rowFor(SiteIndex site, uint64_t function, const DeviceRecord &record) {
  std::vector<std::unique_ptr<RecordStats>> &rows = Sites[site];
  DeviceWorkKind work = workOf(record.done);
  CopyDirection direction = CopyDirection::Unknown;
  HostMemoryKind memory = HostMemoryKind::Unknown;
  if (work == DeviceWorkKind::Copy) {
    direction = directionOf(record);
    memory = memoryOf(record);
  }
  bool others = Rows >= MostRecordRows && work == DeviceWorkKind::Kernel;
  RecordStats *rest = nullptr;
  for (std::unique_ptr<RecordStats> &row : rows) {
    if (!row->others && row->work == work && row->looks.name == record.name &&
        row->direction == direction && row->memory == memory)
      return *row;
    rest = row->others ? row.get() : rest;
  }
  if (others && rest)
    return *rest;
  ++Rows;
  rows.push_back(std::make_unique<RecordStats>());
  RecordStats &row = *rows.back();
  row.work = work;
  row.direction = direction;
  row.memory = memory;
  row.looks = record;
  row.others = others;
  if (others) {
    row.name = profile::OtherKernels;
  } else if (work == DeviceWorkKind::Kernel) {
    row.name = function && Namer ? Namer(function) : "";
    if (row.name.empty())
      row.name = shortKernelName(record.name);
  }
  return row;
}

void RecordStore::addRecord(SiteIndex site, uint64_t function, const DeviceRecord &record,
                            uint64_t correlation) {
  RecordStats &row = rowFor(site, function, record);
  if (trace::isOn())
    addToTrace(record, site, correlation,
               row.others                           ? shortKernelName(record.name)
               : row.work == DeviceWorkKind::Kernel ? row.name
                                                    : "");
  row.device.add(record.end - record.start);
  row.bytes += record.bytes;
  row.shapesDiffer |= row.looks.shape != record.shape;
}

void RecordStore::addToTimeline(const DeviceRecord &record) {
  Activity activity = Activity::Kernel;
  if (record.done == Done::Set) {
    activity = Activity::Set;
  } else if (record.done == Done::Copy) {
    CopyDirection direction = directionOf(record);
    if (direction == CopyDirection::HostToHost)
      return;
    activity = direction == CopyDirection::HostToDevice   ? Activity::HostToDevice
               : direction == CopyDirection::DeviceToHost ? Activity::DeviceToHost
                                                          : Activity::DeviceToDevice;
  }
  timeline(record.device).add(activity, record.start, record.end);
}

Timeline &RecordStore::timeline(uint32_t device) {
  auto found = Devices.find(device);
  if (found != Devices.end())
    return found->second;
  return Devices.emplace(device, Hosts).first->second;
}

void RecordStore::joined(const LogEntry &entry, const DeviceRecord *records, size_t count) {
  ++Counts.joined;
  if (entry.site == 0)
    return; // made while paused
  for (size_t i = 0; i < count; ++i)
    addToTimeline(records[i]);
  uint64_t call = Scale.at(entry.startTicks);
  uint64_t callNs =
      uint64_t(double(__atomic_load_n(&entry.callTicks, __ATOMIC_RELAXED)) * Scale.nsPerTick);
  uint64_t returned = call + callNs, start = records[0].start;
  if (entry.asked != Asked::Library) {
    bool blocks = entry.asked == Asked::Copy &&
                  (entry.blocks || memoryOf(records[0]) == HostMemoryKind::Pageable);
    addHost(blocks ? Activity::BlockingCopy : Activity::Launch, call,
            std::max(returned, std::min(start, returned + MostLaunchNs)));
  }
  if (entry.epoch != Epoch)
    return; // made before a reset
  if (entry.asked == Asked::Graph) {
    std::vector<SiteIndex> sites = Graphs.sitesOf(records, count);
    for (size_t i = 0; i < count; ++i)
      addRecord(sites[i] ? sites[i] : entry.site, 0, records[i], entry.correlation);
    return;
  }
  uint64_t function = entry.asked == Asked::Kernel ? entry.what : 0;
  for (size_t i = 0; i < count; ++i)
    addRecord(entry.site, function, records[i], entry.correlation);
  if (entry.asked == Asked::Library)
    return;
  RecordStats &row = rowFor(entry.site, function, records[0]);
  row.apiNs += callNs;
  row.queueNs += start > returned ? start - returned : 0;
  row.spanNs += records[count - 1].end > call ? records[count - 1].end - call : 0;
}

void RecordStore::foreign(const DeviceRecord *records, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (isPausedAt(records[i].start))
      continue;
    addToTimeline(records[i]);
    if (isOwn(records[i]))
      continue;
    if (trace::isOn())
      addToTrace(records[i], 0, 0, shortKernelName(records[i].name));
    ++Counts.foreign;
    Counts.foreignNs += records[i].end - records[i].start;
  }
}

void RecordStore::addHost(Activity activity, uint64_t startNs, uint64_t endNs) {
  for (auto &device : Devices)
    device.second.add(activity, startNs, endNs);
  // What one device's launches leave idle is no cause of another's.
  if (Devices.empty() || activity == Activity::StartUp || activity == Activity::Paused)
    Hosts.add(activity, startNs, endNs);
}

void RecordStore::addPause(const Pause &pause) {
  addHost(Activity::Paused, pause.startNs, pause.endNs);
  Pauses.push_back(pause);
  if (Pauses.size() > MostPauses)
    Pauses.pop_front();
}

bool RecordStore::isPausedAt(uint64_t ns) const {
  uint64_t since = pausedSinceNs();
  return (since && ns >= since) ||
         std::any_of(Pauses.begin(), Pauses.end(),
                     [&](const Pause &pause) { return ns >= pause.startNs && ns < pause.endNs; });
}

bool RecordStore::isFull() const {
  return Hosts.isFull() || std::any_of(Devices.begin(), Devices.end(),
                                       [](const auto &device) { return device.second.isFull(); });
}

void RecordStore::settle(uint64_t horizonNs) {
  if (Hosts.isFull())
    Hosts.settle(horizonNs);
  for (auto &device : Devices)
    if (device.second.isFull())
      device.second.settle(horizonNs);
}

void RecordStore::restart(uint64_t startNs) {
  Sites.clear();
  Devices.clear();
  Hosts = Timeline(startNs);
  Counts = RecordCounts();
  Rows = 0;
  StartNs = startNs;
}

const std::vector<std::unique_ptr<RecordStats>> *RecordStore::rowsOf(SiteIndex site) const {
  auto found = Sites.find(site);
  return found == Sites.end() ? nullptr : &found->second;
}

SiteIndex RecordStore::longestCopySite() const {
  SiteIndex best = 0;
  uint64_t most = 0;
  for (const auto &site : Sites) {
    uint64_t ns = 0;
    for (const std::unique_ptr<RecordStats> &row : site.second)
      if (row->direction == CopyDirection::HostToDevice ||
          row->direction == CopyDirection::DeviceToHost)
        ns += row->device.figures().total_ns;
    if (ns > most || (ns == most && ns && site.first < best)) {
      most = ns;
      best = site.first;
    }
  }
  return best;
}

} // namespace gpuinstr::timing
