// The host's witness: what an upload sent, hashed in the leave of the call that succeeded.
// SPDX-License-Identifier: Apache-2.0
//
// It needs no device: it works behind kernels, beside other streams and threads, for arrays and
// variables. It says that the same bytes were sent again, never what the device holds: that makes
// findings likely at most, unless the device was looked at as well.
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/scheduling/Launches.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "base/HotCode.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "calls/code/UnseenCode.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

/// A new upload of more than this is hashed where its site sends repeatedly, or it took long.
constexpr uint64_t FirstMost = 1 << 20;
/// Smaller transfers that something may have written since are flags: they are there to be reset.
constexpr uint64_t LeastResent = 65536;
/// Of variables, tables among them: constant memory has no more than LeastResent.
constexpr uint64_t LeastResentVariable = 1024;

uint64_t leastResent(const Key &key) {
  return key.isOfVariable ? LeastResentVariable : LeastResent;
}

bool isNewAndLarge(const Auditor &a, const Transfer &t, uint64_t ticks) {
  if (a.full || t.repeat || t.key->id.bytes <= FirstMost || isLong(ticks))
    return false;
  return t.question == Question::Same;
}

/// The key's bytes on the device, in a stream that has ended: with them the guess stands or falls.
void confirm(Auditor &a, const Call &call, const ThreadAuditState &local,
             const Auditor::OpenGuess &guess) {
  Key &key = *guess.key;
  Transfer look;
  look.stranger = &key;
  look.engine = EngineSource(false);
  cuda::Region region;
  bool good;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    good = look.engine && key.range && key.occurrences == guess.occurrence &&
           a.version(key) == key.version && key.range->context == local.context &&
           !unseenCodeRunsKernels() && !a.collectives.load();
    look.stream = &a.streams.of(call.operands.stream, local.context, &call.thread);
    region = key.region;
  }
  EnqueueResult why = EnqueueResult::None;
  good = good && mayPlace(a, call, look) &&
         affordLook(a, key, look.engine->estimateNs(key.id.bytes)) &&
         (look.ticket = look.engine->begin(why)) != 0 &&
         place(a, call, look, true, region) == EnqueueResult::None;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (good && key.range) {
      Pending p;
      p.engine = look.engine;
      p.ticket = look.ticket;
      p.key = &key;
      p.question = Question::Guess;
      p.at = {guess.occurrence, key.version};
      p.expected = guess.expected;
      p.stream = look.stream->index;
      handOver(a, look, p);
      a.pending.push_back(p); // takes over the key's `pending`
    } else {
      --key.pending;
      key.guess = Guess::Open; // to be asked again
    }
  }
  endPlacing(a, call, look);
}

/// Equal elements are what a set is for: that they were sent before is no news. Of small ones it
/// is, and a set what is advised.
void lookIfUniform(const cuda::CallOperands &o, const char *data, const Transfer &t) {
  bool isFlat = o.src.rows == 1 && o.src.slices == 1;
  if (t.direction != CopyDirection::HostToDevice || o.bytes < LeastResentVariable || !isFlat)
    return;
  UniformPattern pattern;
  const bool isFound = pattern.find(data, o.bytes);
  const uint64_t others = isFound ? pattern.others(data, o.bytes) : 0;
  t.key->isFill = isFound && others == 0 && pattern.wordBytes() <= 4;
  if (o.bytes >= leastResent(*t.key))
    t.key->isUniform = isFound && others <= UniformPattern::Few;
}

/// Hashes what the host sends, and sees whether it is uniform. False: not to be read any more.
bool hashSource(const cuda::CallOperands &o, Transfer &t, bool asksIfUniform) {
  if (t.sourceMayGo && !asksIfUniform)
    return hashHostIfThere(o.src, t.hostHash);
  std::unique_ptr<char[]> copy = t.sourceMayGo ? copyHostIfThere(o.src) : nullptr;
  if (t.sourceMayGo ? !copy : !hostIsStillOpen(o.src))
    return false;
  if (asksIfUniform)
    lookIfUniform(o, copy ? copy.get() : reinterpret_cast<const char *>(o.src.address), t);
  t.hostHash =
      copy ? hashHost(copy.get(), o.src.width * o.src.rows * o.src.slices) : hashHost(o.src);
  return true;
}

