// Advice that needs no bytes: repeated allocations, rows of small copies.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/AdviceDetectors.h"
#include "audit/state/WasteFindings.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "base/HotCode.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace gpuinstr::audit {

namespace {
constexpr uint64_t LeastOfSizes = 8;
constexpr uint64_t LeastWaits = 2; ///< one alone may be there to be on the safe side
constexpr uint64_t LeastWaitsBefore = 3;
constexpr size_t MaxChurns = 4096; ///< sites that allocate ever other sizes
constexpr uint64_t LeastRow = 8, SmallCopy = 65536;
/// With allocations or copies the other way: a program's first arrays are no more.
constexpr uint64_t LeastMixedRow = 32;

uint64_t placeKey(SiteIndex site, SiteIndex caller, uint64_t bytes) {
  return hashMix(hashMix(site, caller), bytes);
}

/// Of a pool the memory costs little each time: that is what pools are for.
bool isDear(unsigned resource) { return resource != GPUINSTR_RES_ASYNC; }
} // namespace

GPUINSTR_HOT bool Lives::end(SiteIndex by) {
  if (live == 0)
    return false;
  --live;
  freeSite = by;
  freedAt = Ranges::lastSerial();
  const bool wasAlone = !overlapped;
  overlapped &= live != 0;
  return wasAlone;
}

void Lives::leaveContext(uint64_t least) {
  overlapped = false;
  live = freedAt = 0;
  if (cycles < least)
    cycles = ticks = 0;
}

GPUINSTR_HOT void Churn::end(SiteIndex freedAt, uint64_t ticksOfBoth) {
  if (!Lives::end(freedAt))
    return;
  ++cycles;
  ticks += ticksOfBoth;
}

GPUINSTR_HOT void SizesChurn::begin(uint64_t size) {
  Lives::begin();
  largest = std::max(largest, size);
  fits = size <= room;
  if (!fits)
    room = std::max(size, room + room / 4);
}

GPUINSTR_HOT void SizesChurn::end(uint64_t size, SiteIndex freedAt, uint64_t ticksOfBoth) {
  if (!Lives::end(freedAt) || !fits)
    return;
  ++cycles;
  bytes += size;
  ticks += ticksOfBoth;
}

void Churn::handOver(uint64_t startTicks) {
  if (cycles >= LeastCycles) {
    earlierCycles += cycles;
    earlierTicks += ticks;
  }
  cycles = ticks = 0;
  since = startTicks;
}

Churn *AdviceDetectors::churnAt(const Range &range, const ThreadState *thread) {
  // One buffer does not serve two devices.
  const uint64_t place =
      hashMix(placeKey(range.site, range.caller, range.bytesAsked), range.context);
  const uint64_t key = thread ? hashMix(place, uint64_t(uintptr_t(thread))) : place;
  if (Churns.size() >= MaxChurns && !Churns.count(key))
    return nullptr;
  Churn &churn = Churns[key];
  churn.site = range.site;
  churn.caller = range.caller;
  churn.context = range.context;
  churn.bytes = range.bytesAsked;
  churn.resource = uint16_t(range.resource);
  churn.thread = thread;
  churn.sizes = thread ? nullptr : sizesAt(range);
  if (thread && churn.since != thread->startTicks)
    churn.handOver(thread->startTicks);
  return &churn;
}

/// As many as there are churns at most.
SizesChurn *AdviceDetectors::sizesAt(const Range &range) {
  SizesChurn &sizes = Sizes[hashMix(placeKey(range.site, range.caller, 0), range.context)];
  sizes.site = range.site;
  sizes.caller = range.caller;
  sizes.context = range.context;
  sizes.resource = uint16_t(range.resource);
  return &sizes;
}

