// Copies and sets that leave their allocation or touch freed memory.
// SPDX-License-Identifier: Apache-2.0
//
// The ledger raises a suspicion, the driver confirms it: extents that the ledger believes may be
// outdated by code that we do not see, mappings may be contiguous, and what lies behind registered
// host memory is ordinary memory.
#include "base/HotCode.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/DeviceVariables.h"
#include "cuda/Driver.h"
#include "cuda/ReadableMemory.h"
#include "findings/Findings.h"
#include "ledger/Ledger.h"
#include "memory/MemoryObserver.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace gpuinstr {

namespace {

std::atomic<uint64_t> ForeignOperations{0};

constexpr uint64_t Sets =
    opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_SET_2D) | opBit(GPUINSTR_OP_SET_3D);

/// Whether the host can read the byte, or may: then the address belongs to ordinary memory by now.
bool hostCanRead(uint64_t address) {
  char byte;
  iovec here{&byte, 1}, there{reinterpret_cast<void *>(address), 1};
  return readThroughKernel(here, &there) == 1 || errno != EFAULT;
}

/// End of the allocations that lie back to back from here on, as the driver knows them; mappings
/// of virtual memory management are so. 0: unknown.
uint64_t confirmedEnd(uint64_t address, uint64_t needed) {
  uint64_t at = address;
  for (int steps = 0; steps < 64; ++steps) {
    DriverRange range = driverRange(at);
    if (range.life == Life::Unknown)
      return 0;
    if (range.life == Life::Dead)
      return at == address ? 0 : at;
    at = range.base + range.bytes;
    if (at >= needed)
      return at;
  }
  return 0;
}

class BoundsObserver final : public Observer {
public:
  BoundsObserver()
      : Observer(opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_COPY_2D) | opBit(GPUINSTR_OP_COPY_3D) |
                     opBit(GPUINSTR_OP_COPY_SYMBOL) | opBit(GPUINSTR_OP_COPY_ARRAY) |
                     opBit(GPUINSTR_OP_COPY_BATCH) | Sets,
                 0) {}
  void before(const Call &call) override;
  const ShortLook *shortLook(const gpuinstr_site &site) const override;

private:
  void judge(const Call &call, const cuda::CallOperands &o);
  // `isTold`: there is a finding of this copy. One is enough, of the side that is judged first.
  /// Whether it lies in an allocation that is known.
  bool judge(const Call &call, const cuda::Region &region, RangeCache::Side &last, bool &isTold);
  void judgePastEnd(const Call &call, const cuda::Region &region, const Allocation &live,
                    uint64_t span, bool &isTold);
  /// Whether it may belong to code that is not seen: no finding.
  bool judgeFreed(const Call &call, const cuda::Region &region, bool &isTold);
};

FindingKey keyOf(const Call &call, Pattern pattern, SiteIndex related, SiteIndex owner,
                 SiteIndex ownerCaller) {
  FindingKey key;
  key.pattern = pattern;
  key.site = call.chargedSite;
  key.caller = call.caller;
  key.related = related;
  key.owner = owner;
  key.ownerCaller = ownerCaller;
  return key;
}

GPUINSTR_HOT void BoundsObserver::before(const Call &call) {
  if (call.thread.paused)
    return;
  const cuda::CallOperands &o = call.operands;
  if (o.op == GPUINSTR_OP_COPY_BATCH) {
    cuda::CallOperands item;
    // Judged as far as is cheap: batches may hold thousands.
    for (uint64_t i = 0; i < 64 && batchItem(o, i, item); ++i)
      judge(call, item);
    return;
  }
  judge(call, o);
}

/// Symbols are no allocations, and where the pointers decide nobody knows on which side they are.
GPUINSTR_HOT void BoundsObserver::judge(const Call &call, const cuda::CallOperands &o) {
  using cuda::CopyDirection;
  bool set = opBit(call.operands.op) & Sets, symbol = call.operands.op == GPUINSTR_OP_COPY_SYMBOL;
  bool toDevice = set || o.direction == CopyDirection::HostToDevice ||
                  o.direction == CopyDirection::DeviceToDevice;
  bool fromDevice =
      o.direction == CopyDirection::DeviceToHost || o.direction == CopyDirection::DeviceToDevice;
  RangeCache &cache = call.thread.ranges;
  bool isTold = false;
  const bool dstKnown = judge(call, o.dst, cache.dst, isTold),
             srcKnown = judge(call, o.src, cache.src, isTold);
  auto isForeign = [](const cuda::Region &side, bool isKnown) {
    return side.address && !isKnown && !cuda::isInVariable(side.address, side.span());
  };
  bool foreign =
      (toDevice && isForeign(o.dst, dstKnown)) || (fromDevice && isForeign(o.src, srcKnown));
  if (foreign && !symbol)
    ForeignOperations.fetch_add(1, std::memory_order_relaxed);
}

GPUINSTR_HOT bool BoundsObserver::judge(const Call &call, const cuda::Region &region,
                                        RangeCache::Side &last, bool &isTold) {
  uint64_t span = region.address ? region.span() : 0;
  if (span == 0)
    return true;
  RangeCache &cache = call.thread.ranges;
  Ledger &all = ledger();
  if (last.address == region.address && last.span == span && all.isCurrent(cache))
    return last.isKnown;
  if (all.knownHarmless(cache, region.address, span)) {
    last = {region.address, span, !all.knownGap(cache, region.address)};
    return last.isKnown;
  }
  if (auto live = all.findAndCache(cache, region.address)) {
    if (span > live->bytes - (region.address - live->address))
      judgePastEnd(call, region, *live, span, isTold);
    return true;
  }
  return !judgeFreed(call, region, isTold);
}

