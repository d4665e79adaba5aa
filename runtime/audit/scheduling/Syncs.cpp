// Synchronisations: which kernels have ended by them, and which waits had nothing to wait for.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/Launches.h"
#include "audit/state/ThreadAuditState.h"
#include "cuda/Driver.h"

namespace gpuinstr::audit {

namespace {

/// Whether this is the stream that the thread waited for last, or the device with that one alone.
bool isKnown(const SyncPlace &place, const cuda::CallOperands &o, uint64_t context) {
  if (!place.state || place.generation != Streams::generation.load() || place.context != context)
    return false;
  return o.op == GPUINSTR_OP_SYNC_STREAM   ? place.handle == o.stream
         : o.op == GPUINSTR_OP_SYNC_DEVICE ? place.ofContext && auditor().streams.isOnly()
                                           : false;
}

constexpr uint64_t AnyHandle = ~uint64_t(0); ///< which one, nobody said

/// With the lock held.
void rememberPlace(ThreadAuditState &local, uint64_t handle, StreamState &stream) {
  SyncPlace &place = local.sync;
  bool isSame = place.state == &stream && place.context == local.context &&
                place.generation == Streams::generation.load();
  if (!isSame || handle != AnyHandle)
    place.handle = handle;
  place.context = local.context;
  place.generation = Streams::generation.load();
  place.state = &stream;
  place.isLegacy = stream.legacy;
  place.ofContext = local.context && stream.context == local.context;
}

/// True when all is done: only this stream is waited for, and no hash is on its way.
bool noteSyncedQuickly(const Auditor &a, const ThreadAuditState &local,
                       const cuda::CallOperands &o) {
  const SyncPlace &place = local.sync;
  // A device has others, too, where there are any.
  bool ofAll = place.isLegacy || o.op == GPUINSTR_OP_SYNC_DEVICE;
  return local.syncing && !local.needless && Auditor::underWay.load() == 0 &&
         a.openGuesses.load(std::memory_order_relaxed) == 0 &&
         place.generation == Streams::generation.load() &&
         a.streams.syncedAlone(*local.syncing, ofAll, local.syncFrom);
}

} // namespace

void beforeSync(const Call &call) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  const cuda::CallOperands &o = call.operands;
  if (!local.context || a.severalContexts.load(std::memory_order_relaxed))
    local.context = currentContext();
  SyncPlace &place = local.sync;
  local.syncFrom = Moment(Ranges::launches.load(), Streams::Puts.load());
  local.needless = false;
  local.syncing = isKnown(place, o, local.context) ? place.state : nullptr;
  if (local.syncing && local.syncing->work.load(std::memory_order_relaxed))
    return;
  std::lock_guard<InlineMutex> lock(a.mutex);
  if (o.op == GPUINSTR_OP_SYNC_DEVICE)
    local.needless = a.workSeen() && !a.streams.anyWorkIn(local.context);
  else if (o.op == GPUINSTR_OP_SYNC_STREAM)
    local.needless =
        a.workSeen() && !a.streams.anyWork(a.streams.of(o.stream, local.context, &call.thread));
}

void settleQuietWait(ThreadAuditState &local) {
  local.waitedQuietly = false;
  if (!local.waitedAt || Ranges::launches.load() == local.waitedOrder)
    return;
  Auditor &a = auditor();
  std::lock_guard<InlineMutex> lock(a.mutex);
  if (a.streams.isOnly())
    a.advice.needlessBetween(local.waitedAt, local.waitedCaller);
}

void noteSynced(const Call &call, uint64_t ticks) {
  Auditor &a = auditor();
  ThreadAuditState &local = auditStateOf(call.thread);
  const cuda::CallOperands &o = call.operands;
  if (call.result != 0)
    return;
  if (!local.needless && !call.thread.paused && o.op != GPUINSTR_OP_SYNC_EVENT) {
    local.waitedAt = call.chargedSite;
    local.waitedCaller = call.caller;
    local.waitedOrder = Ranges::launches.load();
    local.waitedQuietly = (call.site.flags & GPUINSTR_SITE_QUIET) && a.streams.isOnly() &&
                          !a.sharesMemory.load(std::memory_order_relaxed);
  }
  if (__builtin_expect(local.downloadCount != 0, false))
    takeDownloads(call, local);
  if (noteSyncedQuickly(a, local, o))
    return;
  std::unique_lock<InlineMutex> lock(a.mutex);
  if (o.op == GPUINSTR_OP_SYNC_DEVICE) {
    a.streams.syncedContext(local.context, local.syncFrom);
    if (StreamState *only = a.streams.only())
      rememberPlace(local, AnyHandle, *only);
  } else if (o.op == GPUINSTR_OP_SYNC_STREAM) {
    StreamState &stream = a.streams.of(o.stream, local.context, &call.thread);
    a.streams.synced(stream, local.syncFrom);
    rememberPlace(local, o.stream, stream);
  } else
    a.streams.eventDone(o.dst.address);
  a.poll();
  if (local.needless && !call.thread.paused)
    a.advice.needless(call, ticks);
  bool idle = o.op == GPUINSTR_OP_SYNC_DEVICE && a.streams.quietIn(local.context);
  lock.unlock();
  if (idle)
    makeEngine(a, local.context);
  if (a.openGuesses.load(std::memory_order_relaxed))
    confirmGuesses(a, call, local);
}

} // namespace gpuinstr::audit
