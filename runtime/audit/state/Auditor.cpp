// Which transfers and allocations were wasted: the auditor's state.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/Auditor.h"
#include "audit/state/Symbols.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include "base/ProcessState.h"
#include "calls/CallHooks.h"
#include "cuda/AttachedTools.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "ledger/Ledger.h"
#include "options/Options.h"
#include <algorithm>
#include <new>
#include <utility>

namespace gpuinstr::audit {

namespace {
constexpr size_t KeysOfRange = KeyIndex::From, KeysOfAll = 65536, MaxRetired = 1024,
                 MaxEnded = 4096;
} // namespace

DeviceHasher *(*EngineSource)(bool create) = currentEngine;

static GPUINSTR_HOT_DATA std::atomic<Auditor *> Known{nullptr};

__attribute__((noinline)) static Auditor &makeAuditor() {
  static Auditor *made = new Auditor; // leaked: used during exit
  Known.store(made, std::memory_order_release);
  return *made;
}

GPUINSTR_HOT Auditor &auditor() {
  Auditor *known = Known.load(std::memory_order_acquire);
  return __builtin_expect(known != nullptr, true) ? *known : makeAuditor();
}

GPUINSTR_HOT ThreadAuditState &auditStateOf(ThreadState &thread) {
  if (!thread.audit) {
    auto made = std::make_shared<ThreadAuditState>();
    made->thread = &thread;
    thread.audit = std::move(made);
    ThreadState *none = nullptr;
    if (!auditor().onlyThread.compare_exchange_strong(none, &thread) && none != &thread)
      auditor().severalThreads.store(true);
  }
  return *static_cast<ThreadAuditState *>(thread.audit.get());
}

uint64_t contextOf(ThreadState &thread) {
  ThreadAuditState &local = auditStateOf(thread);
  if (!local.context)
    local.context = currentContext();
  return local.context;
}

void Auditor::decide() {
  using options::AuditMode;
  const options::Options &o = options::options();
  std::string tool = o.audit == AuditMode::Sampled ? cuda::attachedTool().name : std::string();
  std::lock_guard<AuditMutex> lock(mutex); // the first calls of several threads at once
  if (decided)
    return;
  verifies =
      o.audit != AuditMode::Off && tool.empty() && (o.budget > 0 || o.audit == AuditMode::Full);
  full = o.audit == AuditMode::Full;
  active = o.audit != AuditMode::Off;
  spared.restart(o.budget, processStartNs(), 4);
  LaunchHook.store(active ? OnLaunch : nullptr, std::memory_order_release);
  note = tool.empty() ? "" : "audit: off beside " + tool + " (audit=full turns it on)";
  decided = true;
}

namespace {
struct Countdowns {
  std::deque<Countdown> all;
  std::vector<Countdown *> spare;
};
Countdowns &countdowns() {
  static Countdowns *instance = new Countdowns; // leaked: used during exit
  return *instance;
}
} // namespace

Countdown &takeCountdown() {
  Countdowns &c = countdowns();
  if (c.spare.empty()) {
    // Giving back must not allocate: keys end in places where nothing may fail.
    if (c.spare.capacity() <= c.all.size())
      c.spare.reserve(2 * c.all.size() + 64);
    c.all.emplace_back(0);
    return c.all.back();
  }
  Countdown &taken = *c.spare.back();
  c.spare.pop_back();
  taken.store(0, std::memory_order_relaxed);
  return taken;
}

void giveCountdown(Countdown &countdown) { countdowns().spare.push_back(&countdown); }

/// Whether a program that fills it piece by piece does so again: else what comes need not be known.
static bool comesAgain(const Range &range) {
  for (size_t i = 0; i < KeyIndex::From; i += KeyIndex::From / 4)
    if (range.keys[i].key->occurrences > 1)
      return true;
  return false;
}

/// In what a pool hands out again, or maps, the places change all the time.
static bool hasRoom(const Range &range, uint64_t bytes, bool isPieceOfPool) {
  constexpr uint64_t Least = 1024; // a key takes as much
  constexpr size_t Most = 4096;
  return range.keys.size() < KeyIndex::From ||
         (range.keys.size() < Most && !range.opaque && !range.isWhole && !isPieceOfPool &&
          bytes >= Least && (range.keyIndex || comesAgain(range)));
}

Key *Auditor::keyFor(const KeyId &id, Range &range, const cuda::Region &region, bool &isFirst) {
  auto it = keys.find(id);
  if (it != keys.end())
    return it->second.get();
  isFirst = range.comesFirst(region.address, region.address + region.span(), id.src != 0);
  auto allocation = ledger().find(range.base);
  bool isPiece = allocation && allocation->poolBacking;
  if (isPiece && range.keyIndex) // it became a pool's
    keepFewPlaces(range);
  if (isPiece && range.keys.size() >= KeysOfRange)
    forgetPieces(range);
  if (!hasRoom(range, id.bytes, isPiece) || keys.size() >= KeysOfAll) {
    waste.figures.places += !isFirst;
    return nullptr;
  }
  auto key = std::make_unique<Key>();
  key->id = id;
  key->range = &range;
  key->region = region;
  key->lo = region.address;
  key->hi = region.address + region.span();
  key->hostCanTouch = range.hostCanTouch();
  key->isPiece = isPiece;
  key->isOfVariable = range.byAddress;
  key->isOfPool = range.opaque ? allocation && allocation->isPools : isOfPool(range);
  key->pooled = isPiece || range.resource == GPUINSTR_RES_ASYNC;
  range.reserveKey({key->lo, key->hi, nullptr}); // what may throw comes first: both know it or none
  succeedEnded(*key);
  Key *added = keys.emplace(id, std::move(key)).first->second.get();
  range.addKey({added->lo, added->hi, added});
  return added;
}

GPUINSTR_HOT void Auditor::noteContext(uint64_t context) {
  if (!context || context == onlyContext)
    return;
  if (onlyContext)
    severalContexts.store(true);
  onlyContext = context;
  streams.onlyContext(severalContexts.load() ? 0 : context);
}

/// The hashes of this one are no longer under way.
void Auditor::finishPending(const Pending &p) {
  p.engine->release(p.ticket);
  if (p.key)
    --p.key->pending;
  if (StreamState *stream = p.placed ? streams.at(p.stream) : nullptr; stream && stream->waiting)
    --stream->waiting;
  underWay.fetch_sub(1);
}

void Pending::noteHostWrite(Streams &streams, const StreamState &by, uint64_t lo, uint64_t hi) {
  if (lo >= hostHi || hostLo >= hi)
    return;
  const StreamState *own = streams.at(stream);
  raced |= !own || (own != &by && !Streams::ordered(*own, by));
}

void Auditor::takeAnswers() {
  // In their order: one may need what another before it learns.
  size_t left = 0;
  for (Pending &p : pending) {
    if (takeAnswer(p)) {
      finishPending(p);
      continue;
    }
    if (&pending[left] != &p)
      pending[left] = p;
    ++left;
  }
  pending.resize(left);
  auto done = [&](std::unique_ptr<Key> &key) {
    if (key->pending)
      return false;
    waste.add(*key);
    return true;
  };
  retired.erase(std::remove_if(retired.begin(), retired.end(), done), retired.end());
}

/// The key ends, and with it what was to be asked about it.
void Auditor::dropGuess(Key &key) {
  auto it = std::find_if(guesses.begin(), guesses.end(),
                         [&](const OpenGuess &g) { return g.key == &key; });
  if (it == guesses.end())
    return;
  --key.pending;
  guesses.erase(it);
  openGuesses.store(uint32_t(guesses.size()));
}

uint64_t partOf(const Key &key) {
  const Range *range = key.range;
  if (!range || range->opaque)
    return 0;
  // What one device held serves no other.
  const uint64_t context = auditor().severalContexts.load() ? range->context : 0;
  return key.isWhole() && !context
             ? 0
             : hashMix(hashMix(uploadKey(key), key.lo - range->base), context) | 1;
}

Resent Auditor::resent(const Key &key, const ContentHash &content, uint64_t freedAt) {
  // Of one that is gone, too, its own bytes are less than those that it had.
  return {key.context(), content.first, key.id.bytes,
          freedAt,       key.id.serial, key.range ? uint64_t(key.range->bytes) : key.id.bytes};
}

LastContent *Auditor::lastContentOf(const Key &key) {
  if (key.part) {
    auto it = parts.find(key.part);
    return it == parts.end() ? nullptr : &it->second;
  }
  auto it = uploads.find(uploadKey(key));
  return it == uploads.end() ? nullptr : &it->second;
}

void Auditor::noteDestination(const Key &key) {
  auto it = uploads.find(uploadKey(key));
  if (key.isPiece || it == uploads.end())
    return;
  it->second.mostLive = std::max(it->second.mostLive, ++it->second.live);
  if (key.part && parts.size() < MaxParts)
    it->second.parts += parts.try_emplace(key.part).second;
}

uint64_t Auditor::firstsOf(SiteIndex site, uint64_t bytes) const {
  auto it = uploads.find(uploadKey(site, bytes));
  return parts.size() >= MaxParts ? ~uint64_t(0)
         : it == uploads.end()    ? 1
                                  : std::max({uint64_t(1), it->second.parts, it->second.mostLive});
}

/// Allocates nothing: keys end in places where nothing may fail.
void Auditor::noteEnded(const Key &key) {
  if (auto it = ended.find(uploadKey(key)); it != ended.end())
    it->second.note(key);
}

void Auditor::succeedEnded(Key &key) {
  auto it = ended.find(uploadKey(key));
  const bool isFirst = it == ended.end();
  if (isFirst && ended.size() < MaxEnded)
    ended.try_emplace(uploadKey(key));
  if (isFirst || it->second.keys == 0)
    return;
  --it->second.keys;
  key.firstLooks = it->second.firstLooks;
  key.refusals = it->second.refusals;
  key.isAnew = true;
  key.isSpared = it->second.byBudget;
}

/// What is known of a key whose range goes; without the range from then on, even where this fails.
void Auditor::leaveRange(Key &key, SiteIndex freeSite) {
  struct Leaving {
    Key &key;
    ~Leaving() { key.range = nullptr; }
  } leaving{key};
  dropGuess(key);
  noteEnded(key);
  Range &range = *key.range;
  range.users.addTo(key.users);
  key.unordered = range.unordered;
  key.freeSite = freeSite;
  key.freedAt = Ranges::lastSerial();
  key.contextThen = range.context;
  key.wasSweep = isRepeatedSweep(key);
  if (rewritten.load(std::memory_order_relaxed) == &key)
    rewritten.store(nullptr);
  key.endVersion = version(key);
  bool untouched = key.hasContent && key.contentVersion == key.endVersion;
  if (key.direction == CopyDirection::HostToDevice) {
    noteGone(key);
    if (LastContent *last = lastContentOf(key))
      *last = {freeSite && untouched, key.hasLastContent, key.content, freeSite,
               key.id.serial,         key.freedAt};
  }
  // Of what is known by its first address alone, reads are not.
  const bool isStrange = range.opaque && !key.region.array;
  if (key.unread && freeSite && !key.wasSweep && !isStrange && !range.hostCanTouch() &&
      ranges.readsOf(range) + key.copyReads == key.readsThen)
    waste.addDead(key, freeSite, true);
  isWritten(key); // memory that the program mapped: launches do not tell its range
  sent.retire(key, freeSite, key.version == key.endVersion && !key.lostContent);
  settleTwins(key);
  auto source = bySource.find(key.sourceKey);
  if (source != bySource.end() && source->second == &key)
    bySource.erase(source);
  if (key.sample)
    --samplesKept;
  key.sample.reset();
}

void Auditor::retire(Key &key, SiteIndex freeSite) {
  // Nobody finds it any more. Should anything fail below, it is left where it lies: answers and
  // tables may point to it.
  auto it = keys.find(key.id);
  Key *own = it->second.release();
  keys.erase(it);
  leaveRange(key, freeSite);
  if (key.pending && retired.size() < MaxRetired) {
    retired.emplace_back();
    retired.back().reset(own);
  } else if (!key.pending) {
    waste.add(key);
    delete own;
  }
}

void Auditor::forgetPieces(Range &range) {
  size_t left = KeysOfRange / 2;
  for (bool isRepeated : {false, true})
    for (std::size_t i = 0; left && i < range.keys.size();) {
      Key &key = *range.keys[i].key;
      if (key.pending || (!isRepeated && key.occurrences > 1)) {
        ++i;
        continue;
      }
      range.keys.erase(range.keys.begin() + std::ptrdiff_t(i));
      --left;
      retire(key, 0);
    }
  closeFastPaths();
}

void Auditor::keepFewPlaces(Range &range) {
  std::vector<KeyPlace> kept;
  kept.reserve(range.keys.size());
  range.isWhole = true;
  range.keyIndex.reset();
  // The larger ones are those that the others overlap.
  auto isLarger = [](const KeyPlace &a, const KeyPlace &b) { return a.hi - a.lo > b.hi - b.lo; };
  std::stable_sort(range.keys.begin(), range.keys.end(), isLarger);
  for (const KeyPlace &place : std::exchange(range.keys, {}))
    if (kept.size() < KeysOfRange || place.key->pending)
      kept.push_back(place);
    else
      retire(*place.key, 0);
  range.keys = std::move(kept);
  closeFastPaths();
}

bool Auditor::areTwins(const Key &key) const {
  return key.twin && key.twinKnown && key.range && key.twin->range &&
         version(*key.twin) == key.twinVersion && version(key) == key.ownTwinVersion;
}

/// Before one of two buffers with the same bytes goes: did they hold them to the end?
void Auditor::settleTwins(Key &key) {
  for (Key *owner : {&key, key.twinOf}) {
    if (!owner || !owner->twin)
      continue;
    if (areTwins(*owner))
      waste.addTwin(*owner);
    owner->twin->twinOf = nullptr;
    owner->twin = nullptr;
  }
}

uint64_t Auditor::newsOf(SiteIndex site, uint64_t bytes) const {
  auto it = uploads.find(uploadKey(site, bytes));
  return it == uploads.end() || it->second.news == 0 ? 0 : it->second.news - 1;
}

bool Auditor::isOfPool(Range &range) {
  const uint32_t marked = ledger().poolsMarked();
  if (__builtin_expect(range.poolsThen == marked, true))
    return range.ofPool;
  range.poolsThen = marked;
  auto allocation = ledger().find(range.base);
  return range.ofPool = allocation && allocation->isPools;
}

GPUINSTR_HOT void Auditor::releaseRange(Range &range, SiteIndex freeSite, uint64_t ticks) {
  poll();
  range.keyIndex.reset();
  // Should one fail for want of memory, it is the range's no more.
  std::reverse(range.keys.begin(), range.keys.end());
  if (!range.keys.empty())
    noteFreed(*this, range);
  while (!range.keys.empty()) {
    Key &key = *range.keys.back().key;
    range.keys.pop_back();
    retire(key, freeSite);
  }
  waste.addUnused(range, ranges);
  lifetimes.ended(range, ranges);
  if (range.takesRoom)
    room.freed(range.context, range.bytes);
  if (freeSite)
    advice.freed(range.churn, freeSite, range.allocTicks + ticks);
  if (__builtin_expect(range.byAddress, false))
    variableGone(range);
  ranges.remove(range);
}

void Auditor::dropContext(uint64_t context) {
  std::vector<Range *> gone;
  ranges.each([&](Range &range) {
    if (range.context == context)
      gone.push_back(&range);
  });
  // Their hashes will not arrive any more.
  size_t left = 0;
  for (const Pending &p : pending) {
    const StreamState *stream = streams.at(p.stream);
    if ((p.key && p.key->range && p.key->range->context == context) ||
        (stream && stream->context == context))
      finishPending(p);
    else
      pending[left++] = p;
  }
  pending.resize(left);
  for (Range *range : gone)
    releaseRange(*range, 0, 0);
  streams.forget(context);
  room.forget(context);
  advice.dropContext(context);
  forgetContents(); // of those that are gone none could have been kept
  engineIn.store(0);
  noEngineIn.store(0);
  devicePool.store(0);
  forgetSymbols();
}

void Auditor::clear() {
  pending.clear();
  retired.clear();
  keys.clear();
  forgetContents();
  ended.clear();
  guesses.clear();
  rewritten.store(nullptr);
  openGuesses.store(0);
  deliveries.clear();
  deliveryLooks = 0;
  uniformLooks.clear();
  sampled.clear();
  samplesKept = 0;
  graphs.clear();
  captureTrust = CaptureTrust();
  AuditHot.trustsCapture.store(false);
  cuda::Captures.forgetAnswers();
  bySource.clear();
  waste.clear();
  advice.clear();
  lifetimes.clear();
  room.clear();
  ranges.clear();
  forgetSymbols();
  forgetVariables();
  streams.clear();
  underWay.store(0);
  sideBySide.store(false);
  pageableIsLate.store(false);
  collectives.store(false);
  severalThreads.store(false);
  transferSeen = false;
  sharesMemory.store(false);
  devicePool.store(0);
  onlyContext = 0;
  engineIn.store(0);
  noEngineIn.store(0);
  severalContexts.store(false);
  launchesBefore = ranges.launches.load();
  decided = false;
}

void resetAuditor() {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.clear();
}

} // namespace gpuinstr::audit
