// Repeats of a copy or set that need no look at its bytes: what is counted of them.
// SPDX-License-Identifier: Apache-2.0
//
// Most of what meet() and settle() ask has one answer then. What is left is a few sums, taken in
// one go from the cache lines that they lie in.
#include "audit/repeats/RepeatedTransfers.h"
#include "audit/transfers/Occurrences.h"
#include "base/HotCode.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

/// As noteHostWrites() says of a download that it may race with another writer of its destination.
__attribute__((noinline)) bool mayRace(const Auditor &a, const TransferFastPath &path) {
  const StreamState &stream = *path.state;
  const uint64_t lo = path.dst.address, hi = lo + path.dst.span();
  return a.streams.hostWriteMayRun(stream, lo, hi, false) || a.streams.hostMayRunBeside(stream) ||
         (path.dstRange && a.ranges.writerMayRun(*path.dstRange, stream, a.streams));
}
__attribute__((noinline)) void noteHostWrites(Auditor &a, const TransferFastPath &path) {
  const uint64_t lo = path.dst.address, hi = lo + path.dst.span();
  if (!path.waits && (path.dstRange || a.pageableIsLate.load()))
    a.streams.writesHost(*path.state, lo, hi);
}

/// How the repeat counts, as by classify().
struct Repeat {
  uint64_t version = 0;
  bool interfered = false, isVoid = false;
  Tally *tally = nullptr;
};
ALWAYS_INLINE Repeat classify(const Auditor &a, Key &key, const TransferFastPath &path,
                              const Repeats &repeats, uint64_t writesNow) {
  const Begun &begun = repeats.begun;
  Repeat repeat;
  repeat.version = begun.writes + key.copyWrites;
  if (UNLIKELY(isAfterOthers(key)))
    followSibling(a, key, *path.state, repeat.version);
  repeat.interfered = repeat.version != key.version;
  const Order hostWrites = hostWritesOf(path.direction, path.dstRange, path.srcRange);
  if (path.direction == CopyDirection::DeviceToHost && hostMayDiffer(hostWrites, key))
    repeat.interfered = key.mayRace = true;
  repeat.tally = &key.same;
  repeat.isVoid = isVoid(key, begun.notRun, repeat.interfered);
  // Of rounds none has: nothing but launches came since this key's last occurrence.
  if (UNLIKELY(repeat.interfered) && !repeats.ofRounds)
    if (const Key *other = counterpart(a, key, *path.state)) {
      repeat.tally = &key.round;
      repeat.interfered = hostMayDiffer(hostWrites, *other);
      relate(a, key, *other, key.round);
    }
  // Another thread's call wrote there meanwhile.
  if (UNLIKELY(writesNow != begun.writes || key.settledAt > begun.entered))
    repeat.interfered = key.mayRace = true;
  return repeat;
}

/// Both sides are used, by noteTransferUse().
ALWAYS_INLINE void noteUse(Auditor &a, const TransferFastPath &path, SiteIndex site,
                           Order launches) {
  auto use = [&](Range *range, bool fills) {
    if (!range)
      return;
    range->used.store(true, std::memory_order_relaxed);
    a.lifetimes.used(*range, a.ranges, site, fills, launches);
  };
  use(path.dstRange, !path.srcRange);
  use(path.srcRange, false);
}

/// What it reads and buries. `readerMayRun`: of the key's memory.
ALWAYS_INLINE void noteSides(Auditor &a, Key &key, const TransferFastPath &path,
                             const Repeats &repeats, uint64_t readsNow, bool readerMayRun) {
  const SiteIndex site = path.chargedSite;
  Range *dst = path.dstRange, *src = path.srcRange;
  if (UNLIKELY(src && !src->keys.empty()))
    noteRead(a, *src, path.src, *path.state, repeats.ofRounds ? repeats.times : 1);
  if (UNLIKELY(key.hasRewrites) && dst == path.range && dst->keys.size() == 1)
    noteRewrite(a, key);
  if (LIKELY(dst == path.range && dst->keys.size() == 1)) { // its own alone
    if (key.unread && !dst->hostCanTouch() && !dst->opaque && !readerMayRun &&
        readsNow + key.copyReads == key.readsThen)
      noteDead(a, site, key,
               {path.slots[GPUINSTR_SLOT_BYTES], repeats.times,
                key.ticksThen + repeats.ticks - repeats.lastTicks},
               true);
  } else if (dst) { // the host's is `filled` since the first one
    noteWrite(a, site, *dst, path.dst, *path.state, &key, readerMayRun);
  }
}

ALWAYS_INLINE void count(Auditor &a, Key &key, const Repeat &repeat, uint64_t bytes,
                         const Repeats &repeats) {
  const uint64_t times = repeats.times;
  Figures &figures = a.waste.figures;
  figures.all.add(times, bytes, repeats.ticks);
  if (uint32_t left = key.left.load(std::memory_order_relaxed))
    key.left.store(left - uint32_t(std::min<uint64_t>(left, times)), std::memory_order_relaxed);
  if (UNLIKELY(repeat.isVoid)) {
    key.apart.add(times, bytes, repeats.ticks);
  } else {
    repeat.tally->repeats += times;
    repeat.tally->ticks += repeats.ticks;
    repeat.tally->interfered += repeat.interfered ? times : 0;
    figures.eligible += times;
    figures.eligibleBytes += times * bytes;
    if (a.verifies)
      figures.skipped[unsigned(key.refused)] += times;
  }
  if (UNLIKELY(key.isPiece))
    noteUploadTime(a, key);
  if (UNLIKELY(key.hasContent)) {
    key.hasContent = false;
    key.content = ContentHash();
  }
  key.contentVersion = repeat.version;
  key.occurrences += times;
}

