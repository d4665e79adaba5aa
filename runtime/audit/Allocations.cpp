// Allocations and frees: the ranges that transfers are judged in, and when the engine is made.
// SPDX-License-Identifier: Apache-2.0
#include "audit/Handles.h"
#include "audit/engine/DeviceHasher.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/scheduling/ShortLooks.h"
#include "audit/state/Symbols.h"
#include "audit/state/ThreadAuditState.h"
#include "base/HotCode.h"
#include "calls/code/UnseenCode.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"
#include "ledger/Ledger.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

/// Host memory that is slow or wrong to read.
bool isUnreadable(const cuda::CallOperands &o) {
  constexpr uint64_t WriteCombined = 4; // cudaHostAllocWriteCombined, CU_MEMHOSTALLOC_WRITECOMBINED
  constexpr uint64_t IoMemory = 4;      // cudaHostRegisterIoMemory, CU_MEMHOSTREGISTER_IOMEMORY
  uint64_t kind = o.slot(GPUINSTR_SLOT_KIND);
  return (o.resource == GPUINSTR_RES_PINNED && (kind & WriteCombined)) ||
         (o.resource == GPUINSTR_RES_REGISTERED && (kind & IoMemory));
}

/// Host and kernels may both reach it, and kernels by other addresses than the host: a wait may be
/// what keeps them apart.
bool hasTwoAddresses(unsigned resource) {
  return resource == GPUINSTR_RES_REGISTERED || resource == GPUINSTR_RES_MAPPING;
}

bool isArray(unsigned resource) {
  return resource == GPUINSTR_RES_ARRAY || resource == GPUINSTR_RES_MIPMAPPED;
}

bool isTracked(unsigned resource) { return isMemory(resource) && resource != GPUINSTR_RES_MAPPING; }

} // namespace

bool mayWantEngine(const Auditor &a, uint64_t context) {
  return a.verifies && !(context && a.engineIn.load(std::memory_order_relaxed) == context);
}

namespace {

/// What came back; attributed as the thread's outermost call is.
struct NewMemory {
  uint64_t address, bytes, asked; ///< asked: as the program gave it
  unsigned resource;
  bool isUnreadable;
};

GPUINSTR_HOT inline ThreadAuditState &endRows(ThreadState &thread, unsigned resource) {
  ThreadAuditState &local = auditStateOf(thread);
  if (UNLIKELY(AuditHot.runIsOpen.load(std::memory_order_acquire)))
    endRun(); // its copies are part of the row
  endWait(local, GPUINSTR_OP_ALLOC, resource);
  local.row.noteAllocation(resource);
  local.context = surroundingsOf(thread).context;
  return local;
}

GPUINSTR_HOT void noteMemory(Auditor &a, ThreadState &thread, const NewMemory &made,
                             uint64_t ticks) {
  const uint64_t context = auditStateOf(thread).context;
  std::lock_guard<AuditMutex> lock(a.mutex);
  // Freed by code that we do not see.
  while (Range *old = a.ranges.overlapping(made.address, made.bytes))
    a.releaseRange(*old, 0, 0);
  a.noteContext(context);
  Range &r = a.ranges.add(made.address, made.bytes, made.resource);
  r.context = context;
  r.device = surroundingsOf(thread).device;
  r.site = thread.root.site;
  r.caller = thread.root.caller;
  r.bytesAsked = made.asked;
  r.allocTicks = ticks;
  r.unreadable = made.isUnreadable;
  a.lifetimes.began(r);
  r.takesRoom = made.resource >= GPUINSTR_RES_DEVICE && made.resource <= GPUINSTR_RES_PITCHED;
  if (r.takesRoom)
    a.room.made(context, r.serial, r.bytes);
  if (!thread.paused)
    r.churn = a.advice.allocated(r, thread);
  if (r.takesRoom && r.churn && UNLIKELY(a.room.isMuch(context, r.bytes)))
    AdviceDetectors::noteRoom(*r.churn, r, a.room);
}

/// A context may go unseen, as by the last cuDevicePrimaryCtxRelease, and another one get its
/// handle: no hash may be put on what lay in the first.
void dropGone(Auditor &a, uint64_t context) {
  std::vector<std::pair<uint64_t, uint64_t>> known; // by address: serials
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.ranges.each([&](Range &range) {
      if (range.context == context && !range.opaque && range.isDevice())
        known.emplace_back(range.base, range.serial.load());
    });
  }
  bool isAnyGone = false;
  for (const auto &[address, serial] : known) {
    if (lifeAt(address) != gpuinstr::Life::Dead)
      continue;
    std::lock_guard<AuditMutex> lock(a.mutex);
    Range *range = a.ranges.find(address);
    if (!range || range->serial.load() != serial)
      continue;
    a.releaseRange(*range, 0, 0);
    isAnyGone = true;
  }
  if (!isAnyGone)
    return;
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.forgetContents(); // none of them could have been kept
  forgetSymbols();
}