GPUINSTR_HOT Churn *AdviceDetectors::allocated(const Range &range, const ThreadState &thread) {
  if (!isDear(range.resource))
    return nullptr;
  if (!Last || Last->site != range.site || Last->caller != range.caller ||
      Last->context != range.context || Last->bytes != range.bytesAsked ||
      Last->thread != &thread || Last->since != thread.startTicks) {
    Churn *all = churnAt(range, nullptr), *own = all ? churnAt(range, &thread) : nullptr;
    if (!own) {
      if (all) {
        all->begin();
        all->sizes->begin(all->bytes);
      }
      return all;
    }
    own->all = all;
    Last = own;
  }
  Last->begin();
  Last->all->begin();
  Last->all->sizes->begin(Last->bytes);
  return Last;
}

GPUINSTR_HOT void AdviceDetectors::freed(Churn *churn, SiteIndex freeSite, uint64_t ticksOfBoth) {
  if (!churn)
    return;
  churn->end(freeSite, ticksOfBoth);
  Churn *all = churn->all ? churn->all : churn;
  if (all != churn)
    all->end(freeSite, ticksOfBoth);
  if (all->sizes)
    all->sizes->end(all->bytes, freeSite, ticksOfBoth);
}

void AdviceDetectors::noteRoom(Churn &churn, const Range &made, const RoomToKeep &room) {
  Churn &all = churn.all ? *churn.all : churn;
  for (Lives *lives : {static_cast<Lives *>(&all), static_cast<Lives *>(all.sizes)})
    if (lives && lives->freedAt && !lives->lacksRoom)
      lives->lacksRoom = !room.has({made.context, uint64_t(uintptr_t(lives)), made.bytes,
                                    lives->freedAt, made.serial, made.bytes});
}

void AdviceDetectors::handleMade(uint64_t handle, const Range &range, const ThreadState &thread) {
  constexpr size_t Most = 65536; // that are never ended
  if (Handles.size() >= Most)
    return;
  if (Churn *churn = allocated(range, thread))
    Handles[hashMix(handle, range.resource)] = {churn, range.context, range.allocTicks};
}

void AdviceDetectors::handleGone(unsigned resource, uint64_t handle, SiteIndex freeSite,
                                 uint64_t ticks) {
  auto found = Handles.find(hashMix(handle, resource));
  if (found == Handles.end())
    return;
  freed(found->second.churn, freeSite, found->second.ticks + ticks);
  Handles.erase(found);
}

void AdviceDetectors::dropContext(uint64_t context) {
  for (auto live = Handles.begin(); live != Handles.end();)
    live = live->second.context == context ? Handles.erase(live) : std::next(live);
  for (auto &entry : Churns)
    if (entry.second.context == context)
      entry.second.leaveContext(LeastCycles);
  for (auto &entry : Sizes) {
    SizesChurn &sizes = entry.second;
    if (sizes.context != context)
      continue;
    sizes.leaveContext(LeastOfSizes);
    sizes.room = 0;
    if (sizes.cycles == 0)
      sizes.bytes = sizes.largest = 0;
  }
}

void AdviceDetectors::needless(const Call &call, uint64_t ticks) {
  Wait &w = Waits[placeKey(call.chargedSite, call.caller, 0)];
  w.site = call.chargedSite;
  w.caller = call.caller;
  ++w.count;
  w.ticks += ticks;
}

void AdviceDetectors::needlessBefore(SiteIndex freeSite, SiteIndex site, SiteIndex caller) {
  Wait &w = Waits[placeKey(site, caller, freeSite)];
  w.site = site;
  w.caller = caller;
  w.freeSite = freeSite;
  ++w.count; // without it the free would wait as long: no time is won
}

void AdviceDetectors::needlessBetween(SiteIndex site, SiteIndex caller) {
  needlessBefore(site, site, caller);
}

void AdviceDetectors::clear() {
  for (auto &entry : Churns)
    entry.second = Churn();
  for (auto &entry : Sizes)
    entry.second = SizesChurn();
  Last = nullptr;
  Handles.clear();
  Waits.clear();
}

