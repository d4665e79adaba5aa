// Tags and versions: what may have read or written each live allocation since when.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/Ranges.h"
#include "base/HotCode.h"
#include "ledger/Ledger.h"
#include <algorithm>

namespace gpuinstr::audit {

GPUINSTR_HOT bool Range::isDevice() const {
  return opaque || (isDeviceMemory(resource) && resource != GPUINSTR_RES_VMM);
}

GPUINSTR_HOT Range &Ranges::fresh() {
  if (Spare.empty()) {
    All.emplace_back();
    Spare.push_back(&All.back());
  }
  Range &r = *Spare.back();
  Spare.pop_back();
  r.serial.store(++Serial, std::memory_order_release);
  // Nobody else has it yet: what publishes it comes later.
  r.unknownAtStart = unknownUses.load(std::memory_order_relaxed);
  r.writer.store(0, std::memory_order_relaxed);
  r.reader.store(0, std::memory_order_relaxed);
  r.irregular.store(0, std::memory_order_relaxed);
  r.use.store(RangeUse::Written, std::memory_order_relaxed);
  r.readBefore.store(0, std::memory_order_relaxed);
  r.used.store(false, std::memory_order_relaxed);
  r.unused.store(true, std::memory_order_relaxed);
  r.escaped.store(false, std::memory_order_relaxed);
  r.global.store(false, std::memory_order_relaxed);
  r.kept.store(false, std::memory_order_relaxed);
  r.written.store(false, std::memory_order_relaxed);
  r.opaque = r.unreadable = r.filled = r.variable = r.constant = r.byAddress = r.beingFreed =
      r.ofPool = r.unordered = r.named = r.holds = r.mayHold = r.takesRoom = false;
  r.namesItself.store(false, std::memory_order_relaxed);
  r.poolsThen = 0;
  r.exported.store(false, std::memory_order_relaxed);
  r.churn = nullptr;
  r.owner = 0;
  r.keys.clear();
  r.keyIndex.reset();
  r.isWhole = false;
  r.reached[0] = r.reached[1] = 0;
  r.users.clear();
  return r;
}

namespace {
bool isDevicesAlone(unsigned resource) {
  return resource == GPUINSTR_RES_DEVICE || resource == GPUINSTR_RES_ASYNC ||
         resource == GPUINSTR_RES_PITCHED;
}
} // namespace

void Range::reserveKey(const KeyPlace &place) {
  if (keys.size() == keys.capacity())
    keys.reserve(2 * keys.size() + 2);
  if (keys.size() >= KeyIndex::From && !keyIndex) {
    auto index = std::make_unique<KeyIndex>();
    for (const KeyPlace &known : keys) {
      index->reserve(known);
      index->add(known);
    }
    keyIndex = std::move(index);
  }
  if (keyIndex)
    keyIndex->reserve(place);
}

void Range::addKey(const KeyPlace &place) {
  keys.push_back(place);
  if (keyIndex)
    keyIndex->add(place);
}

GPUINSTR_HOT Range &Ranges::add(uint64_t base, uint64_t bytes, unsigned resource) {
  Range &r = fresh();
  r.base = base;
  r.bytes = bytes;
  r.resource = uint8_t(resource);
  Live.set(base, &r);
  lowest.store(std::min(lowest.load(std::memory_order_relaxed), base), std::memory_order_relaxed);
  highest.store(std::max(highest.load(std::memory_order_relaxed), r.end()),
                std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  if (!isDevicesAlone(resource))
    hostGeneration.fetch_add(1, std::memory_order_release);
  if (r.hostCanTouch())
    noteShared(r);
  if (__builtin_expect(!Stale.empty(), false))
    inheritStale(r);
  return r;
}

void Ranges::noteNamed(Range &range, bool inVariable) {
  range.used.store(true);
  range.escaped.store(true);
  if (inVariable) {
    range.global.store(true);
    if (range.holds || range.mayHold) // what it names, kernels find over it
      fillVariables();
  }
  range.named = true;
}

void Ranges::noteNamesItself(Range &range) {
  range.used.store(true);
  range.namesItself.store(true);
  if (!range.unused.load())
    range.escaped.store(true);
}

void Ranges::noteHolder(Range *holder) {
  bool &isKnown = holder ? holder->holds : HoldsForGood;
  if (!isKnown)
    ++Holders;
  isKnown = true;
  if (holder && isInVariable(*holder))
    fillVariables();
}

void Ranges::inheritStale(Range &r) {
  bool global = false;
  if (!Stale.anyIn(r.base, r.end(), global))
    return;
  r.named = true;
  r.escaped.store(true);
  r.global.store(global);
}

void Ranges::forgetHolder(const Range &range) {
  const bool isKept = range.kept.load();
  if (isKept) // where, nobody has noted
    noteHolder(nullptr);
  if (range.holds && --Holders == 0)
    Stale.clear(); // with the last memory in which they stood
  else if (range.named || isKept || (range.namesItself.load() && range.escaped.load()))
    Stale.add(range.base, range.end(), range.global.load());
}

GPUINSTR_HOT Range *Ranges::knownOpaque(uint64_t handle) {
  if (Opaque.empty())
    return nullptr;
  auto it = Opaque.find(handle);
  return it == Opaque.end() ? nullptr : it->second;
}

Range *Ranges::opaque(uint64_t handle, uint64_t context) {
  constexpr size_t MaxOpaque = 4096;
  if (Range *known = knownOpaque(handle))
    return known;
  if (Opaque.size() >= MaxOpaque)
    return nullptr;
  Range &r = fresh();
  r.opaque = true;
  r.base = handle;
  r.bytes = 0;
  r.context = context;
  r.device = -1;
  r.resource = GPUINSTR_RES_NONE;
  r.site = r.caller = 0;
  r.used.store(true);
  r.escaped.store(true);
  r.global.store(true);
  Opaque[handle] = &r;
  return &r;
}

GPUINSTR_HOT void Ranges::remove(Range &range) {
  if (range.opaque)
    Opaque.erase(range.base);
  else
    Live.take(range.base);
  generation.fetch_add(1, std::memory_order_release);
  if (!isDevicesAlone(range.resource))
    hostGeneration.fetch_add(1, std::memory_order_release);
  if (range.hostCanTouch())
    forgetShared(range);
  if (__builtin_expect(range.named || range.holds || range.kept.load(std::memory_order_relaxed),
                       false))
    forgetHolder(range);
  leave(range);
}

GPUINSTR_HOT void Ranges::leave(Range &range) {
  range.serial.store(++Serial, std::memory_order_release);
  Spare.push_back(&range);
}

GPUINSTR_HOT Range *Ranges::find(uint64_t address) {
  auto last = Live.floor(address);
  return last && address - last.address < last.value->bytes ? last.value : nullptr;
}

void Ranges::leaveUnscanned() {
  if (unscanned.load())
    return;
  unscannedSince.store(follows.load());
  unscanned.store(true);
}

void Ranges::leaveUnscanned(Range *there) {
  leaveUnscanned();
  if (!there)
    return;
  there->mayHold = true;
  if (isInVariable(*there))
    fillVariables();
}

void Ranges::fillVariables() {
  if (unscanned.load())
    lostUpTo.store(lastSerial());
  if (!variablesHold.load())
    variablesHold.store(true);
}

GPUINSTR_HOT Range *Ranges::overlapping(uint64_t base, uint64_t bytes) {
  if (bytes == 0)
    return find(base);
  auto last = Live.floor(base + bytes - 1); // they have no bytes in common with each other
  return last && (last.address >= base || last.value->end() > base) ? last.value : nullptr;
}

Range *Ranges::findOrEnd(uint64_t address) {
  if (Range *inside = find(address))
    return inside;
  return address ? find(address - 1) : nullptr;
}

Range *Ranges::firstAbove(uint64_t address, uint64_t most) {
  auto behind = Live.above(address);
  return behind && behind.address - address <= most ? behind.value : nullptr;
}

std::pair<uint64_t, uint64_t> Ranges::gapAround(uint64_t address) {
  auto before = Live.floor(address), behind = Live.above(address);
  return {before ? before.value->end() + 1 : 0, behind ? behind.address : UINT64_MAX};
}

void Ranges::clear() {
  Live.each([&](Range &range) { leave(range); });
  for (auto &entry : Opaque)
    leave(*entry.second);
  Live.clear();
  Opaque.clear();
  Stale.clear();
  Holders = 0;
  HoldsForGood = false;
  SharedListed = SharedOthers = 0;
  unscanned.store(false);
  variablesHold.store(false);
  follower.store(0);
  unknown.store(0);
  generation.fetch_add(1, std::memory_order_release);
  hostGeneration.fetch_add(1, std::memory_order_release);
}

void Ranges::noteShared(Range &range) {
  if (SharedListed == SharedMost)
    ++SharedOthers;
  else
    Shared[SharedListed++] = &range;
}

void Ranges::forgetShared(const Range &range) {
  Range **end = Shared + SharedListed, **at = std::find(Shared, end, &range);
  if (at == end)
    --SharedOthers;
  else
    *at = Shared[--SharedListed];
}

Ranges::SharedUses Ranges::sharedUses() const {
  SharedUses uses;
  uses.tooMany = SharedOthers != 0;
  if (!SharedListed || uses.tooMany)
    return uses;
  uses.all = uses.passed = hostGeneration.load();
  for (size_t i = 0; i < SharedListed; ++i) {
    const Range *range = Shared[i];
    const Uses one = usesOf(*range);
    uses.all += one.writes + one.reads;
    const bool isHidden = range->resource == GPUINSTR_RES_MANAGED || range->global.load() ||
                          range->escaped.load() || range->exported.load();
    uses.passed += isHidden ? one.writes + one.reads
                            : LaunchStamp::order(range->writer.load()) +
                                  LaunchStamp::order(range->reader.load());
  }
  return uses;
}

GPUINSTR_HOT uint64_t Ranges::writesOf(const Range &r) const {
  return version(r, r.writer.load(std::memory_order_acquire));
}

GPUINSTR_HOT uint64_t Ranges::readsOf(const Range &r) const {
  return version(r, r.reader.load(std::memory_order_acquire)) + namedReads(r);
}

bool Ranges::readerMayRun(const Range &r, const StreamState &stream, const Streams &streams) const {
  return knownReaderMayRun(r, stream, streams) || writerMayRun(r, stream, streams);
}

} // namespace gpuinstr::audit
