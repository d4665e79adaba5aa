// Memory that is held before its first use or after its last: by how much the peak would fall.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/Lifetimes.h"
#include "base/HotCode.h"
#include "gpuinstr/abi.h"
#include "ledger/Ledger.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

// Worth telling from here on; docs/Findings.md says so.
constexpr uint64_t LeastSaved = 1 << 20, LeastShare = 10; ///< one tenth of the peak
constexpr size_t MostRows = 16;

bool isWorthTelling(uint64_t held, uint64_t lean) {
  uint64_t saved = held - std::min(held, lean);
  return saved >= LeastSaved && saved >= held / LeastShare;
}

/// Arrays and mappings are not followed: where they count, nothing is known of the whole.
bool isWholePeak(int device, uint64_t held) {
  for (const DevicePeak &peak : ledger().peaks())
    if (peak.device == device)
      return peak.bytes <= held + held / 50;
  return true;
}

/// The host put something there that nobody has used: those copies are dead.
bool isOnlyFilled(const Range &range) {
  return range.usage.filled && !range.usage.first.load() && !range.writer.load() &&
         !range.reader.load();
}

/// Memory that nobody but calls can use.
bool isJudged(const Range &range) {
  return range.resource == GPUINSTR_RES_DEVICE || range.resource == GPUINSTR_RES_ASYNC ||
         range.resource == GPUINSTR_RES_PITCHED;
}

} // namespace

GPUINSTR_HOT void Lifetimes::began(Range &range) {
  RangeUsage &u = range.usage;
  u.serial = range.serial;
  u.allocated = now();
  u.lastCopy = 0;
  u.lastCopySite = 0;
  u.filled = false;
  u.first.store(0, std::memory_order_relaxed); // it is new: nobody else has it
  u.firstSite.store(0, std::memory_order_relaxed);
  u.passedAt.store(0, std::memory_order_relaxed);
}

/// As of now. False: it is not followed.
GPUINSTR_HOT bool Lifetimes::toLife(const Range &range, const Ranges &ranges, Life &life) const {
  const RangeUsage &u = range.usage;
  if (u.serial != range.serial || !(isJudged(range) || range.resource == GPUINSTR_RES_MANAGED))
    return false;
  life.begin = life.first = u.allocated;
  life.end = life.last = UINT64_MAX;
  life.bytes = range.bytes;
  life.site = range.site;
  life.caller = range.caller;
  life.resource = range.resource;
  life.device = int16_t(range.device);
  // Memory that was never used at all is a finding of its own, and so are copies that nobody reads.
  if (!isJudged(range) || !range.used.load() || isOnlyFilled(range))
    return true;
  if (Event first = u.first.load()) {
    life.first = std::max(first, life.begin);
    life.firstSite = u.firstSite.load();
    life.filled = u.filled;
  }
  Event launch =
      launchEvent(LaunchStamp::order(std::max(range.writer.load(), range.reader.load())));
  if (Event last = std::max(launch, u.lastCopy); last && usesAreKnown(range, ranges)) {
    life.last = std::max(last, life.first);
    life.lastSite = launch > u.lastCopy ? range.users.lastSite() : u.lastCopySite;
  }
  return true;
}

GPUINSTR_HOT void Lifetimes::ended(Range &range, Ranges &ranges) {
  Life life;
  if (!toLife(range, ranges, life))
    return;
  range.usage.serial = 0;
  life.end = now();
  life.last = std::min(life.last, life.end);
  Ended.push_back(life);
  if (Ended.size() < Bound)
    return;
  Bound = std::max(MaxEnded, takeDown(Before, ranges, false));
  Ended.clear();
}

size_t Lifetimes::takeDown(std::map<int, Found> &to, Ranges &ranges, bool atExit) {
  std::map<int, std::vector<Life>> byDevice;
  size_t living = 0;
  for (const Life &life : Ended)
    byDevice[life.device].push_back(life);
  ranges.each([&](Range &range) {
    Life life;
    if (!toLife(range, ranges, life))
      return;
    if (!atExit)
      life.last = life.end;
    byDevice[life.device].push_back(life);
    ++living;
  });
  for (auto &entry : byDevice)
    add(to[entry.first], entry.second);
  return living;
}

void Lifetimes::add(Found &found, const std::vector<Life> &lives) {
  Peaks peaks = replay(lives);
  found.held = std::max(found.held, peaks.held);
  if (peaks.held <= found.worst || !isWorthTelling(peaks.held, peaks.lean)) {
    found.lean = std::max(found.lean, peaks.lean);
    return;
  }
  found.worst = peaks.held;
  found.lines.clear();
  std::vector<IdleLife> all = idleLives(lives, peaks);
  found.lean = std::max(found.lean, peaks.lean);
  for (const IdleLife &idle : all) {
    const Life &life = lives[idle.life];
    FindingKey key;
    key.pattern = Pattern::Lifetime;
    key.grade = Grade::Advice;
    key.site = life.site;
    key.caller = life.caller;
    key.related = idle.early ? life.firstSite : life.lastSite;
    key.resource = life.resource;
    auto it = std::find_if(found.lines.begin(), found.lines.end(), [&](const Held &line) {
      return line.key == key && line.early == idle.early;
    });
    if (it == found.lines.end())
      it = found.lines.insert(it, Held{key, idle.early});
    it->filled |= idle.early && life.filled;
    it->mostBytes = std::max(it->mostBytes, life.bytes);
    if (idle.atPeak) {
      it->bytes += life.bytes;
      ++it->count;
    }
  }
}

std::vector<FindingRecord> Lifetimes::findings(Ranges &ranges) {
  std::map<int, Found> all = Before;
  takeDown(all, ranges, true);
  std::vector<FindingRecord> records;
  for (auto &entry : all) {
    Found &found = entry.second;
    if (!isWorthTelling(found.held, found.lean) || !isWholePeak(entry.first, found.held))
      continue;
    std::vector<Held> &lines = found.lines;
    auto bytesOf = [](const Held &line) { return line.count ? line.bytes : line.mostBytes; };
    std::stable_sort(lines.begin(), lines.end(),
                     [&](const Held &a, const Held &b) { return bytesOf(a) > bytesOf(b); });
    const size_t named = std::min(lines.size(), MostRows);
    for (size_t i = 0; i < named; ++i) {
      FindingRecord record;
      record.key = lines[i].key;
      record.count = std::max<uint64_t>(lines[i].count, 1);
      record.bytes = bytesOf(lines[i]);
      record.each = record.bytes / record.count;
      record.early = lines[i].early;
      record.filled = lines[i].filled;
      record.peak = found.held;
      record.leanPeak = found.lean;
      record.unnamed = lines.size() - named;
      records.push_back(record);
    }
  }
  return records;
}

void Lifetimes::clear() {
  Ended.clear();
  Bound = MaxEnded;
  Before.clear();
}

} // namespace gpuinstr::audit