ALWAYS_INLINE void remember(Key &key, const TransferFastPath &path, const Repeats &repeats,
                            uint64_t version, bool readerMayRun) {
  const Begun &begun = repeats.begun;
  key.version = version;
  if (const Order hostWrites = hostWritesOf(path.direction, path.dstRange, path.srcRange))
    key.hostWrites = hostWrites;
  key.stream = path.state;
  key.settledAt = Streams::Puts.load(std::memory_order_relaxed);
  key.copyWritesThen = version - begun.writes;
  key.notRun = begun.notRun;
  key.unread = path.direction != CopyDirection::DeviceToHost && !readerMayRun;
  key.readsThen = begun.reads + key.copyReads;
  key.ticksThen = repeats.lastTicks;
}

ALWAYS_INLINE void noteWork(Auditor &a, const TransferFastPath &path, const Begun &begun) {
  a.transferSeen = true;
  if (UNLIKELY(path.waits)) {
    const uint64_t number = Streams::count();
    a.streams.synced(*path.state, Moment(begun.order, begun.entered));
    if (path.isEarly)
      a.streams.broughtEarly(*path.state, number);
  } else if (path.isForHost) {
    a.streams.putForHost(*path.state);
  } else {
    a.streams.put(*path.state);
  }
}

/// Addresses that lie in its source lie in its destination from now on, as noteMovedAddresses()
/// says.
ALWAYS_INLINE bool bringsAddresses(const TransferFastPath &path) {
  return path.srcRange && path.srcRange->holds && !(path.dstRange && path.dstRange->holds);
}

ALWAYS_INLINE bool isKnown(const Auditor &a, const TransferFastPath &path) {
  const Key &key = *path.key;
  return LIKELY(key.occurrences != 0 && !key.isOntoItself && !bringsAddresses(path) &&
                !a.ranges.writerMayRun(*path.range, *path.state, a.streams) &&
                !isUnordered(*path.range, key, *path.state, path.begun.entered) &&
                !(path.direction == CopyDirection::DeviceToHost && mayRace(a, path)));
}

/// Of rounds, a row begins with each.
ALWAYS_INLINE void noteRow(Auditor &a, ThreadAuditState &local, const TransferFastPath &path,
                           const Repeats &repeats) {
  const uint64_t bytes = path.slots[GPUINSTR_SLOT_BYTES];
  Alike copies = {bytes, repeats.times, repeats.ticks};
  if (UNLIKELY(repeats.ofRounds)) {
    local.row.direction = CopyDirection::Unknown;
    copies = {bytes, 1, repeats.lastTicks};
  }
  continueRow(local.row, path.chargedSite, path.caller, copies, path.direction, a.waste);
}

ALWAYS_INLINE void settleAll(Auditor &a, ThreadAuditState &local, const TransferFastPath &path,
                             const Repeats &repeats) {
  Key &key = *path.key;
  Range &range = *path.range;
  const bool isDownload = path.direction == CopyDirection::DeviceToHost;
  const SiteIndex site = path.chargedSite;
  key.caller = path.caller;
  key.hostAddress = path.hostAddress;
  noteUse(a, path, site,
          repeats.ofRounds ? repeats.begun.order
                           : Ranges::launches.load(std::memory_order_relaxed));
  if (UNLIKELY(isDownload))
    noteHostWrites(a, path);
  const bool readerMayRun = Ranges::knownReaderMayRun(range, *path.state, a.streams);
  const auto [writesNow, readsNow] = repeats.ofRounds
                                         ? Ranges::Uses{repeats.begun.writes, repeats.begun.reads}
                                         : a.ranges.usesOf(range);
  const Repeat repeat = classify(a, key, path, repeats, writesNow);
  noteSides(a, key, path, repeats, readsNow, readerMayRun);
  noteWork(a, path, repeats.begun);
  const uint64_t bytes = path.slots[GPUINSTR_SLOT_BYTES];
  count(a, key, repeat, bytes, repeats);
  a.writes += isDownload ? 0 : repeats.times;
  remember(key, path, repeats, repeat.version, readerMayRun);
  if (UNLIKELY(key.hasRewrites))
    renewSample(a, key, path.work == DeviceWorkKind::Set, path.waits);
  noteRow(a, local, path, repeats);
}

} // namespace

GPUINSTR_HOT bool settleRepeat(Auditor &a, ThreadAuditState &local, const TransferFastPath &path,
                               uint64_t ticks) {
  if (!isKnown(a, path))
    return false;
  settleAll(a, local, path, {1, ticks, ticks, path.begun});
  return true;
}

bool maySettle(const Auditor &a, const TransferFastPath &path) { return isKnown(a, path); }
void settleRepeats(Auditor &a, ThreadAuditState &local, const TransferFastPath &path,
                   const Repeats &repeats) {
  settleAll(a, local, path, repeats);
}

} // namespace gpuinstr::audit