/// What repeated sets do needs no hash: the value says it.
void lookAtSet(const cuda::CallOperands &o, Transfer &t) {
  const unsigned bytes = std::min(std::max(o.detail, 1u), 4u); // of an element
  t.hostHash = {o.slot(GPUINSTR_SLOT_KIND), ~uint64_t(bytes)};
  t.hostLooked = true;
}

} // namespace

void confirmGuesses(Auditor &a, const Call &call, ThreadAuditState &local) {
  constexpr size_t MostAtOnce = 4;
  std::vector<Auditor::OpenGuess> ripe;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    auto isRipe = [&](const Auditor::OpenGuess &g) {
      return ripe.size() < MostAtOnce &&
             g.stream->done.load() >= std::min(g.order, g.stream->last());
    };
    for (auto it = a.guesses.begin(); it != a.guesses.end();) {
      if (!isRipe(*it)) {
        ++it;
        continue;
      }
      ripe.push_back(*it);
      it = a.guesses.erase(it);
    }
    a.openGuesses.store(uint32_t(a.guesses.size()));
  }
  for (const Auditor::OpenGuess &guess : ripe)
    confirm(a, call, local, guess);
}

bool isLong(uint64_t ticks) {
  static const double nsOfTick = nsPerTick();
  return double(ticks) * nsOfTick >= 1e6;
}

constexpr uint8_t FirstLooks = 6; // three, one before them, and one that confirms a guess
constexpr uint8_t LooksAnew = 24; // of all buffers at a line together, each before its free too

/// Of memory with many places, which leave some to each other.
static bool isItsTurn(Key &key, KeyIndex &places) {
  constexpr uint8_t Settled = 4;
  if (key.firstLooks == 0)
    return places.mayBegin();
  if (key.firstLooks < Settled)
    return true;
  key.firstLooks = LooksAnew;
  places.noteSettled();
  return false;
}

uint64_t looksOfNews(const Key &key) {
  const Tally &same = key.same, &round = key.round;
  const bool isNews =
      same.unchanged + same.hostUnchanged + round.unchanged + round.hostUnchanged == 0;
  return isNews && !key.isAnew ? same.checked + same.hostChecked : 0;
}

/// What more looks say is not worth the purse.
static bool bringsNews(const Key &key) {
  constexpr uint64_t Enough = 2;
  return looksOfNews(key) >= Enough;
}

bool affordLook(const Auditor &a, Key &key, uint64_t ns) {
  if (a.full || key.firstLooks >= (key.isAnew ? LooksAnew : FirstLooks) || bringsNews(key))
    return key.isSpared ? affordSpared(a, ns) : afford(a, ns);
  if (KeyIndex *places = key.range ? key.range->keyIndex.get() : nullptr;
      places && !isItsTurn(key, *places))
    return false;
  ++key.firstLooks;
  return overheadBudget().takeFirst(ns);
}

