// How the auditor looks at calls that come again and again: it does what it does on the slow way.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_SHORTLOOKS_H
#define GPUINSTR_AUDIT_SCHEDULING_SHORTLOOKS_H

#include "audit/scheduling/CaptureTrust.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Guard.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr::audit {

/// Of events, made and destroyed as well, queries, waits, captures, updates of executables,
/// launches of graphs, copies, sets and memory. Null: not at this site's.
const ShortLook *shortLookAt(const gpuinstr_site &site);
/// Of copies and sets whose next occurrence needs no look at the bytes, by TransferFastPath.cpp.
const ShortLook *shortLookAtTransfer(const gpuinstr_site &site);

/// Of waits for a stream, an event or the device, by Syncs.cpp.
const ShortLook *shortLookAtSync(const gpuinstr_site &site);

/// Of plain memory of the device, made and freed, by Allocations.cpp.
const ShortLook *shortLookAtMemory(const gpuinstr_site &site);

/// Sets of memory that a pool hands out, which are not judged, by PoolSets.cpp. False: another one.
bool beforePoolSet(ThreadState &thread, const gpuinstr_frame &frame);
/// As settle().
void afterPoolSet(ThreadState &thread);

/// Captures are open, or launches that went into one are not settled yet: the long way knows how.
inline bool mayCapture() { return cuda::Captures.anyOpen() || CaptureTrust::isOn(); }

template <class Work> void look(ThreadState &thread, Work work) {
  BusyScope busy(thread);
  guarded(work);
}

/// As AuditObserver::before(). `next()`: NextCall.
template <class Next>
inline ThreadAuditState &beginLook(ThreadState &thread, bool endsRow, Next next) {
  if (__builtin_expect(AuditHot.runIsOpen.load(std::memory_order_acquire), false))
    look(thread, endRun);
  ThreadAuditState &local = auditStateOf(thread);
  if (__builtin_expect(local.waitedQuietly, false))
    look(thread, [&] { settleQuietWait(thread, local, next()); });
  local.waitedAt = 0;
  if (endsRow)
    local.row.direction = CopyDirection::Unknown;
  return local;
}
inline ThreadAuditState &beginLook(ThreadState &thread, bool endsRow,
                                   const gpuinstr_frame *frame = nullptr) {
  return beginLook(thread, endsRow, [&] { return NextCall{frame}; });
}

} // namespace gpuinstr::audit

#endif
