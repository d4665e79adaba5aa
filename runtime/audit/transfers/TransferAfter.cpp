// A copy or set, after the driver took it: the hash behind it, the tallies, what its source shows.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/state/Symbols.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "calls/budget/OverheadBudget.h"
#include "cuda/Driver.h"
#include "cuda/errors/ErrorNames.h"
#include <algorithm>
#include <utility>

namespace gpuinstr::audit {

namespace {

/// The hash behind the copy; waited for where the call waits anyway.
void finishHashes(Auditor &a, const Call &call, Transfer &t, Reading &reading, bool &arrived) {
  EnqueueResult why = place(a, call, t, true, call.operands.dst);
  if (why != EnqueueResult::None) {
    t.verify = false;
    t.skip = skipOf(why);
    return;
  }
  // A set of pinned memory waits, too: the host may write there as soon as it is back.
  if (!t.waits && !(t.key->range && isPinned(*t.key->range)))
    return;
  if (!finishPlaced(call, t)) {
    t.verify = false;
    return;
  }
  reading = t.engine->read(t.ticket);
  arrived = reading.hasAfter;
}

void addOutcome(Tally &tally, const Transfer &t, uint64_t ticks) {
  ++tally.repeats;
  tally.ticks += ticks;
  tally.interfered += t.interfered;
}

/// The device is asked at the next synchronisation, once for a key.
void noteGuess(Auditor &a, const Transfer &t) {
  constexpr size_t Most = 64;
  Key &key = *t.key;
  if (key.guess != Guess::None && key.guess != Guess::Open)
    return;
  key.guess = Guess::Open;
  if (a.guesses.size() >= Most || !key.range || key.range->opaque ||
      key.isOfVariable) // null: freed meanwhile
    return;
  key.guess = Guess::Asked;
  ++key.pending;
  a.guesses.push_back({&key, t.stream, t.order, key.occurrences + 1, t.hostHash});
  a.openGuesses.store(uint32_t(a.guesses.size()));
}

/// Bytes that the key's region did not hold before.
bool isNews(const Transfer &t) {
  return !t.repeat || (t.key->hasHost && t.key->host != t.hostHash);
}

void noteLook(Key &key, bool looked) {
  const uint64_t occurrence = key.occurrences + 1;
  if (!key.looks && !looked && key.hostAddress) {
    key.looks = std::make_unique<LooksByPlace>();
    if (key.lookedFrom)
      key.looks->note(key.lookedFrom, true, occurrence - 1);
  }
  if (key.looks)
    key.looks->note(key.hostAddress, looked, occurrence);
  else if (looked)
    key.lookedFrom = key.hostAddress;
}

/// With the lock held: a repeat is counted, its answer taken or waited for.
GPUINSTR_HOT void count(Auditor &a, Transfer &t, const Reading &reading, bool arrived,
                        uint64_t ticks) {
  Key &key = *t.key;
  uint64_t bytes = key.id.bytes;
  bool judged = (t.repeat || t.question == Question::Again) && !t.isVoid &&
                t.question != Question::Content && t.question != Question::First;
  // Another thread's call wrote there meanwhile: maybe between the two looks.
  const bool isDisturbed =
      t.repeat && key.range && (a.version(key) != t.version || key.settledAt > t.entered);
  t.interfered |= isDisturbed;
  key.mayRace |= isDisturbed;
  Tally &tally = tallyOf(key, t.question);
  bool looked = t.checked || (t.verify && t.ticket) || arrived || t.hostLooked;
  if (t.due) {
    key.refused = looked ? SkipReason::Budget : t.skip;
    const bool isGuess = t.hostLooked && t.isGuess && key.guess != Guess::Confirmed;
    noteLook(key, (looked && !isGuess) || t.looksLater);
  }
  if (t.due && !a.full)
    schedule(key, looked);
  else if (uint32_t left = key.left.load(std::memory_order_relaxed))
    key.left.store(left - 1, std::memory_order_relaxed);
  const bool isQuiet = judged && t.repeat && t.question == Question::Same && !t.interfered;
  if (judged) {
    addOutcome(tally, t, ticks);
    Figures &f = a.waste.figures;
    ++f.eligible;
    f.eligibleBytes += bytes;
  } else {
    key.apart.add(1, bytes, ticks);
  }
  bool news = isNews(t);
  if (!t.repeat)
    key.seenOccurrence = key.occurrences + 1;
  if (!t.repeat || t.due)
    noteStaging(a, key);
  noteUploadTime(a, key);
  takeHostLook(a, t, judged);
  if (t.hostLooked && t.isGuess) {
    noteGuess(a, t);
    if (t.source == PinnedBytes::Settled && key.notesSettled()) {
      ++key.settledLooks;
      noteSent(a, key, t.hostHash, t.version, true, ticks);
    }
  } else if (t.hostLooked && t.work == DeviceWorkKind::Copy)
    noteSent(a, key, t.hostHash, t.version, news, ticks);
  if (t.hasHash && isLargeDownload(key, t.waits))
    noteAsked(key, t.hash);
  key.hasContent = t.hasHash;
  key.content = t.hash;
  key.contentVersion = t.version;
  ++key.occurrences;
  if (t.checked) {
    if (judged)
      addAnswer(a, key, tally, t.unchanged);
    if (isQuiet && t.unchanged)
      noteQuiet(key, 1);
  } else if (t.verify && t.ticket && !arrived) {
    Pending p;
    p.engine = t.engine;
    p.ticket = t.ticket;
    p.key = &key;
    p.question = t.question;
    p.at = {key.occurrences, t.version, isQuiet};
    p.expected = t.expected;
    p.stream = t.stream->index;
    p.order = t.order;
    p.hashes = t.stream->hashes;
    p.hostLo = t.hostLo;
    p.hostHi = t.hostHi;
    handOver(a, t, p);
    a.pending.push_back(p);
    ++key.pending;
  } else if (arrived) {
    key.ticksThen = ticks; // whether this one took long, the answer asks
    a.answer(key, t.question, reading, t.expected, {key.occurrences, t.version, isQuiet});
  } else if (judged && a.verifies && !t.hostLooked && !t.looksLater) {
    ++a.waste.figures.skipped[unsigned(t.due ? t.skip : key.refused)];
  }
}

void countUnjudged(Figures &f, const cuda::CallOperands &o) {
  f.arrays += o.op == GPUINSTR_OP_COPY_ARRAY || o.dst.array || o.src.array;
  f.variables += o.op == GPUINSTR_OP_COPY_SYMBOL && !(o.detail == 1 ? o.src : o.dst).address;
}

/// What later calls ask of this one. With the lock held.
GPUINSTR_HOT void remember(Auditor &a, Transfer &t, uint64_t ticks) {
  Key &key = *t.key;
  key.version = t.version;
  if (t.hostWrites)
    key.hostWrites = t.hostWrites;
  key.stream = t.stream;
  key.settledAt = Streams::Puts.load(std::memory_order_relaxed);
  key.copyWritesThen = t.version - t.writes;
  key.notRun = t.notRun;
  bool writes = t.direction != CopyDirection::DeviceToHost;
  key.unread = writes && !t.readerMayRun;
  key.readsThen = t.reads + (t.unhashed ? t.copyReads : key.copyReads);
  key.ticksThen = ticks;
  constexpr size_t MaxUploads = 4096; ///< sites that upload ever other sizes
  if (t.direction == CopyDirection::HostToDevice && !t.repeat) {
    auto it = a.uploads.find(uploadKey(key));
    if (it != a.uploads.end())
      ++it->second.count;
    else if (a.uploads.size() < MaxUploads)
      a.uploads[uploadKey(key)].count = 1;
    a.noteDestination(key);
  }
}

/// Prefetches and copies within the host's memory are no transfers; what sets of pools do is not
/// judged.
bool isTransfer(const Transfer &t, const cuda::CallOperands &o) {
  return o.op != GPUINSTR_OP_PREFETCH && !t.isOfHost && !t.isExempt;
}

/// The first copy of a symbol: where it lies is known only now.
void startSymbol(Auditor &a, const Call &call, const ThreadAuditState &local, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  Range *dst = o.dst.address ? a.ranges.find(o.dst.address) : nullptr;
  Range *src = o.src.address ? a.ranges.find(o.src.address) : nullptr;
  Range *&side = o.detail == 1 ? src : dst;
  if (!side) // cudart linked statically: its host's witness is all there is
    side = hiddenVariable(
        o, a.ranges.opaque(o.slot(o.detail == 1 ? GPUINSTR_SLOT_SRC : GPUINSTR_SLOT_DST),
                           local.context));
  t.key = findKey(a, call, t, dst, src);
  if (!t.key)
    return;
  ++t.key->pending;
  t.version = a.version(*t.key);
  t.readerMayRun = true;
  t.isMapped = t.key->range->opaque && src == t.key->range;
  t.occurrence = t.key->occurrences + 1;
}

void noteWork(Auditor &a, const Transfer &t) {
  a.transferSeen = true;
  // A blocking copy ends when all before it in its stream has.
  if (t.waits) {
    const uint64_t number = Streams::count();
    a.streams.synced(*t.stream, Moment(t.order, t.entered));
    if (t.isEarly)
      a.streams.broughtEarly(*t.stream, number);
  } else if (t.isForHost) {
    a.streams.putForHost(*t.stream);
  } else {
    a.streams.put(*t.stream);
  }
}

} // namespace

/// It changes nothing, whatever the bytes are.
static void noteOntoItself(Auditor &a, const Call &call, uint64_t ticks) {
  FindingKey key;
  key.pattern = Pattern::NoopCopy;
  key.grade = Grade::Proven;
  key.site = call.chargedSite;
  key.caller = call.caller;
  a.waste.add(key, 1, call.operands.bytes, ticks);
  a.waste.noteDirection(key, TransferDirection::DeviceToDevice);
}

GPUINSTR_HOT void settle(Auditor &a, const Call &call, ThreadAuditState &local, Transfer &t,
                         uint64_t ticks, const Reading &reading, bool arrived) {
  noteWork(a, t);
  if (t.symbolUnknown && !t.key)
    startSymbol(a, call, local, t);
  if (!t.key)
    countUnjudged(a.waste.figures, call.operands);
  if (isTransfer(t, call.operands)) {
    a.waste.figures.all.add(1, call.operands.bytes, ticks);
    if (!t.key && t.isFirst)
      a.waste.figures.judged.add(1, call.operands.bytes, ticks);
  }
  if (t.key) {
    count(a, t, reading, arrived, ticks);
    remember(a, t, ticks);
    if (t.key->isOntoItself && t.direction == CopyDirection::DeviceToDevice)
      noteOntoItself(a, call, ticks);
  }
  a.writes += t.direction != CopyDirection::DeviceToHost;
  if (takeLaunched(call.thread)) {
    local.row.direction = CopyDirection::Unknown; // no row any more
  }
  if (!call.thread.paused && call.operands.op != GPUINSTR_OP_PREFETCH)
    continueRow(local.row, call.chargedSite, call.caller, {call.operands.bytes, 1, ticks},
                t.direction, a.waste);
}

void countTransfer(Auditor &a, Transfer &t, uint64_t ticks) {
  static const Reading none;
  a.waste.figures.all.add(1, t.key->id.bytes, ticks);
  count(a, t, none, false, ticks);
  a.writes += t.direction != CopyDirection::DeviceToHost;
  Streams::count();
  remember(a, t, ticks);
}

GPUINSTR_HOT void settle(Auditor &a, const Call &call, ThreadAuditState &local, Transfer &t,
                         uint64_t ticks) {
  static const Reading none;
  settle(a, call, local, t, ticks, none, false);
}

namespace {

bool isQuiet(Auditor &a, const ThreadAuditState &local) {
  std::lock_guard<AuditMutex> lock(a.mutex);
  return a.streams.quietIn(local.context);
}

void afterTransfer(Auditor &a, ThreadAuditState &local, const Call &call, uint64_t ticks) {
  Transfer &t = local.transfer;
  bool good = t.active && !call.failed;
  Reading reading;
  bool arrived = false, mayHaveTwin = good && t.key && !t.repeat;
  if (good && t.isEarly && !t.waits && isTakenOver(local, call.operands.src.address))
    t.isForHost = false;
  if (good && t.verify && (t.ticket || t.hostOnly)) {
    uint64_t begin = monotonicNs();
    if (t.hostOnly)
      finishHostOnly(local, call, t);
    else if (t.question != Question::Source)
      finishHashes(a, call, t, reading, arrived);
    t.hostNs += monotonicNs() - begin;
  }
  chargeVerification(a, local, t);
  if (good)
    lookAtHost(a, local, call, t, ticks);
  if (good && t.key)
    noteDownload(a, local, call, t, ticks);
  if (uint64_t target = std::exchange(local.asked, 0); good && target)
    noteDelivery(a, local, call, t, target);
  if (good)
    sampleSource(a, local, call, t);
  judgeOverwritten(a, call, local);
  if (good || t.key) {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (good)
      settle(a, call, local, t, ticks, reading, arrived);
    if (good && t.key)
      keepSample(a, local, *t.key);
    else if (!good)
      t.key->unread = false;
    if (t.key && !mayHaveTwin)
      --t.key->pending;
    if (good && t.key && !mayHaveTwin)
      openFastPath(a, call, local, t);
  }
  endPlacing(a, call, t);
  if (good && t.waits && !t.engine && isQuiet(a, local))
    makeEngine(a, local.context);
  if (mayHaveTwin) {
    compareTwins(a, call, t);
    std::lock_guard<AuditMutex> lock(a.mutex);
    --t.key->pending;
  }
  if (good)
    lookAtSource(a, local, call, t, ticks);
  t = Transfer();
}

} // namespace

GPUINSTR_HOT void afterTransfer(const Call &decoded) {
  if (UNLIKELY(decoded.result == ErrorUnloading && !decoded.failed)) { // no error, but no copy
    Call undone = decoded;
    undone.failed = true;
    return afterTransfer(undone);
  }
  ThreadAuditState &local = auditStateOf(decoded.thread);
  if (local.path)
    return afterFastPath(decoded, local);
  uint64_t ticks = ticksOf(decoded);
  Auditor &a = auditor();
  if (!local.context) // the program's first call made it
    local.context = currentContext();
  if (decoded.operands.op == GPUINSTR_OP_COPY_BATCH)
    return afterBatch(decoded, local, ticks);
  if (decoded.operands.op != GPUINSTR_OP_COPY_SYMBOL)
    return afterTransfer(a, local, decoded, ticks);
  cuda::CallOperands placed = decoded.operands;
  if (local.transfer.active && local.transfer.symbolUnknown && !decoded.failed)
    learnSymbol(placed, local.context, currentDevice());
  placeSymbol(placed, local.context);
  afterTransfer(a, local, withOperands(decoded, placed), ticks);
}

} // namespace gpuinstr::audit