void lookAtHost(const Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                uint64_t ticks) {
  const cuda::CallOperands &o = call.operands;
  bool deviceLooks = t.checked || (t.verify && t.ticket);
  if (!a.verifies || !t.key || t.isVoid || (t.repeat && !t.due))
    return;
  // Reading all that is sent is no less than a look: only where the budget has room for one. Of
  // other buffers lookForUniform() says it, which reads few of them as a whole, and no small ones.
  const bool asksIfUniform = t.key->isPiece || t.key->isOfVariable || o.bytes < UniformLeast;
  if (deviceLooks)
    return asksIfUniform && hostReadable(local, o.src.address)
               ? lookIfUniform(o, reinterpret_cast<const char *>(o.src.address), t)
               : void();
  if (t.work == DeviceWorkKind::Set)
    return lookAtSet(o, t);
  if (t.direction != CopyDirection::HostToDevice || o.bytes == 0 || isNewAndLarge(a, t, ticks) ||
      !hostReadable(local, o.src.address))
    return;
  // Where copies come so fast, each look of the host's would take away what the device's wait for.
  if (t.isRefused && t.key->refusals >= Key::Patient)
    return;
  uint64_t cost = o.bytes / (t.sourceMayGo ? SafeBytesPerNs : HostBytesPerNs) + LookNs;
  if (!affordLook(a, *t.key, cost))
    return;
  uint64_t begin = monotonicNs();
  if (!hashSource(o, t, asksIfUniform))
    return;
  t.hostLooked = true;
  // The device is not asked about variables, so what the host knows for sure is no guess.
  bool isSure = t.waits || (t.source == PinnedBytes::Settled && t.key->isOfVariable);
  t.isGuess = isSure ? false : t.isGuess || isReadLater(local, o);
  uint64_t took = monotonicNs() - begin;
  local.verifyNs += took;
  noteOwnCost(OwnConsumer::HostLooks, took);
  if (!a.full)
    correctLook(a, *t.key, int64_t(took) - int64_t(cost));
}

bool isWritten(const Key &key) {
  Range &range = *key.range;
  if (!range.opaque || range.written.load(std::memory_order_relaxed))
    return range.written.load(std::memory_order_relaxed);
  const bool byName = Ranges::placesOfSymbols.load() && Ranges::variableWrites.load() != 0;
  const bool found = key.region.array ? Ranges::surfaces.load(std::memory_order_relaxed)
                                      : byName || wroteStray(key.lo, key.hi);
  if (found)
    range.written.store(true, std::memory_order_relaxed);
  return found;
}

/// What the host sends is what the last look saw, and nobody looked at the repeats in between: they
/// stay open, for a look that sees what they left.
static bool isAsLastSeen(const Key &key, const Transfer &t) {
  return key.hasSeen && key.seenVersion == t.version && key.seen == t.hostHash;
}

GPUINSTR_HOT void takeHostLook(Auditor &a, Transfer &t, bool judged) {
  Key &key = *t.key;
  if (!t.hostLooked)
    return;
  bool hasBase = key.hasHost && key.hostOccurrence == key.occurrences;
  ContentHash base = key.host;
  if (!hasBase && key.hasContent && key.contentVersion == t.version) {
    base = key.content;
    hasBase = t.work != DeviceWorkKind::Set;
  }
  bool isSame = hasBase && base == t.hostHash;
  // Had a repeat that was not looked at sent other bytes? What this one found there, nobody saw.
  uint64_t occurrence = key.occurrences + 1;
  if (judged && t.question == Question::Same && isSame && !t.interfered && !t.isGuess) {
    if (t.work == DeviceWorkKind::Copy)
      a.noteSeen(key, t.hostHash, t.hostHash, {occurrence, t.version});
    else if (key.seenOccurrence + 1 == occurrence) // the same value as the last one
      key.seenOccurrence = occurrence;
  }
  bool staysOpen = !hasBase && isAsLastSeen(key, t);
  if (!t.isGuess && !staysOpen && t.work == DeviceWorkKind::Copy) {
    if (occurrence > key.seenOccurrence) { // what it changed, is not known
      key.same.unseen += occurrence - key.seenOccurrence;
      key.seenOccurrence = occurrence;
      key.quietFrom = 0;
    }
    key.hasSeen = true;
    key.seen = t.hostHash;
    key.seenVersion = t.version;
  }
  bool isKnownChange = key.hasHost && key.host != t.hostHash;
  if (judged && t.question == Question::Same && (isSame || isKnownChange)) {
    bool isBig = t.direction == CopyDirection::HostToDevice && key.id.bytes >= leastResent(key) &&
                 !(key.isOfVariable && key.isUniform); // set anew, not filled anew
    if (!isSame)
      ++key.same.hostChecked;
    else if (!t.interfered)
      ++key.same.hostChecked, ++key.same.hostUnchanged;
    else if (key.copyWrites != key.copyWritesThen)
      return keepHostLook(key, t.hostHash); // another copy or set went there in between
    else if (!isBig || !key.range)          // freed meanwhile, by another thread
      return keepHostLook(key, t.hostHash);
    else if (!isWritten(key)) // else they may be needed
      ++key.same.hostChecked, ++key.same.hostUnchanged;
    key.lastLookNs = monotonicNs();
    a.waste.figures.verified += 1;
    a.waste.figures.verifiedBytes += key.id.bytes;
  }
  keepHostLook(key, t.hostHash);
}