/// What a library waits for inside its own calls, its user cannot change.
static bool isOfLibrary(SiteIndex index) {
  const gpuinstr_site *site = siteAt(index);
  return site && (site->op == GPUINSTR_OP_REGION || site->op == GPUINSTR_OP_LIBRARY);
}

void AdviceDetectors::flush(WasteFindings &waste, bool unseenCode) const {
  for (auto &entry : Waits) {
    const Wait &w = entry.second;
    if (w.count < (w.freeSite ? LeastWaitsBefore : LeastWaits) || unseenCode || isOfLibrary(w.site))
      continue;
    FindingKey key;
    key.pattern = Pattern::NeedlessSync;
    key.grade = Grade::Advice;
    key.site = w.site;
    key.caller = w.caller;
    key.related = w.freeSite;
    waste.add(key, w.count, 0, w.ticks);
  }
  flushChurns(waste);
}

/// Where most have sizes of their own: one buffer as large as the largest would do.
void AdviceDetectors::flushSizes(WasteFindings &waste, ToldOfSize &told) const {
  for (auto &entry : Sizes) {
    const SizesChurn &all = entry.second;
    auto [ofSize, isNew] = told.try_emplace(&all, 0);
    if (all.cycles < LeastOfSizes || all.cycles <= ofSize->second || all.lacksRoom)
      continue;
    ofSize->second = 0;
    FindingKey key;
    key.pattern = Pattern::AllocChurn;
    key.grade = Grade::Advice;
    key.site = all.site;
    key.caller = all.caller;
    key.related = all.freeSite;
    key.resource = all.resource;
    waste.add(key, all.cycles, all.bytes, all.ticks);
    waste.noteLargest(key, all.largest);
  }
}

/// One buffer would do, or one for each thread.
void AdviceDetectors::flushChurns(WasteFindings &waste) const {
  std::unordered_map<const Churn *, Churn> byThreads;
  for (auto &entry : Churns) {
    Churn own = entry.second;
    if (!own.all)
      continue;
    own.handOver(0);
    if (!own.earlierCycles)
      continue;
    Churn &sum = byThreads[own.all];
    sum.cycles += own.earlierCycles;
    sum.ticks += own.earlierTicks;
  }
  struct OfSize {
    const Churn &place;
    uint64_t cycles, ticks;
  };
  std::vector<OfSize> found;
  ToldOfSize told;
  for (auto &entry : Churns) {
    const Churn &all = entry.second;
    if (all.thread)
      continue;
    const auto threads = byThreads.find(&all);
    const bool isByThreads = threads != byThreads.end() && threads->second.cycles > all.cycles;
    const Churn &c = isByThreads ? threads->second : all;
    if (c.cycles < LeastCycles || all.lacksRoom)
      continue;
    found.push_back({all, c.cycles, c.ticks});
    told[all.sizes] += c.cycles;
  }
  flushSizes(waste, told);
  for (const OfSize &one : found) {
    const Churn &all = one.place;
    if (told[all.sizes] == 0) // with the other sizes
      continue;
    FindingKey key;
    key.pattern = Pattern::AllocChurn;
    key.grade = Grade::Advice;
    key.site = all.site;
    key.caller = all.caller;
    key.related = all.freeSite;
    key.resource = all.resource;
    waste.add(key, one.cycles, one.cycles * all.bytes, one.ticks);
  }
}

GPUINSTR_HOT void CopyRow::noteLine(SiteIndex by, SiteIndex from, uint64_t times) {
  static_assert(LeastMixedRow <= MaxPlaces);
  for (unsigned i = 0; i < numPlaces; ++i)
    if (places[i].site == by && places[i].caller == from) {
      places[i].times += times;
      return;
    }
  if (numPlaces < MaxPlaces)
    places[numPlaces++] = {by, from, times};
}

