// Sets of memory that a pool hands out, where they come again and again.
// SPDX-License-Identifier: Apache-2.0
//
// They are not judged (Transfer::isExempt): what is left of a transfer is what it does to the
// copies of the same memory, and that something is under way in the stream.
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "base/HotCode.h"
#include "ledger/Ledger.h"

namespace gpuinstr::audit {

namespace {

/// It is in no order that is kept: beside other streams nothing is proven of that memory any more.
void noteExemptSet(const Auditor &a, Range &range) { range.unordered |= !a.streams.isOnly(); }

/// As meet() and what comes before it, with the lock held.
GPUINSTR_HOT void meetSet(Auditor &a, SiteIndex site, Range &range, const cuda::Region &region,
                          const StreamState &stream) {
  if (Auditor::underWay.load(std::memory_order_relaxed)) // nothing is pending else
    a.poll();
  noteExemptSet(a, range);
  range.used.store(true, std::memory_order_relaxed);
  a.lifetimes.used(range, a.ranges, site, true);
  noteWrite(a, site, range, region, stream);
}

/// As launches find theirs, without the map where the thread knows it. With the lock held.
Range *segmentAt(Auditor &a, LaunchCache &cache, uint64_t address) {
  const bool isCurrent = cache.generation == a.ranges.generation.load();
  void *&span = cache.spanOf(address, true);
  auto *known = static_cast<Range *>(span);
  if (__builtin_expect(isCurrent && known && address - known->base < known->bytes, true))
    return known;
  Range *range = a.ranges.find(address);
  if (isCurrent && range)
    span = range;
  return range;
}

GPUINSTR_HOT bool meetSet(ThreadState &thread, ThreadAuditState &local,
                          const gpuinstr_frame &frame) {
  Auditor &a = auditor();
  cuda::Region region;
  region.address = frame.slot[GPUINSTR_SLOT_DST];
  region.width = frame.slot[GPUINSTR_SLOT_BYTES];
  StreamState &stream = streamOf(thread, streamHandle(frame));
  std::lock_guard<AuditMutex> lock(a.mutex);
  Range *range = segmentAt(a, thread.launches, region.address);
  if (!range || !range->isDevice() || region.width > range->end() - region.address ||
      !Auditor::isOfPool(*range))
    return false;
  meetSet(a, thread.root.site, *range, region, stream);
  local.setIn = &stream;
  return true;
}

} // namespace

/// Who is handed a piece of a pool does not know what it holds, and must set it. What was mapped
/// has no range.
bool isExempt(const Auditor &a, const Transfer &t, Range *dst, uint64_t address) {
  if (t.work != DeviceWorkKind::Set)
    return false;
  if (!dst) {
    auto mapped = ledger().find(address);
    return mapped && mapped->isPools;
  }
  if (dst->opaque || !Auditor::isOfPool(*dst))
    return false;
  noteExemptSet(a, *dst);
  return true;
}

GPUINSTR_HOT bool beforePoolSet(ThreadState &thread, const gpuinstr_frame &frame) {
  ThreadAuditState &local = auditStateOf(thread);
  bool isShort = local.context && !local.transfer.active && !mayCapture() &&
                 !Auditor::severalContexts.load(std::memory_order_relaxed);
  if (isShort)
    look(thread, [&] { isShort = meetSet(thread, local, frame); });
  return isShort;
}

GPUINSTR_HOT void afterPoolSet(ThreadState &thread) {
  ThreadAuditState &local = auditStateOf(thread);
  Auditor &a = auditor();
  look(thread, [&] {
    std::lock_guard<AuditMutex> lock(a.mutex);
    a.transferSeen = true;
    ++a.writes;
    a.streams.put(*local.setIn);
  });
  takeLaunched(thread);
  local.row.direction = CopyDirection::Unknown; // no row any more
}

} // namespace gpuinstr::audit
