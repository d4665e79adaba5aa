// Writes and memory that nobody used: dead copies, allocations that nothing touched.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/ThreadAuditState.h"
#include "audit/state/WasteFindings.h"
#include "audit/transfers/Occurrences.h"
#include "base/HotCode.h"
#include "calls/code/UnseenCode.h"

namespace gpuinstr::audit {

/// Written, and still unread when the program ended, which never freed the memory.
void WasteFindings::addUnread(const Key &key, const Ranges &ranges) {
  const Range *range = key.range;
  if (!key.unread || !range || isRepeatedSweep(key) || range->opaque || range->variable ||
      range->hostCanTouch() || range->exported.load() || range->ofPool ||
      ranges.readsOf(*range) + key.copyReads != key.readsThen)
    return;
  addDead(key, 0);
}

GPUINSTR_HOT void noteDead(Auditor &a, SiteIndex site, Key &key, const Alike &dead, bool byItself) {
  constexpr auto Often = WasteFindings::Often::Dead;
  if (byItself && isCacheSweep(key))
    return;
  if (byItself && key.deadCaller == key.caller && a.waste.addAt(Often, key.dead, dead))
    return;
  a.waste.addDead(key, site);
  if (byItself) {
    key.dead = a.waste.place();
    key.deadCaller = key.caller;
    if (dead.times > 1)
      a.waste.addAt(Often, key.dead, {dead.bytes, dead.times - 1, dead.ticks - key.ticksThen});
  }
}

FindingKey deadCopyOf(const Key &key, SiteIndex by, Grade grade) {
  FindingKey dead;
  dead.pattern = Pattern::DeadCopy;
  dead.grade = grade;
  dead.site = key.id.site;
  dead.caller = key.caller;
  dead.related = by;
  return dead;
}

/// A set of memory that was in use, right before its free: secrets are wiped that way.
static bool mayBeWipe(const Key &key) {
  const Range &range = *key.range;
  return key.work == DeviceWorkKind::Set &&
         (range.usage.first.load() || range.reader.load() || range.writer.load());
}

void WasteFindings::addDead(const Key &key, SiteIndex by, bool isFree) {
  const Grade grade = isFree && mayBeWipe(key) ? Grade::Advice : Grade::Likely;
  const FindingKey dead = deadCopyOf(key, by, grade);
  add(dead, 1, key.id.bytes, key.ticksThen);
  if (!isFree)
    return;
  FindingRecord &r = record(dead);
  r.isByFree = true;
  r.sweeps += isCacheSweep(key);
}

void WasteFindings::noteLook(const FindingKey &key, uint32_t elements) {
  FindingRecord &r = record(key);
  ++r.checked;
  r.elements = fewestOf(r.elements, elements);
}

void WasteFindings::addRewrites(const Key &key) {
  if (key.rewrites && key.countsRewrites())
    add(deadCopyOf(key, key.rewrittenAt, Grade::Likely), key.rewrites, key.rewrites * key.id.bytes,
        key.rewriteTicks);
}

/// Of pinned memory it says nothing about the host's own use, for which it need not be pinned.
static bool mayBeUnused(const Range &range) {
  switch (range.resource) {
  case GPUINSTR_RES_DEVICE:
  case GPUINSTR_RES_ASYNC:
  case GPUINSTR_RES_PITCHED:
  case GPUINSTR_RES_PINNED:
    return true;
  }
  return false;
}

GPUINSTR_HOT void WasteFindings::addUnused(const Range &range, const Ranges &ranges) {
  if (!mayBeUnused(range) || range.used.load() || range.ofPool ||
      range.unknownAtStart != ranges.unknownUses.load() || ranges.followedUnscanned() ||
      range.serial.load() <= ranges.lostUpTo.load())
    return;
  Unused &unused = UnusedOf[range.site % UnusedKept];
  if (__builtin_expect(!unused.isOf(range) || unused.count == MostUnused, false))
    return startUnused(unused, range);
  ++unused.count;
  unused.ticks += range.allocTicks;
}

bool WasteFindings::Unused::isOf(const Range &range) const {
  return site == range.site && caller == range.caller && bytes == range.bytes &&
         resource == range.resource && passedAt == range.usage.passedAt.load();
}

FindingKey WasteFindings::Unused::key() const {
  FindingKey finding;
  finding.pattern = Pattern::UnusedAllocation;
  finding.grade = Grade::Likely;
  finding.site = site;
  finding.caller = caller;
  finding.resource = resource;
  finding.related = passedAt;
  return finding;
}

/// Of this one it is asked at once; of those that follow, when there are many or at the end.
__attribute__((noinline)) void WasteFindings::startUnused(Unused &unused, const Range &range) {
  settle(unused);
  unused.isMoot = unseenCodeUsesCuda();
  unused.site = range.site;
  unused.caller = range.caller;
  unused.passedAt = range.usage.passedAt.load();
  unused.resource = range.resource;
  unused.bytes = range.bytes;
  if (unused.isMoot)
    return;
  unused.librariesGone = librariesGone();
  add(unused.key(), 1, range.bytes, range.allocTicks);
  constexpr uint64_t First = 1, Small = 4096;
  if (range.serial.load() == First && range.bytes <= Small)
    record(unused.key()).isWarmUp = true;
}

/// What was loaded since is there still, unless something went.
void WasteFindings::settle(Unused &unused) {
  if (unused.count && !unused.isMoot && unused.librariesGone == librariesGone() &&
      !unseenCodeUsesCuda())
    add(unused.key(), unused.count, unused.count * unused.bytes, unused.ticks);
  unused = Unused();
}

} // namespace gpuinstr::audit
