// A copy or set, before the driver gets it: whose bytes it moves, and whether they shall be judged.
// SPDX-License-Identifier: Apache-2.0
#include "audit/graphs/GraphCalls.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/state/Symbols.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"

namespace gpuinstr::audit {

namespace {

constexpr size_t MaxPending = 64; ///< answers on their way, over all contexts

bool contains(const Range &range, const cuda::Region &region) {
  if (range.opaque)
    return true;
  uint64_t span = region.span();
  return span != 0 && region.address >= range.base && span <= range.end() - region.address;
}

bool isSolid(const cuda::Region &r) {
  return (r.rows == 1 || r.pitch == r.width) && (r.slices == 1 || r.slicePitch == r.width * r.rows);
}

} // namespace

void noteWrite(Auditor &a, SiteIndex site, Range &range, const cuda::Region &region,
               const StreamState &stream, Key *own, bool ownReaderMayRun) {
  uint64_t lo = region.address, hi = lo + region.span();
  bool solid = isSolid(region);
  range.eachKey(lo, hi, [&](const KeyPlace &place) {
    Key *key = place.key;
    bool buried = key == own || (solid && place.lo >= lo && place.hi <= hi);
    if (key == own && key->sample)
      noteRewrite(a, *key);
    if (key->unread && buried && !range.hostCanTouch() && !range.opaque &&
        a.ranges.readsOf(range) + key->copyReads == key->readsThen &&
        !(own && own->range == &range ? ownReaderMayRun
                                      : a.ranges.readerMayRun(range, stream, a.streams))) {
      noteDead(a, site, *key, {key->id.bytes, 1, key->ticksThen}, key == own);
    }
    if (buried)
      key->unread = false;
    if (key == own)
      return;
    ++key->copyWrites;
    // Its last repeats may be yet to come: what they will find there, this one decides.
    if (key->stream && Streams::mayOvertake(*key->stream, stream)) {
      key->same.interfered += key->same.repeats != 0;
      key->mayRace = true;
    }
  });
  a.notePlacesSeen(range);
}

void noteRead(Auditor &a, Range &range, const cuda::Region &region, const StreamState &stream,
              uint64_t times) {
  const uint64_t lo = range.opaque ? 0 : region.address; // of such a one, nobody knows where
  const uint64_t hi = range.opaque ? ~uint64_t(0) : lo + region.span();
  range.eachKey(lo, hi, [&](const KeyPlace &place) {
    place.key->copyReads += times;
    if (UNLIKELY(place.key->hasSample))
      noteReadBehind(a, *place.key, stream, times);
  });
  a.notePlacesSeen(range);
}

namespace {

/// Nobody read what it wrote: that one is told, as dead.
bool isBuried(const Auditor &a, const Key &key, const StreamState &stream) {
  const Range &range = *key.range;
  return key.unread && a.ranges.readsOf(range) + key.copyReads == key.readsThen &&
         !a.ranges.readerMayRun(range, stream, a.streams);
}

/// Another line's upload or set that the same bytes of the device hold to this day. Not one that
/// follows another itself and is still to be counted, as a copy before this one in a graph is: what
/// it brings is not known yet.
const Key *siblingOf(const Auditor &a, const Key &key, const StreamState &stream) {
  bool isUpload = key.direction == CopyDirection::HostToDevice;
  if ((!isUpload && key.work != DeviceWorkKind::Set) || key.range->opaque)
    return nullptr;
  const Key *found = nullptr;
  key.range->anyKey(key.lo, key.hi, [&](const KeyPlace &place) {
    const Key *other = place.key;
    if (place.lo != key.lo || place.hi != key.hi || other == &key || other->work != key.work ||
        other->direction != key.direction || other->id.bytes != key.id.bytes ||
        other->id.shape != key.id.shape || isAfterOthers(*other) ||
        a.version(*other) != other->version ||
        (other->stream && Streams::mayOvertake(*other->stream, stream)))
      return false;
    found = (isUpload && !key.occurrences) || !isBuried(a, *other, stream) ? other : nullptr;
    return true;
  });
  return found;
}

} // namespace

bool followSibling(const Auditor &a, Key &key, const StreamState &stream, uint64_t version) {
  const Key *sibling = siblingOf(a, key, stream);
  if (!sibling)
    return false;
  key.version = version;
  key.mayRace |= sibling->mayRace;
  key.notRun = sibling->notRun;
  key.hasHost = sibling->hasHost && sibling->hostOccurrence == sibling->occurrences;
  key.host = sibling->host;
  key.hostOccurrence = key.occurrences;
  key.hasContent = sibling->hasContent && sibling->contentVersion == sibling->version;
  key.content = sibling->content;
  key.contentVersion = version;
  key.same.related = sibling->id.site;
  return true;
}

namespace {
/// What lies in no allocation of ours is known by first addresses: what begins elsewhere overlaps.
__attribute__((noinline, cold)) void noteStrangeWrite(Auditor &a, const Call &call,
                                                      const Transfer &t, const Range *own) {
  const cuda::Region &to = call.operands.dst;
  if (to.address && !to.array)
    a.ranges.eachOpaqueNear(to.address, to.address + to.span(), [&](Range &range) {
      if (&range != own)
        noteWrite(a, call.chargedSite, range, to, *t.stream, nullptr, false);
    });
}

/// Which part of an array or a variable is meant, as far as the call's operands tell.
uint64_t placeIn(const cuda::CallOperands &o) {
  uint64_t place = o.slot(GPUINSTR_SLOT_DEPTH);
  if (o.op == GPUINSTR_OP_COPY_ARRAY)
    place = hashMix(place, o.slot(GPUINSTR_SLOT_ARGS));
  return hashMix(place, o.dst.place);
}
} // namespace

Key *findKey(Auditor &a, const Call &call, Transfer &t, Range *dst, Range *src) {
  const cuda::CallOperands &o = call.operands;
  bool down = t.direction == CopyDirection::DeviceToHost;
  Range *range = down ? src : dst;
  const cuda::Region &region = down ? o.src : o.dst;
  if (!range || !hasKeys(*range, t, o) || !contains(*range, region) || call.thread.paused ||
      (t.work == DeviceWorkKind::Copy && t.direction == CopyDirection::Unknown) ||
      (down && !o.dst.address))
    return nullptr;
  uint64_t shape = range->opaque ? hashMix(shapeOf(region), placeIn(o)) : shapeOf(region);
  // A copy onto itself is none of the line's others: it is counted at once.
  uint64_t from = down || isOntoItself(o) ? o.src.address : 0;
  KeyId id{call.chargedSite, o.dst.address, from, o.bytes, range->serial, shape};
  Key *key = a.keyFor(id, *range, region, t.isFirst);
  if (!key)
    return nullptr;
  if (range->opaque)
    a.ranges.widestOpaque = std::max(a.ranges.widestOpaque, region.span());
  key->caller = call.caller;
  key->operation = uint16_t(o.op);
  key->work = t.work;
  key->direction = t.direction;
  key->solid = isSolid(region);
  key->isOntoItself = isOntoItself(o);
  key->comesFromOthers |= key->occurrences != 0 && key->from != o.src.address;
  key->from = o.src.address;
  key->hostAddress = down                                         ? o.dst.address
                     : t.direction == CopyDirection::HostToDevice ? o.src.address
                                                                  : 0;
  return key;
}

namespace {

/// What the region is known to hold; nothing: not known.
ContentHash contentOf(const Key &key, uint64_t version) {
  if (key.hasContent && key.contentVersion == version)
    return key.content;
  bool isSent = key.hasHost && key.hostOccurrence == key.occurrences && key.guess == Guess::None;
  return isSent ? key.host : ContentHash();
}

/// What this occurrence means for the key. With the lock held.
void classify(Auditor &a, Transfer &t) {
  Key &key = *t.key;
  t.repeat = key.occurrences > 0;
  t.version = t.writes + key.copyWrites;
  key.mayRace |= t.writerMayRun;
  if (isAfterOthers(key) && !t.writerMayRun && followSibling(a, key, *t.stream, t.version))
    t.repeat = true;
  t.interfered = t.version != key.version || t.writerMayRun;
  // What other copies wrote into a mapped segment is not followed.
  t.interfered |= key.range->opaque && key.direction == CopyDirection::DeviceToHost;
  if (t.repeat && key.direction == CopyDirection::DeviceToHost && hostMayDiffer(t.hostWrites, key))
    t.interfered = key.mayRace = true;
  t.question = Question::Same;
  if (!t.repeat) {
    // What just went the other way is judged at once.
    const Key *other = t.writerMayRun ? nullptr : counterpart(a, key, *t.stream);
    if (!other)
      return;
    key.notRun = other->notRun;
    t.repeat = true;
    if (key.direction == CopyDirection::DeviceToHost) {
      relate(a, key, *other, key.same);
      t.interfered |= hostMayDiffer(t.hostWrites, *other);
    } else {
      t.interfered = true; // a round, whatever the place's version
    }
  }
  t.isVoid = isVoid(key, t.notRun, t.interfered);
  if (t.interfered && !t.writerMayRun)
    if (const Key *other = counterpart(a, key, *t.stream)) {
      t.question = Question::Round;
      t.interfered = hostMayDiffer(t.hostWrites, *other);
      relate(a, key, *other, key.round);
    }
  if (t.question == Question::Same && !t.interfered && key.direction == CopyDirection::HostToDevice)
    t.expected = contentOf(key, t.version);
}

/// Whether the first copy from elsewhere on the device finds its bytes there already, as where both
/// buffers were initialised alike. By default for large ones.
bool mayBeThereAlready(const Auditor &a, const Transfer &t) {
  constexpr uint64_t Large = 1 << 20, LeastInFull = 256;
  const Key &key = *t.key;
  const Range &range = *key.range;
  if (t.repeat || t.direction != CopyDirection::DeviceToDevice || key.isOntoItself ||
      range.opaque || key.id.bytes < (a.full ? LeastInFull : Large))
    return false;
  // What copies have brought elsewhere says nothing of memory that was never written.
  auto covers = [&](const KeyPlace &place) {
    return place.key != &key && place.lo <= key.lo && place.hi >= key.hi;
  };
  return range.writer.load() != 0 || range.anyKey(key.lo, key.hi, covers);
}

/// The first upload to an allocation, at a site that has made one of this size before. Large ones
/// are hashed on the device in any case, to be known again.
void askAgain(Auditor &a, Transfer &t) {
  constexpr uint64_t Large = 1 << 20;
  if (t.repeat || t.direction != CopyDirection::HostToDevice || t.key->range->opaque)
    return;
  t.key->part = partOf(*t.key);
  auto it = a.uploads.find(uploadKey(*t.key));
  if (it == a.uploads.end() || it->second.count == 0) {
    if (t.key->id.bytes >= Large)
      t.question = Question::Content;
    return;
  }
  const LastContent *last = a.lastContentOf(*t.key);
  const bool isKept =
      last && last->freed && a.room.has(a.resent(*t.key, last->content, last->freedAt));
  if (!isKept) {
    t.question = Question::Content;
    return;
  }
  t.question = Question::Again;
  t.hasExpected = true;
  t.interfered = !last->seen;
  t.expected = last->content;
  t.key->again.related = last->freeSite;
}

/// A download of much: what the device has costs a hundredth of hashing what the host has, and
/// where it has other bytes than the last time, the host need not be asked. One that blocks learns
/// that before the copy.
void askDevice(const Auditor &a, Transfer &t) {
  const Key &key = *t.key;
  if (t.question != Question::Same || !isLargeDownload(key, t.waits) || key.range->opaque)
    return;
  const bool isRelated = t.repeat && key.occurrences == 0; // to a counterpart
  if (t.waits && !t.repeat)
    t.question = Question::Content;
  else if (!t.waits && !a.full && !key.asksHost && !isRelated)
    t.question = Question::Source;
}

/// Whether a hash may be put into the stream now. With the lock held.
bool isSafe(const Auditor &a, const Transfer &t) {
  if (t.stream->dependent.load() || a.collectives.load() || a.streams.othersMayWait(*t.stream))
    return false;
  return t.waits || !a.sideBySide.load();
}

/// A copy into a graph, or one that cannot be judged: what it touches may be touched at any time.
void noteHidden(Range *dst, Range *src) {
  for (Range *range : {dst, src})
    if (range) {
      range->escaped.store(true);
      range->global.store(true);
    }
}

Range *rangeAt(Auditor &a, uint64_t address) {
  Range *range = address ? a.ranges.find(address) : nullptr;
  if (range)
    range->used.store(true);
  return range;
}

/// Where a download goes: whether something else may write there before it is done.
void noteHostWrites(Auditor &a, Transfer &t, const Range *dst, const cuda::Region &to) {
  uint64_t lo = t.hostLo = to.address, hi = t.hostHi = lo + to.span();
  t.hostMayRace = a.streams.hostWriteMayRun(*t.stream, lo, hi, false) ||
                  a.streams.hostMayRunBeside(*t.stream) ||
                  (dst && a.ranges.writerMayRun(*dst, *t.stream, a.streams));
  t.hostMayChange = t.hostMayRace || a.streams.hostWriteMayRun(*t.stream, lo, hi, true) ||
                    a.streams.hostMayRun(t.stream->context);
  for (Pending &pending : a.pending)
    pending.noteHostWrite(a.streams, *t.stream, lo, hi);
  // Into pageable memory, the call returns when the bytes are there: see startHostOnly().
  if (!t.waits && (dst || t.unhashed || a.pageableIsLate.load()))
    a.streams.writesHost(*t.stream, lo, hi);
}

} // namespace

bool mayBeUnordered(const Range &range, const Key &key, const StreamState &stream,
                    uint64_t entered) {
  return range.anyKey(key.lo, key.hi, [&](const KeyPlace &place) {
    const Key *other = place.key;
    if (other->direction == CopyDirection::DeviceToHost)
      return false;
    bool isBeside =
        other->stream && other->stream != &stream && Streams::mayOvertake(*other->stream, stream);
    return isBeside || other->settledAt > entered;
  });
}

GPUINSTR_HOT void meet(Auditor &a, const Call &call, Transfer &t, Range *dst, Range *src) {
  const cuda::CallOperands &o = call.operands;
  if (!src && o.src.array)
    src = a.ranges.knownOpaque(o.src.array);
  noteTransferUse(a, call, dst, src);
  noteMovedAddresses(a, o, t, dst, src);
  if (t.direction == CopyDirection::DeviceToHost)
    noteHostWrites(a, t, dst, o.dst);
  t.hostWrites = hostWritesOf(t.direction, dst, src);
  noteSource(a, t, src);
  if (t.key) {
    Range &range = *t.key->range;
    t.writerMayRun = t.hostMayRace || a.ranges.writerMayRun(range, *t.stream, a.streams);
    if (isUnordered(range, *t.key, *t.stream, t.entered)) {
      t.writerMayRun = true;
      range.unordered |= t.key->direction != CopyDirection::DeviceToHost;
    }
    t.readerMayRun = t.writerMayRun || Ranges::knownReaderMayRun(range, *t.stream, a.streams);
    classify(a, t);
    askAgain(a, t);
    askDevice(a, t);
    if (mayBeThereAlready(a, t))
      t.question = Question::First;
  }
  if (src)
    noteRead(a, *src, o.src, *t.stream);
  if (dst && !dst->isDevice())
    dst->filled = true;
  if (o.op == GPUINSTR_OP_PREFETCH)
    return;
  if (dst)
    noteWrite(a, call.chargedSite, *dst, o.dst, *t.stream, t.key, t.readerMayRun);
  if ((!dst || dst->opaque) && t.direction != CopyDirection::DeviceToHost &&
      UNLIKELY(a.ranges.opaqueCount() != 0))
    noteStrangeWrite(a, call, t, dst);
}

void meetUnhashed(Auditor &a, const Call &call, Transfer &t, bool judged) {
  const cuda::CallOperands &o = call.operands;
  Range *dst = a.ranges.find(o.dst.address), *src = a.ranges.find(o.src.address);
  t.direction = directionOf(o, dst, src);
  t.isOfHost = isOfHost(o, t.direction, dst, src);
  t.entered = Streams::Puts.load();
  t.active = t.unhashed = true;
  t.isExempt = isExempt(a, t, dst, o.dst.address);
  a.limitPlaces(dst, src);
  t.key = judged && !t.isExempt ? findKey(a, call, t, dst, src) : nullptr;
  if (t.key) {
    ++t.key->pending;
    t.writes = a.ranges.writesOf(*t.key->range);
    t.reads = a.ranges.readsOf(*t.key->range);
  }
  meet(a, call, t, dst, src);
  t.copyReads = t.key ? t.key->copyReads : 0;
  t.due = t.key && t.repeat && !t.isVoid && t.key->left.load(std::memory_order_relaxed) == 0;
}

namespace {

void prepare(Auditor &a, const Call &call, ThreadAuditState &local, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.poll();
  a.noteContext(local.context);
  t.stream = &a.streams.of(o.stream, local.context, &call.thread);
  t.order = a.ranges.launches.load();
  t.entered = Streams::Puts.load();
  t.changes = a.changes();
  Range *dst = rangeAt(a, o.dst.address), *src = rangeAt(a, o.src.address);
  if (Range *opaque = dst ? nullptr : opaqueTarget(a, o, local.context, t.symbolUnknown, src))
    dst = opaque;
  Range *linear = src; // what is kept of uploads, to be found again, is of such alone
  if (!src)
    src = opaqueSource(a, o, local.context, t.symbolUnknown);
  t.work = isSet(o.op) ? DeviceWorkKind::Set : DeviceWorkKind::Copy;
  t.direction = directionOf(o, dst, src);
  t.isOfHost = isOfHost(o, t.direction, dst, src);
  t.isForHost = isForHost(o, t.direction, dst, src);
  t.waits = !(o.flags & GPUINSTR_SITE_ASYNC) && (t.direction == CopyDirection::HostToDevice ||
                                                 t.direction == CopyDirection::DeviceToHost);
  t.isEarly = mayBeStaged(o, t, dst, src);
  if (t.captured)
    return t.kept ? void() : noteHidden(dst, src);
  t.active = true;
  t.isExempt = isExempt(a, t, dst, o.dst.address);
  a.limitPlaces(dst, src);
  if (o.op != GPUINSTR_OP_PREFETCH && !t.isExempt)
    t.key = findKey(a, call, t, dst, src);
  if (t.key) {
    ++t.key->pending;
    t.writes = a.ranges.writesOf(*t.key->range);
    t.reads = a.ranges.readsOf(*t.key->range);
    t.isMapped = t.key->range->opaque && src == t.key->range;
    t.occurrence = t.key->occurrences + 1;
  }
  findOverwritten(a, call, local, t, linear);
  meet(a, call, t, dst, src);
  bool asks = t.key && !t.isVoid && (t.repeat || t.question != Question::Same);
  if (!asks || !a.verifies)
    return;
  t.skip = SkipReason::Budget;
  if (t.key->left.load(std::memory_order_relaxed) != 0)
    return;
  t.due = true;
  t.isStaged = t.key->isStaged;
  bool down = t.direction == CopyDirection::DeviceToHost;
  const Range &range = *t.key->range;
  if (range.opaque || range.context != local.context || (range.byAddress && !t.waits)) {
    t.skip = SkipReason::NotLinear;
    t.verify = t.hostOnly = down;
  } else if (!isSafe(a, t)) {
    t.skip = SkipReason::Busy;
    t.verify = t.hostOnly = down;
  } else if (a.pending.size() >= MaxPending) {
    t.skip = SkipReason::Full;
  } else {
    t.verify = true;
  }
}

void beforeTransfer(Auditor &a, ThreadAuditState &local, const Call &call, bool symbolKnown) {
  Transfer &t = local.transfer;
  endPlacing(a, call, t); // of one that an exception left
  t = Transfer();
  t.symbolUnknown = !symbolKnown;
  if (call.operands.op == GPUINSTR_OP_COPY_BATCH)
    return beforeBatch(call, local);
  t.captured = cuda::Captures.isCapturing(call.operands.stream);
  t.kept = t.captured && noteCapturedCopy(call);
  t.notRun = cuda::kernelsNotRun();
  learnCache(call.operands);
  prepare(a, call, local, t);
  if (UNLIKELY(t.direction == CopyDirection::Unknown) && !isSet(call.operands.op) && !t.isOfHost)
    t.isOfHost = isOfHostByDefault(local, call.operands);
  if (t.key && t.key->sample && !t.captured && t.key->direction != CopyDirection::DeviceToHost)
    lookAtRewritten(a, call, local, *t.key);
  askForSource(a, call, t);
  if (!t.verify)
    return;
  chargeOwnTime(local, call.thread);
  uint64_t begin = monotonicNs();
  t.early = t.waits;
  startHashes(a, local, call, t);
  t.early = false;
  t.hostNs = monotonicNs() - begin - t.waitedNs;
}

} // namespace

GPUINSTR_HOT void beforeTransfer(const Call &decoded) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(decoded.thread);
  if (beforeFastPath(decoded, local))
    return;
  local.context = currentContext();
  if (decoded.operands.op != GPUINSTR_OP_COPY_SYMBOL)
    return beforeTransfer(a, local, decoded, true);
  cuda::CallOperands placed = decoded.operands;
  bool known = placeSymbol(placed, local.context);
  beforeTransfer(a, local, withOperands(decoded, placed), known);
}

} // namespace gpuinstr::audit