void CopyRow::takeName() {
  const Place *most = std::max_element(
      places, places + numPlaces, [](auto &one, auto &other) { return one.times < other.times; });
  site = most->site;
  caller = most->caller;
}

void CopyRows::turn(CopyDirection towards, SiteIndex by, SiteIndex from, uint64_t launched) {
  const CopyDirection before = std::exchange(direction, towards);
  CopyRow &row = of(towards), &other = &row == &Both[0] ? Both[1] : Both[0];
  auto isWithHost = [](CopyDirection one) {
    return one == CopyDirection::HostToDevice || one == CopyDirection::DeviceToHost;
  };
  const bool isBeside = before != towards && isWithHost(before) && isWithHost(towards) &&
                        other.direction == before && other.launches == launched;
  if (!isBeside) {
    other.end();
    return row.begin(towards, by, from, launched);
  }
  if (row.direction != towards || row.launches != launched)
    row.begin(towards, by, from, launched);
  row.isMixed = other.isMixed = true;
}

GPUINSTR_HOT void continueRow(CopyRows &rows, SiteIndex site, SiteIndex caller, const Alike &copies,
                              CopyDirection direction, WasteFindings &waste) {
  if (direction == CopyDirection::Unknown || copies.bytes > SmallCopy || copies.bytes == 0) {
    rows.end();
    return;
  }
  CopyRow &row = rows.of(direction);
  const uint64_t launches = Ranges::launches.load(std::memory_order_relaxed);
  if (direction != rows.direction || launches != row.launches)
    rows.turn(direction, site, caller, launches);
  row.count += copies.times;
  row.bytes += copies.times * copies.bytes;
  row.ticks += copies.ticks;
  if (row.isTold) {
    if (waste.addAt(WasteFindings::Often::InRow, row.record, copies))
      return;
  } else {
    row.noteLine(site, caller, copies.times);
    if (row.count < (row.allocates || row.isMixed ? LeastMixedRow : LeastRow))
      return;
    row.takeName();
  }
  FindingKey key;
  key.pattern = Pattern::SmallCopies;
  key.grade = Grade::Advice;
  key.site = row.site;
  key.caller = row.caller;
  if (row.isTold)
    waste.add(key, copies.times, copies.times * copies.bytes, copies.ticks);
  else
    waste.add(key, row.count, row.bytes, row.ticks);
  waste.noteRow(row.allocates, row.isMixed);
  row.record = waste.place();
  row.isTold = true;
}

bool UniformPattern::find(const char *data, uint64_t bytes) {
  for (unsigned word : {4, 8}) {
    if (std::memcmp(data + At, data + At + word, 2 * word) != 0)
      continue;
    Word = word;
    for (unsigned i = 0; i < Head; i += Word)
      std::memcpy(Block + i, data + At, Word);
    return others(data, std::min(bytes, Head)) <= Few;
  }
  return false;
}

uint64_t UniformPattern::others(const char *data, uint64_t bytes) const {
  uint64_t found = 0;
  for (uint64_t at = 0; at < bytes && found <= Few; at += Head) {
    uint64_t size = std::min(bytes - at, Head);
    if (std::memcmp(data + at, Block, size) == 0)
      continue;
    for (uint64_t i = 0; i < size && found <= Few; i += Word)
      found += std::memcmp(data + at + i, Block + i, std::min(size - i, uint64_t(Word))) != 0;
  }
  return found;
}

bool UniformPattern::isAlike(const char *data, uint64_t bytes, uint64_t places) const {
  constexpr uint64_t Width = 64;
  places = std::min(places, (bytes - Width) / Width);
  uint64_t step = (bytes - Width) / places / Width * Width, found = 0;
  for (uint64_t i = 1; i <= places && found <= 1; ++i)
    found += others(data + i * step, Width) != 0;
  found += others(data + (bytes - Width) / Width * Width, Width) != 0;
  return found <= 1;
}

} // namespace gpuinstr::audit