void tryEngine(Auditor &a, uint64_t context) {
  bool hasEngine = EngineSource(false) != nullptr;
  if (!hasEngine && cuda::Captures.anyOpen())
    return;
  const bool isWanted = !hasEngine && !unseenCodeRunsKernels();
  // Each allocation is asked for: not by every try in a context that gets none.
  if (isWanted && a.noEngineIn.load(std::memory_order_relaxed) != context)
    if (const uint64_t now = currentContext(); now && hadEngine(now))
      dropGone(a, now);
  if (isWanted)
    if (const DeviceHasher *made = EngineSource(true)) {
      hasEngine = true;
      std::lock_guard<AuditMutex> lock(a.mutex);
      a.room.noteLeft(context, made->bytesLeft());
    }
  a.noEngineIn.store(hasEngine ? 0 : context, std::memory_order_relaxed);
  if (hasEngine)
    a.engineIn.store(context, std::memory_order_relaxed);
}

/// Where the call may wait anyway, with nothing pending.
void makeEngineIfIdle(Auditor &a, uint64_t context) {
  if (mayWantEngine(a, context) && isWorthTrying(a, context))
    tryEngineIfIdle(a, context);
}

/// A stream-ordered allocation or free takes effect when its stream gets there.
void noteInStream(Auditor &a, const Call &call, const ThreadAuditState &local) {
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.streams.put(a.streams.of(call.operands.stream, local.context, &call.thread));
}

/// Pools that the program names may be of managed memory, or of the host's: the driver says so of
/// what they give. Of the device's it is not asked again.
unsigned resourceOf(Auditor &a, const cuda::CallOperands &o, uint64_t address) {
  const uint64_t pool = o.resource == GPUINSTR_RES_ASYNC ? o.slot(GPUINSTR_SLOT_FUNC) : 0;
  if (!pool || pool == a.devicePool.load(std::memory_order_relaxed))
    return o.resource;
  if (cuda::isSharedWithHost(address))
    return GPUINSTR_RES_MANAGED;
  a.devicePool.store(pool, std::memory_order_relaxed);
  return o.resource;
}

} // namespace

void noteAllocated(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  ThreadAuditState &local = endRows(call.thread, o.resource);
  if (hasTwoAddresses(o.resource))
    a.sharesMemory.store(true, std::memory_order_relaxed);
  if (o.resource == GPUINSTR_RES_ASYNC && call.result == 0)
    noteInStream(a, call, local); // other streams may use it only behind that
  const cuda::Made made = call.result == 0 ? resultOf(o) : cuda::Made();
  if (made.address && isArray(o.resource))
    noteHandleMade(call, made.address, ticks);
  if (!made.address || !isTracked(o.resource))
    return;
  const unsigned resource = resourceOf(a, o, made.address);
  noteMemory(a, call.thread, {made.address, made.bytes, o.bytes, resource, isUnreadable(o)}, ticks);
  bool blocks = o.resource == GPUINSTR_RES_DEVICE || o.resource == GPUINSTR_RES_PITCHED ||
                o.resource == GPUINSTR_RES_MANAGED || o.resource == GPUINSTR_RES_PINNED;
  if (blocks)
    makeEngineIfIdle(a, local.context);
}

