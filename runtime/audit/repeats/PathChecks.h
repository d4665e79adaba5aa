// Whether a transfer is one that was met before, and what is known of that one holds still.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_REPEATS_PATHCHECKS_H
#define GPUINSTR_AUDIT_REPEATS_PATHCHECKS_H

#include "audit/scheduling/ShortLooks.h"
#include "base/HotCode.h"
#include "cuda/DriverFacts.h"

namespace gpuinstr::audit {

inline TransferFastPath &fastPathOf(ThreadAuditState &local, const gpuinstr_site *site,
                                    uint64_t dst, uint64_t src) {
  uint64_t h = dst ^ (src << 13 | src >> 51) ^ reinterpret_cast<uintptr_t>(site);
  return local.paths.at(h * 0x9e3779b97f4a7c15u);
}

/// What most copies have.
constexpr uint32_t AllLinear = (1u << (GPUINSTR_SLOT_KIND + 1)) - 1;

ALWAYS_INLINE bool isLike(const TransferFastPath &path, const RootCall &root,
                          const gpuinstr_frame &frame, uint64_t stream, uint64_t context) {
  if (path.site != frame.site || path.caller != root.caller || path.chargedSite != root.site ||
      path.stream != stream || path.context != context)
    return false;
  const uint32_t filled = frame.site->slots;
  auto different = [&](unsigned i) { return path.slots[i] ^ frame.slot[i]; };
  if (LIKELY(filled == AllLinear))
    return (different(GPUINSTR_SLOT_DST) | different(GPUINSTR_SLOT_SRC) |
            different(GPUINSTR_SLOT_BYTES) | different(GPUINSTR_SLOT_STREAM) |
            different(GPUINSTR_SLOT_KIND)) == 0;
  for (unsigned i = 0; i <= GPUINSTR_SLOT_DEPTH; ++i)
    if ((filled >> i & 1) && different(i))
      return false;
  return true;
}

inline uint64_t serialOf(const Range *range) {
  return range ? range->serial.load(std::memory_order_acquire) : 0;
}

/// What says whether the operands may mean other memory by now.
inline const std::atomic<uint64_t> &generationFor(const Auditor &a, const TransferFastPath &path) {
  return path.isBound ? a.ranges.generation : a.ranges.hostGeneration;
}

ALWAYS_INLINE bool isGood(const Auditor &a, TransferFastPath &path) {
  const uint64_t serial = Ranges::lastSerial();
  if (path.rangeGeneration != generationFor(a, path).load(std::memory_order_acquire) ||
      path.streamGeneration != a.streams.generation.load(std::memory_order_acquire))
    return false;
  if (__builtin_expect(path.serialThen == serial, true)) // no range came or went since
    return true;
  if (path.dstSerial != serialOf(path.dstRange) || path.srcSerial != serialOf(path.srcRange))
    return false;
  path.serialThen = serial;
  return true;
}

/// The source has nothing to say that it did not say before.
inline bool isQuiet(const TransferFastPath &path) {
  return path.look == SourceLook::Never ||
         (path.look == SourceLook::UnlessUnscanned && Ranges::unscanned.load());
}
/// ... or a brief look shows whether it has.
inline bool isQuietOrBrief(const TransferFastPath &path) {
  return isQuiet(path) || (path.look == SourceLook::Briefly &&
                           (!path.brief.needsUnscanned || Ranges::unscanned.load()));
}

/// The call is like it, and what is known of it holds.
ALWAYS_INLINE bool isNext(const Auditor &a, TransferFastPath &path, const ThreadState &thread,
                          const gpuinstr_frame &frame, uint64_t stream, uint64_t context) {
  return isLike(path, thread.root, frame, stream, context) && isGood(a, path) && !mayCapture() &&
         !thread.paused && !FastPathsClosed;
}
/// ... and it needs no look at the bytes.
ALWAYS_INLINE bool isOpen(const Auditor &a, TransferFastPath &path, const ThreadState &thread,
                          const gpuinstr_frame &frame, uint64_t stream, uint64_t context) {
  return isNext(a, path, thread, frame, stream, context) &&
         !(a.verifies && path.left->load(std::memory_order_relaxed) == 0);
}

/// What is known before the call, or before a run of them.
ALWAYS_INLINE void begin(const Auditor &a, TransferFastPath &path) {
  path.begun.order = a.ranges.launches.load();
  path.begun.entered = Streams::Puts.load();
  const Ranges::Uses uses = a.ranges.usesOf(*path.range);
  path.begun.writes = uses.writes;
  path.begun.reads = uses.reads;
  path.begun.notRun = path.simulated ? cuda::kernelsNotRun() : 0;
}

} // namespace gpuinstr::audit

#endif