void BoundsObserver::judgePastEnd(const Call &call, const cuda::Region &region,
                                  const Allocation &live, uint64_t span, bool &isTold) {
  // What follows registered host memory is the program's own.
  if (live.resource == GPUINSTR_RES_REGISTERED || live.graphOwned)
    return;
  uint64_t needed;
  if (__builtin_add_overflow(region.address, span, &needed))
    needed = UINT64_MAX;
  DriverRange first = driverRange(region.address);
  if (first.life != Life::Alive || first.base + first.bytes >= needed)
    return;
  uint64_t end = first.base + first.bytes;
  if (live.resource == GPUINSTR_RES_MAPPING)
    end = confirmedEnd(region.address, needed);
  if (end == 0 || end >= needed)
    return;
  // Pinned memory is host memory too: what follows may be ordinary memory that the copy may touch.
  if (live.resource == GPUINSTR_RES_PINNED && hostCanRead(end))
    return;
  if (std::exchange(isTold, true))
    return;
  FindingKey key = keyOf(call, Pattern::OutOfBoundsCopy, live.site, live.site, live.caller);
  key.resource = live.resource;
  key.name = live.name;
  recordFinding(key, call.operands.bytes, [&](FindingRecord &record) {
    record.past = std::max(record.past, needed - end);
    record.capacity = live.bytes;
  });
}

bool BoundsObserver::judgeFreed(const Call &call, const cuda::Region &region, bool &isTold) {
  auto freed = ledger().findFreed(region.address);
  // Freed host memory is soon ordinary memory again, and nobody can say of whom.
  if (!freed || freed->resource == GPUINSTR_RES_PINNED ||
      freed->resource == GPUINSTR_RES_REGISTERED)
    return true;
  DriverRange range = driverRange(region.address);
  if (range.life == Life::Alive) {
    // Given out again by code that we do not see, or stream-ordered memory that still serves.
    if (!freed->async)
      ledger().forgetFreed(freed->address);
    return !freed->async;
  }
  // On the simulated device the host can read everything: its driver's word is all there is.
  if (range.life != Life::Dead || (!driverIsSimulated() && hostCanRead(region.address)))
    return false;
  if (std::exchange(isTold, true))
    return false;
  FindingKey key =
      keyOf(call, Pattern::CopyAfterFree, freed->site, freed->allocSite, freed->allocCaller);
  key.name = freed->name;
  key.resource = freed->resource;
  recordFinding(key, call.operands.bytes);
  return false;
}

// ---- Where they come again and again ----

/// Whether there is nothing to judge or to count: it lies in one allocation that is known, or where
/// none is, and it is not said to be the device's.
GPUINSTR_HOT bool isHarmless(ThreadState &thread, uint64_t address, uint64_t bytes,
                             bool isDevices) {
  if (address == 0 || bytes == 0)
    return false;
  RangeCache &cache = thread.ranges;
  Ledger &all = ledger();
  if (!all.knownHarmless(cache, address, bytes)) {
    BusyScope busy(thread);
    all.findAndCache(cache, address);
    if (!all.knownHarmless(cache, address, bytes))
      return false;
  }
  return !isDevices || !all.knownGap(cache, address) || cuda::isInVariable(address, bytes);
}

GPUINSTR_HOT bool isSetInside(ThreadState &thread, const gpuinstr_frame &frame) {
  return isHarmless(thread, frame.slot[GPUINSTR_SLOT_DST], frame.slot[GPUINSTR_SLOT_BYTES], true);
}
GPUINSTR_HOT bool isCopyInside(ThreadState &thread, const gpuinstr_frame &frame) {
  const uint64_t generation = ledger().generation(), dst = frame.slot[GPUINSTR_SLOT_DST],
                 src = frame.slot[GPUINSTR_SLOT_SRC], bytes = frame.slot[GPUINSTR_SLOT_BYTES];
  const auto direction = cuda::directionOf(*frame.site, frame.slot[GPUINSTR_SLOT_KIND]);
  const uint64_t what = bytes ^ static_cast<uint64_t>(direction) << 60;
  LookMemo::Inside &last = lookedOf(thread).inside;
  if (__builtin_expect(last.generation == generation && last.dst == dst && last.src == src &&
                           last.what == what,
                       true))
    return true;
  using cuda::CopyDirection;
  const bool isWithin = direction == CopyDirection::DeviceToDevice;
  if (!isHarmless(thread, dst, bytes, isWithin || direction == CopyDirection::HostToDevice) ||
      !isHarmless(thread, src, bytes, isWithin || direction == CopyDirection::DeviceToHost))
    return false;
  last = {generation, dst, src, what};
  return true;
}

GPUINSTR_HOT_DATA ShortLook SetInside = {isSetInside, nullptr},
                            CopyInside = {isCopyInside, nullptr, nullptr, true};

const ShortLook *BoundsObserver::shortLook(const gpuinstr_site &site) const {
  constexpr uint32_t OfSet = 1u << GPUINSTR_SLOT_DST | 1u << GPUINSTR_SLOT_BYTES,
                     OfCopy = OfSet | 1u << GPUINSTR_SLOT_SRC;
  if (site.op == GPUINSTR_OP_SET && (site.slots & OfSet) == OfSet)
    return &SetInside;
  return site.op == GPUINSTR_OP_COPY && (site.slots & OfCopy) == OfCopy ? &CopyInside : nullptr;
}

} // namespace

uint64_t foreignOperations() { return ForeignOperations.load(); }
void forgetForeignOperations() { ForeignOperations.store(0); }

void addBoundsObserver() {
  static BoundsObserver *observer = new BoundsObserver; // leaked: used during exit
  addObserver(*observer);
}

} // namespace gpuinstr