void keepHostLook(Key &key, const ContentHash &hash) {
  key.host = hash;
  key.hasHost = true;
  key.hostOccurrence = key.occurrences + 1;
}

static bool isSentAgain(Auditor &a, const Key &key, const ContentHash &content) {
  constexpr size_t MaxUploads = 4096;
  auto it = a.uploads.find(uploadKey(key));
  if (it == a.uploads.end() && a.uploads.size() < MaxUploads)
    it = a.uploads.try_emplace(uploadKey(key)).first;
  return it != a.uploads.end() && it->second.isAgain(content);
}

/// Looked at when the memory went and now: nobody else's word is needed for it.
static bool isShownBoth(const Key &key, const Sent &before) {
  return before.shown && key.isWhole() && !key.isPiece && !before.replaced;
}

void noteSent(Auditor &a, Key &key, const ContentHash &content, uint64_t version, bool counts,
              uint64_t ticks, bool isShown) {
  if (key.direction != CopyDirection::HostToDevice || !key.range)
    return;
  isWritten(key); // what it held until now counts as replaced: its range says who wrote it
  const Sent *before = a.sent.find(content, key.id.bytes, key.context());
  // The same few contents, from one line into an allocator's pieces: one piece each would do.
  bool isAgain = key.isPiece && isSentAgain(a, key, content) && !key.isUniform;
  bool isNews = !before || isAgain || before->holder != &key;
  bool isBack = isNews && counts && noteSentBack(a, key, content, ticks);
  if (isBack && before) // who leaves it on the device does not send it again either
    return a.sent.put(content, key, version);
  if (before && isNews && counts && !key.isUniform) {
    bool lives = before->holder && before->holder->range;
    bool kernelWrote =
        lives ? a.version(*before->holder) != before->version && isWritten(*before->holder)
              : !before->untouched && before->kernelWrote;
    if (kernelWrote)
      return a.sent.put(content, key, version); // what it held was no longer what had been sent
    const Resent resent = Auditor::resent(key, content, before->freedAt);
    if (!lives && !a.room.has(resent))
      return a.sent.put(content, key, version); // it had to make room
    if (!lives)
      a.room.keep(resent);
    Tally &tally = key.elsewhere;
    const bool shown = isShown && !lives && isShownBoth(key, *before);
    ++tally.repeats;
    ++(shown ? tally.checked : tally.hostChecked);
    ++(shown ? tally.unchanged : tally.hostUnchanged);
    key.elsewhereShown += shown;
    tally.ticks += ticks;
    // Two buffers may be wanted; of a pool, as many as there are contents.
    tally.interfered += !isAgain && (key.isPiece || lives || before->replaced);
    tally.inTurn += !isAgain && !key.isPiece && !lives && before->replaced;
    tally.related = before->freeSite ? before->freeSite : before->site;
    key.elsewhereFreed += before->freeSite != 0;
  } else if (!before && counts && !isBack) {
    if (auto it = a.uploads.find(uploadKey(key)); it != a.uploads.end())
      ++it->second.news;
  }
  a.sent.put(content, key, version);
}

} // namespace gpuinstr::audit
