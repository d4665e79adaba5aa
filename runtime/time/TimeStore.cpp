// What was timed on the device, by site and kind of operation.
// SPDX-License-Identifier: Apache-2.0
#include "time/TimeStore.h"
#include "profile/Profile.h"
#include "time/exact/Exact.h"
#include "time/graphs/GraphLines.h"
#include "time/sampled/TimedStreams.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::timing {

namespace {
struct Store {
  std::mutex Mutex;
  std::unordered_map<SiteIndex, SiteTime> Sites;
  std::atomic<uint32_t> Epoch{0};
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

/// It is counted there; the operations that were timed do not stand for it.
void noteWithoutTime(SiteIndex site, unsigned level, uint64_t SiteTime::*counter) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  SiteTime &time = s.Sites[site];
  ++(time.*counter);
  time.all.levels[level].add(0);
}
} // namespace

Samples &Row::on(int device) {
  for (DeviceSamples &known : devices)
    if (known.device == device)
      return known.samples;
  devices.push_back({device, {}});
  return devices.back().samples;
}

Samples Row::everywhere() const {
  Samples sum;
  for (const DeviceSamples &one : devices)
    sum.add(one.samples);
  return sum;
}

uint64_t noteMade(SiteIndex site, unsigned level, uint64_t covered) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  SiteTime &time = s.Sites[site];
  time.made[level] += covered;
  return ++time.due;
}

void noteCaptured(SiteIndex site, unsigned level) {
  noteWithoutTime(site, level, &SiteTime::captured);
}

void noteRefused(SiteIndex site, unsigned level) {
  noteWithoutTime(site, level, &SiteTime::refused);
}

uint32_t rowOf(SiteIndex site, const RowKey &key, bool &isNew) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  std::vector<Row> &rows = s.Sites[site].rows;
  isNew = false;
  size_t kernels = 0, others = rows.size();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].key == key)
      return i;
    kernels += rows[i].key.work == DeviceWorkKind::Kernel;
    if (rows[i].key.others)
      others = i;
  }
  bool full = key.work == DeviceWorkKind::Kernel && kernels >= MostKernelRows;
  if (full && others < rows.size())
    return uint32_t(others);
  rows.emplace_back();
  rows.back().key = key;
  if (full) {
    rows.back().key = RowKey();
    rows.back().key.others = true;
    rows.back().name = profile::OtherKernels;
  }
  isNew = !full;
  return uint32_t(rows.size() - 1);
}

void nameRow(SiteIndex site, uint32_t row, const std::string &name) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  std::vector<Row> &rows = s.Sites[site].rows;
  if (row < rows.size()) // else forgotten meanwhile
    rows[row].name = name;
}

void noteGraphLines(SiteIndex site, const std::vector<SiteIndex> &lines) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  std::vector<SiteIndex> &known = s.Sites[site].graphLines;
  for (SiteIndex line : lines)
    if (known.size() < MostGraphLines && std::find(known.begin(), known.end(), line) == known.end())
      known.push_back(line);
}

void noteTimed(const Timed &timed, int device, double ns, double doubtNs) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  if (timed.epoch != s.Epoch.load(std::memory_order_relaxed))
    return;
  auto site = s.Sites.find(timed.site);
  if (site == s.Sites.end() || timed.row >= site->second.rows.size())
    return;
  Row &row = site->second.rows[timed.row];
  row.on(device).add(timed.level, ns, doubtNs);
  row.bytes += double(timed.bytes);
  site->second.all.add(timed.level, ns, doubtNs);
}

bool timesOf(SiteIndex site, SiteTime &time) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  auto found = s.Sites.find(site);
  if (found == s.Sites.end())
    return false;
  time = found->second;
  return true;
}

uint32_t timesEpoch() { return store().Epoch.load(std::memory_order_relaxed); }

void clearTimes() {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.Mutex);
  s.Sites.clear();
  s.Epoch.fetch_add(1);
  clearTimedStreams();
  clearExact();
}

void lockTimes() {
  store().Mutex.lock();
  lockGraphLines();
  lockExact();
}
void unlockTimes() {
  unlockExact();
  unlockGraphLines();
  store().Mutex.unlock();
}

} // namespace gpuinstr::timing