GPUINSTR_HOT bool isWorthTrying(Auditor &a, uint64_t context) {
  constexpr uint32_t Patience = 64;
  return !context || a.noEngineIn.load(std::memory_order_relaxed) != context ||
         a.noEngineCalls.fetch_add(1, std::memory_order_relaxed) % Patience == 0;
}

GPUINSTR_HOT void makeEngine(Auditor &a, uint64_t context) {
  if (mayWantEngine(a, context) && isWorthTrying(a, context))
    tryEngine(a, context);
}

void tryEngineIfIdle(Auditor &a, uint64_t context) {
  std::unique_lock<AuditMutex> lock(a.mutex);
  const bool isIdle = a.streams.quietIn(context);
  lock.unlock();
  if (isIdle)
    tryEngine(a, context);
}

GPUINSTR_HOT void noteTransferUse(Auditor &a, const Call &call, Range *dst, Range *src) {
  const cuda::CallOperands &o = call.operands;
  for (Range *range : {dst, src})
    if (range) {
      range->used.store(true, std::memory_order_relaxed); // also by one of a batch, or of a graph
      bool fills = range == dst && !src && !o.src.array && o.op != GPUINSTR_OP_PREFETCH;
      a.lifetimes.used(*range, a.ranges, call.chargedSite, fills);
    }
  // Of three dimensions to or from an array: the linear side is not read from its struct.
  if (o.op == GPUINSTR_OP_COPY_3D && (o.dst.array || o.src.array))
    a.ranges.unknownUses.fetch_add(1);
}

/// True: transfers went to or from there.
GPUINSTR_HOT static bool beginFree(Auditor &a, ThreadAuditState &local, uint64_t address) {
  std::unique_lock<InlineMutex> placing(a.placing, std::defer_lock);
  if (a.severalThreads.load(std::memory_order_relaxed))
    placing.lock(); // of another thread's look at it, which goes in before the free or not at all
  std::lock_guard<AuditMutex> lock(a.mutex);
  Range *range = a.ranges.find(address);
  if (Range *opaque = a.ranges.knownOpaque(address))
    range = opaque; // an array
  local.freeing = range && range->base == address ? range : nullptr;
  local.freeingSerial = range ? range->serial.load() : 0;
  if (!local.freeing)
    return false;
  local.freeingChurn = range->churn;
  local.freeingAllocTicks = range->allocTicks;
  local.freeing->beingFreed = true;
  local.freed = {a.ranges.launches.load(), Streams::Puts.load(), 0};
  Auditor::isOfPool(*local.freeing); // afterwards the ledger does not know it any more
  return !local.freeing->keys.empty();
}

void beforeFree(const Call &call) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  bool hasCopies = beginFree(a, local, call.operands.dst.address);
  if (!hasCopies || cuda::Captures.anyOpen())
    return;
  lookBeforeFree(a, call, local);
  lookAtOverwritten(a, call, local);
}

