// What was timed on the device, by site and kind of operation.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/TimeStore.h"
#include "profile/Profile.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <unordered_map>

namespace gpuinstr::timing {

namespace {
struct Store {
  std::mutex mutex;
  std::unordered_map<SiteIndex, SiteTime> sites;
  std::atomic<uint64_t> number{0};       ///< of them
  double kernelsNs = 0, transfersNs = 0; ///< nearly: of sites with samples enough to be asked
};
Store &store() {
  static Store *instance = new Store; // leaked: used during exit
  return *instance;
}

/// A first sample that leaves so much open, and so many times as much as that many others do, is
/// none.
constexpr double OpenDoubtNs = 10000, TimesAsOpen = 8;
constexpr uint64_t EnoughOthers = 7, MostPoor = 4; ///< for each of the others
/// A row is known from so many samples on, where their spread leaves open so much of their mean and
/// the pairs so much; rows with less than a share of the site's time are left out.
constexpr uint64_t KnownFrom = 7, KnownEach = 4;
constexpr double KnownSpread = 0.06, KnownDoubt = 0.08, SmallRow = 0.05;
/// Of shorter ones a sample that was held up by 10 us, among the few of a long stride, tells too
/// much.
constexpr double KnownNs = 50000;
/// Where so many samples' spread leaves open no more than a part of what their pairs do, the
/// interval is the pairs', and more samples make it hardly narrower.
constexpr uint64_t SettledFrom = 16;
constexpr double SettledPart = 0.5;
/// Rows above 5 % of their table are what somebody looks at.
constexpr double SmallSite = 0.035;

/// It is counted there; the operations that were timed do not stand for it.
void noteWithoutTime(SiteIndex site, unsigned level, uint64_t SiteTime::*counter) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  SiteTime &time = s.sites[site];
  ++(time.*counter);
  time.all.addNothing(level);
}

void noteFirst(SiteTime &site, OperationStats &row, const TimedOperation &timed, int device,
               double ns, double doubtNs) {
  auto &first = row.first;
  if (!first.isThere) {
    if (doubtNs > OpenDoubtNs && row.everywhere().count() == 1)
      first = {true, device, timed.level, ns, doubtNs, timed.hostNs, timed.bytes, {}};
    return;
  }
  if (device != first.device)
    return;
  first.others.add(timed.level, ns, doubtNs, timed.hostNs);
  if (first.others.count() < EnoughOthers)
    return;
  first.isThere = false;
  if (first.doubtNs < TimesAsOpen * first.others.doubtNs / double(EnoughOthers))
    return;
  site.all.remove(first.level, first.ns, first.doubtNs, first.hostNs);
  row.on(device) = first.others;
  row.bytes -= double(first.bytes);
}
} // namespace

namespace {
Samples &samplesOn(std::vector<DeviceSamples> &devices, int device) {
  for (DeviceSamples &known : devices)
    if (known.device == device)
      return known.samples;
  devices.push_back({device, {}});
  return devices.back().samples;
}

Samples sumOf(const std::vector<DeviceSamples> &devices) {
  Samples sum;
  for (const DeviceSamples &one : devices)
    sum.add(one.samples);
  return sum;
}

double sumNs(const Samples &samples) {
  double sum = 0;
  for (const LevelSums &level : samples.levels)
    sum += level.sum;
  return sum;
}

/// Half of the interval that their spread gives the mean, nearly.
double spreadOf(const Samples &samples) {
  const double n = double(samples.count()), mean = sumNs(samples) / n;
  double squares = 0;
  for (const LevelSums &level : samples.levels)
    squares += level.squares;
  return 2 * std::sqrt(std::max(0.0, squares / n - mean * mean) / n);
}

/// The same, with what the pairs leave open.
double doubtOf(const Samples &samples) {
  return std::hypot(samples.doubtNs / double(samples.count()), spreadOf(samples));
}

bool isKnown(const OperationStats &row, const Samples &samples) {
  const uint64_t n = samples.count();
  const double sum = sumNs(samples);
  return n >= KnownFrom && sum >= KnownNs * double(n) && n * MostPoor >= sumOf(row.poor).count() &&
         spreadOf(samples) * double(n) <= KnownSpread * sum && samples.doubtNs <= KnownDoubt * sum;
}

bool isSettled(const OperationStats &, const Samples &samples) {
  const uint64_t n = samples.count();
  return n >= SettledFrom && spreadOf(samples) * double(n) <= SettledPart * samples.doubtNs;
}

/// Whether that holds for each row that has more than a little of the site's time.
bool allRows(const SiteTime &site, bool (*holds)(const OperationStats &, const Samples &)) {
  const double whole = sumNs(site.all);
  for (const OperationStats &row : site.rows) {
    const Samples samples = row.everywhere();
    const bool isSmall = samples.count() && row.poor.empty() && sumNs(samples) < SmallRow * whole;
    if (!isSmall && !holds(row, samples))
      return false;
  }
  return whole > 0;
}

/// Brings what its table is known to take up to date.
bool isSmall(Store &s, SiteTime &site) {
  double samples = 0, sampledNs = 0, made = 0;
  for (const OperationStats &row : site.rows) {
    for (const auto *devices : {&row.devices, &row.poor})
      for (const DeviceSamples &one : *devices) {
        samples += double(one.samples.count());
        sampledNs += sumNs(one.samples);
      }
    if (row.first.isThere) { // its kernel's loading may be as long as all other kernels
      samples -= 1;
      sampledNs -= row.first.ns;
    }
  }
  for (uint64_t atLevel : site.made)
    made += double(atLevel);
  if (samples < KnownFrom)
    return false;
  double &table = site.rows[0].key.work == DeviceWorkKind::Kernel ? s.kernelsNs : s.transfersNs;
  table -= site.shareNs;
  site.shareNs = made * sampledNs / samples;
  table += site.shareNs;
  return site.shareNs < SmallSite * table;
}

/// In a snapshot.
void takePoor(SiteTime &site, OperationStats &row) {
  const Samples poor = sumOf(row.poor), others = row.everywhere();
  Samples all = others;
  all.add(poor);
  const bool suffice = others.count() >= EnoughOthers && others.count() * MostPoor >= poor.count();
  if (poor.count() == 0 || (suffice && doubtOf(others) <= doubtOf(all)))
    return;
  for (const DeviceSamples &one : row.poor) {
    row.on(one.device).add(one.samples);
    site.all.add(one.samples);
  }
  row.bytes += row.poorBytes;
}
} // namespace

