// Allocations and frees: the ranges that transfers are judged in, and when the engine is made.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/HashScheduling.h"
#include "audit/state/ThreadAuditState.h"
#include "base/HotCode.h"
#include "calls/sites/Images.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
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

/// Host and kernels both reach it: a wait may be what keeps them apart.
bool isOfBothSides(unsigned resource) {
  return resource == GPUINSTR_RES_MANAGED || resource == GPUINSTR_RES_PINNED ||
         resource == GPUINSTR_RES_REGISTERED || resource == GPUINSTR_RES_MAPPING;
}

bool isTracked(unsigned resource) { return isMemory(resource) && resource != GPUINSTR_RES_MAPPING; }

} // namespace

/// Whether none was seen in the context yet.
static bool mayWantEngine(const Auditor &a, uint64_t context) {
  return a.verifies && !(context && a.engineIn.load(std::memory_order_relaxed) == context);
}

GPUINSTR_HOT void noteAllocated(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  local.waitedAt = 0;
  local.waitedQuietly = false;
  local.row.direction = CopyDirection::Unknown; // no row any more
  local.context = surroundingsOf(call).context;
  const cuda::CallOperands &o = call.operands;
  if (isOfBothSides(o.resource))
    a.sharesMemory.store(true, std::memory_order_relaxed);
  const cuda::Made made = call.result == 0 ? resultOf(o) : cuda::Made();
  if (!made.address || !isTracked(o.resource))
    return;
  {
    std::lock_guard<InlineMutex> lock(a.mutex);
    // Freed by code that we do not see.
    while (Range *old = a.ranges.overlapping(made.address, made.bytes))
      a.releaseRange(*old, 0, 0);
    a.noteContext(local.context);
    Range &r = a.ranges.add(made.address, made.bytes, o.resource);
    r.context = local.context;
    r.device = surroundingsOf(call).device;
    r.site = call.chargedSite;
    r.caller = call.caller;
    r.bytesAsked = o.bytes;
    r.allocTicks = ticks;
    r.unreadable = isUnreadable(o);
    a.lifetimes.began(r);
    if (!call.thread.paused)
      r.churn = a.advice.allocated(call, o.bytes);
  }
  // The engine is made where the call may wait anyway, with nothing pending.
  bool blocks = o.resource == GPUINSTR_RES_DEVICE || o.resource == GPUINSTR_RES_PITCHED ||
                o.resource == GPUINSTR_RES_MANAGED;
  if (blocks && mayWantEngine(a, local.context)) {
    std::unique_lock<InlineMutex> lock(a.mutex);
    bool idle = a.streams.quietIn(local.context);
    lock.unlock();
    if (idle)
      makeEngine(a, local.context);
  }
}

GPUINSTR_HOT void makeEngine(Auditor &a, uint64_t context) {
  if (!mayWantEngine(a, context))
    return;
  constexpr uint32_t Patience = 64;
  if (context && a.noEngineIn.load(std::memory_order_relaxed) == context &&
      a.noEngineCalls.fetch_add(1, std::memory_order_relaxed) % Patience)
    return;
  bool hasEngine = EngineSource(false) != nullptr;
  if (!hasEngine && cuda::Captures.anyOpen())
    return;
  if (!hasEngine && !unseenCodeUsesCuda())
    hasEngine = EngineSource(true) != nullptr;
  (hasEngine ? a.engineIn : a.noEngineIn).store(context, std::memory_order_relaxed);
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

GPUINSTR_HOT void beforeFree(const Call &call) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  bool hasCopies;
  {
    std::unique_lock<InlineMutex> placing(a.placing, std::defer_lock);
    if (a.severalThreads.load(std::memory_order_relaxed))
      placing.lock(); // of another thread's look at it, which goes in before the free or not at all
    std::lock_guard<InlineMutex> lock(a.mutex);
    Range *range = a.ranges.find(call.operands.dst.address);
    if (Range *opaque = a.ranges.knownOpaque(call.operands.dst.address))
      range = opaque; // an array
    local.freeing = range && range->base == call.operands.dst.address ? range : nullptr;
    local.freeingSerial = range ? range->serial.load() : 0;
    if (local.freeing) {
      local.freeing->beingFreed = true;
      Auditor::isOfPool(*local.freeing); // afterwards the ledger does not know it any more
    }
    hasCopies = local.freeing && !local.freeing->keys.empty();
  }
  if (!hasCopies || cuda::Captures.anyOpen())
    return;
  lookBeforeFree(a, call, local);
  lookAtOverwritten(a, call, local);
}

namespace {

/// cudaFree waits for the device: a synchronisation right before it is one too many.
void noteWaitBefore(Auditor &a, const Call &call, ThreadAuditState &local, bool isKnown) {
  SiteIndex waited = local.waitedAt;
  local.waitedAt = 0;
  if (!waited || !isKnown || call.failed || local.waitedOrder != Ranges::launches.load())
    return;
  unsigned resource = local.freeing->resource;
  if (resource == GPUINSTR_RES_DEVICE || resource == GPUINSTR_RES_PITCHED)
    a.advice.needlessBefore(call.chargedSite, waited, local.waitedCaller);
}

} // namespace

GPUINSTR_HOT void noteFreed(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  std::lock_guard<InlineMutex> lock(a.mutex);
  bool isSame = local.freeing && local.freeing->serial == local.freeingSerial;
  noteWaitBefore(a, call, local, isSame);
  if (isSame)
    local.freeing->beingFreed = false;
  if (call.result == 0 && isSame)
    a.releaseRange(*local.freeing, call.chargedSite, ticks);
  local.freeing = nullptr;
  if (call.operands.resource == GPUINSTR_RES_ASYNC && call.result == 0)
    a.streams.put(a.streams.of(call.operands.stream, local.context, &call.thread));
}

} // namespace gpuinstr::audit