namespace {

bool waitsForDevice(const Range &freed) {
  return freed.resource == GPUINSTR_RES_DEVICE || freed.resource == GPUINSTR_RES_PITCHED;
}

/// cudaFree waits for the device: a synchronisation right before it is one too many.
void noteWaitBefore(Auditor &a, ThreadAuditState &local, SiteIndex site, bool isKnown) {
  SiteIndex waited = local.waitedAt;
  local.waitedAt = 0;
  if (!waited || !isKnown || !local.waitedBeforeFree ||
      local.waitedOrder != Ranges::launches.load())
    return;
  if (waitsForDevice(*local.freeing))
    a.advice.needlessBefore(site, waited, local.waitedCaller);
}

/// With the lock held.
GPUINSTR_HOT void endFree(Auditor &a, ThreadAuditState &local, SiteIndex site, bool failed,
                          bool isGone, uint64_t ticks) {
  bool isSame = local.freeing && local.freeing->serial == local.freeingSerial;
  noteWaitBefore(a, local, site, isSame && !failed);
  if (isSame)
    local.freeing->beingFreed = false;
  // One right behind it, too, whose wait was this one (Syncs.cpp).
  local.freed.context =
      isSame && isGone && waitsForDevice(*local.freeing) ? local.freeing->context : 0;
  if (isGone && isSame)
    a.releaseRange(*local.freeing, site, ticks);
  else if (isGone && site && local.freeing) // another thread got its address meanwhile
    a.advice.freed(local.freeingChurn, site, local.freeingAllocTicks + ticks);
  local.freeing = nullptr;
}

} // namespace

void noteFreed(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  // What is unmapped lives on, and can be mapped again: nothing that was written to it is dead.
  const bool isUnmapped = call.operands.resource == GPUINSTR_RES_MAPPING;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    endFree(a, local, isUnmapped ? 0 : call.chargedSite, call.failed, call.result == 0, ticks);
  }
  if (call.result == 0 && isArray(call.operands.resource))
    noteHandleGone(call, ticks);
  if (call.operands.resource == GPUINSTR_RES_ASYNC && call.result == 0)
    noteInStream(a, call, local);
}

// ---- Where they come again and again ----

namespace {

uint64_t ticksOf(const RootCall &root) { return root.end - root.start; }

bool beforeShortAlloc(ThreadState &, const gpuinstr_frame &) { return true; }
GPUINSTR_HOT void afterShortAlloc(ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
  look(thread, [&] {
    Auditor &a = auditor();
    ThreadAuditState &local = endRows(thread, frame.site->resource);
    const auto *place = reinterpret_cast<const uint64_t *>(frame.slot[GPUINSTR_SLOT_DST]);
    const uint64_t bytes = frame.slot[GPUINSTR_SLOT_BYTES];
    if (!place || !*place)
      return;
    noteMemory(a, thread, {*place, bytes, bytes, frame.site->resource, false},
               ticksOf(thread.root));
    if (UNLIKELY(mayWantEngine(a, local.context))) {
      UncancelledScope uncancelled;
      makeEngineIfIdle(a, local.context);
    }
  });
}

/// Memory that copies went to is looked at before it goes.
GPUINSTR_HOT bool beforeShortFree(ThreadState &thread, const gpuinstr_frame &frame) {
  ThreadAuditState &local = auditStateOf(thread);
  if (UNLIKELY(local.waitedQuietly || mayCapture()))
    return false;
  bool isShort = false;
  look(thread, [&] { isShort = !beginFree(auditor(), local, frame.slot[GPUINSTR_SLOT_DST]); });
  if (isShort)
    local.row.direction = CopyDirection::Unknown; // no row any more
  return isShort;
}
GPUINSTR_HOT void afterShortFree(ThreadState &thread, const gpuinstr_frame &, int32_t) {
  look(thread, [&] {
    Auditor &a = auditor();
    std::lock_guard<AuditMutex> lock(a.mutex);
    endFree(a, auditStateOf(thread), thread.root.site, false, true, ticksOf(thread.root));
  });
}

GPUINSTR_HOT_DATA ShortLook Allocs = {beforeShortAlloc, afterShortAlloc},
                            Frees = {beforeShortFree, afterShortFree};

} // namespace

const ShortLook *shortLookAtMemory(const gpuinstr_site &site) {
  if (!isPlainMemory(site))
    return nullptr;
  return site.op == GPUINSTR_OP_ALLOC ? &Allocs : &Frees;
}

} // namespace gpuinstr::audit