Samples &OperationStats::on(int device) { return samplesOn(devices, device); }

Samples OperationStats::everywhere() const { return sumOf(devices); }

Made noteMade(SiteIndex site, unsigned level, uint64_t covered) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  SiteTime &time = s.sites[site];
  s.number.store(s.sites.size(), std::memory_order_relaxed);
  time.made[level] += covered;
  return {++time.due, time.isKnown, time.isSmall, time.isSettled};
}

void reviewSite(SiteIndex site) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto found = s.sites.find(site);
  if (found == s.sites.end())
    return;
  SiteTime &time = found->second;
  if (time.due <= KnownFrom || time.due % KnownEach != 0)
    return;
  time.isKnown = allRows(time, isKnown);
  time.isSettled = allRows(time, isSettled);
  time.isSmall = isSmall(s, time);
}

uint64_t sitesMade() { return store().number.load(std::memory_order_relaxed); }

void noteCaptured(SiteIndex site, unsigned level) {
  noteWithoutTime(site, level, &SiteTime::captured);
}

void noteRefused(SiteIndex site, unsigned level) {
  noteWithoutTime(site, level, &SiteTime::refused);
}

void noteFailed(SiteIndex site, unsigned level) { noteWithoutTime(site, level, &SiteTime::failed); }

uint32_t rowOf(SiteIndex site, const OperationKind &key, bool &isNew) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  std::vector<OperationStats> &rows = s.sites[site].rows;
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
    rows.back().key = OperationKind();
    rows.back().key.others = true;
    rows.back().name = profile::OtherKernels;
  }
  isNew = !full;
  return uint32_t(rows.size() - 1);
}

void nameRow(SiteIndex site, uint32_t row, const std::string &name) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  std::vector<OperationStats> &rows = s.sites[site].rows;
  if (row < rows.size()) // else forgotten meanwhile
    rows[row].name = name;
}

void noteTimed(const TimedOperation &timed, int device, double ns, double doubtNs, bool isPoor) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  if (timed.epoch != timesEpoch())
    return;
  auto site = s.sites.find(timed.site);
  if (site == s.sites.end() || timed.row >= site->second.rows.size())
    return;
  OperationStats &row = site->second.rows[timed.row];
  if (isPoor && doubtNs <= OpenDoubtNs) {
    samplesOn(row.poor, device).add(timed.level, ns, doubtNs, timed.hostNs);
    row.poorBytes += double(timed.bytes);
    return;
  }
  row.on(device).add(timed.level, ns, doubtNs, timed.hostNs);
  row.bytes += double(timed.bytes);
  site->second.all.add(timed.level, ns, doubtNs, timed.hostNs);
  noteFirst(site->second, row, timed, device, ns, doubtNs);
}

bool timesOf(SiteIndex site, SiteTime &time) {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  auto found = s.sites.find(site);
  if (found == s.sites.end())
    return false;
  time = found->second;
  for (OperationStats &row : time.rows)
    takePoor(time, row);
  return true;
}

void clearTimeStore() {
  Store &s = store();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.sites.clear();
  s.kernelsNs = s.transfersNs = 0;
  s.number.store(0, std::memory_order_relaxed);
  TimesEpoch.fetch_add(1);
}

void lockTimeStore() { store().mutex.lock(); }
void unlockTimeStore() { store().mutex.unlock(); }

} // namespace gpuinstr::timing
