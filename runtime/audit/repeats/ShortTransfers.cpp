// Copies and sets that come again and again, outermost calls of their thread: the fast path at its
// shortest.
// SPDX-License-Identifier: Apache-2.0
#include "audit/repeats/BriefLooks.h"
#include "audit/repeats/PathChecks.h"
#include "audit/repeats/RepeatedTransfers.h"
#include "audit/repeats/Run.h"
#include "calls/fast/SameCalls.h"
#include "calls/threads/DecodedOperands.h"

namespace gpuinstr::audit {

namespace {

/// What an exception left of another transfer is the long way's to clear away.
bool isClear(const ThreadAuditState &local) {
  return !local.transfer.active && local.overwrittenCount == 0 && !local.asked;
}

/// A function of its own keeps the path's place in a register.
GPUINSTR_HOT __attribute__((noinline)) bool beginShort(TransferFastPath &path,
                                                       const ThreadState &thread,
                                                       const gpuinstr_frame &frame,
                                                       ThreadAuditState &local) {
  const Auditor &a = auditor();
  if (!isOpen(a, path, thread, frame, streamHandle(frame), local.context) || !isQuietOrBrief(path))
    return false;
  begin(a, path);
  local.path = &path;
  return true;
}

GPUINSTR_HOT bool beforeShort(ThreadState &thread, const gpuinstr_frame &frame) {
  if (UNLIKELY(AuditHot.runIsOpen.load(std::memory_order_relaxed)) && continueRun(thread, frame))
    return true;
  ThreadAuditState &local = beginLook(thread, false, [&] {
    return NextCall{&frame, thread.root.site, streamHandle(frame)};
  });
  local.path = nullptr;
  if (!isClear(local) || Auditor::severalContexts.load(std::memory_order_relaxed))
    return false;
  return beginShort(fastPathOf(local, frame.site, slotOf(frame, GPUINSTR_SLOT_DST),
                               slotOf(frame, GPUINSTR_SLOT_SRC)),
                    thread, frame, local);
}

enum class Settled { No, ButForSource, Yes };

/// The common case, where nothing waits for answers and nobody freed anything meanwhile.
GPUINSTR_HOT Settled settleShort(ThreadState &thread, ThreadAuditState &local) {
  Auditor &a = auditor();
  TransferFastPath &path = *local.path;
  const uint64_t ticks = thread.root.end - thread.root.start;
  std::lock_guard<AuditMutex> lock(a.mutex);
  if (Auditor::underWay.load(std::memory_order_relaxed) || !isGood(a, path) ||
      !isQuietOrBrief(path))
    return Settled::No;
  if (UNLIKELY(path.key->settledAt > path.begun.entered))
    beginBehindRun(a, local, path);
  const bool isNext = path.key->settledAt == path.begun.entered; // directly behind the last one
  const bool behindLaunch = takeLaunched(thread);
  if (UNLIKELY(behindLaunch))
    local.row.direction = CopyDirection::Unknown; // no row any more
  if (!settleRepeat(a, local, path, ticks))
    return Settled::No;
  if (path.look == SourceLook::Briefly)
    return lookBriefly(a, path, ticks) ? Settled::Yes : Settled::ButForSource;
  if (UNLIKELY(isNext) && (!behindLaunch || path.waits)) // else there are no rounds
    beginRun(a, local, path, behindLaunch);
  return Settled::Yes;
}

__attribute__((noinline)) void settleAtLength(ThreadState &thread, ThreadAuditState &local,
                                              const gpuinstr_frame &frame, int32_t result,
                                              Settled settled) {
  UncancelledScope uncancelled;
  forgetOperandsAt(thread, 0); // of a former call
  thread.surroundings.asked = false;
  Call call{operandsOf(thread, frame), *frame.site, thread, thread.root.site, thread.root.caller};
  call.result = result;
  settled == Settled::No ? afterFastPath(call, local) : lookAtSourceAgain(call, local);
}

GPUINSTR_HOT void afterShort(ThreadState &thread, const gpuinstr_frame &frame, int32_t result) {
  if (UNLIKELY(AuditHot.runIsOpen.load(std::memory_order_relaxed)))
    if (const Added added = addToRun(thread, result); added != Added::No)
      return added == Added::Yes ? fastpath::maySame(thread, frame) : maySameRound(thread, frame);
  look(thread, [&] {
    ThreadAuditState &local = auditStateOf(thread);
    const Settled settled = settleShort(thread, local);
    if (UNLIKELY(settled != Settled::Yes))
      settleAtLength(thread, local, frame, result, settled);
    local.path = nullptr;
  });
}

GPUINSTR_HOT bool beforeSet(ThreadState &thread, const gpuinstr_frame &frame) {
  return beforeShort(thread, frame) || beforePoolSet(thread, frame);
}
GPUINSTR_HOT void afterSet(ThreadState &thread, const gpuinstr_frame &frame, int32_t result) {
  if (auditStateOf(thread).path)
    return afterShort(thread, frame, result);
  afterPoolSet(thread);
}

GPUINSTR_HOT_DATA ShortLook Copies = {beforeShort, afterShort, &RunGoesOn},
                            Sets = {beforeSet, afterSet};

} // namespace

const ShortLook *shortLookAtTransfer(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_SET ? &Sets : &Copies;
}

} // namespace gpuinstr::audit
