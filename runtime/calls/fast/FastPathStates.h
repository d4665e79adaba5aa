// How a call in progress is known to the fast path of enter and leave, and which calls may take it.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_FASTPATHSTATES_H
#define GPUINSTR_CALLS_FASTPATHSTATES_H

#include "base/HotCode.h"
#include "calls/Observer.h"
#include "calls/threads/RepeatedCalls.h"
#include <cstring>

namespace gpuinstr {

/// Frames further apart than this lie on different stacks.
constexpr uintptr_t StackReach = uintptr_t(64) << 20;
/// By an exception: the function that called was deeper than the stack is now.
inline bool wasLeft(const LiveFrame &live, uintptr_t stack) {
  return stack > live.stack || live.stack - stack > StackReach;
}

namespace fastpath {

/// depth, busy, paused, notUp and fastPath.
constexpr uint64_t statusOf(FastPath path, uint32_t depth) { return uint64_t(path) << 56 | depth; }
constexpr uint64_t Idle = 0, Root = statusOf(FastPath::Site, 1),
                   Nested = statusOf(FastPath::Site, 2), Alone = statusOf(FastPath::RootLaunch, 1),
                   Looked = statusOf(FastPath::RootLooked, 1),
                   Same = statusOf(FastPath::RootSame, 1),
                   BehindSame = statusOf(FastPath::BehindSame, 0),
                   Drained = statusOf(FastPath::Drained, 0);
static_assert(offsetof(ThreadState, fastPath) == 7 && offsetof(ThreadState, depth) == 0);

/// A kernel's launch whose operands tell all, and in which no other call can be.
inline bool isLaunch(const gpuinstr_site &site) {
  return site.op == GPUINSTR_OP_LAUNCH && site.detail == 0 &&
         (site.slots >> GPUINSTR_SLOT_FUNC & 1);
}

/// Operations of the device whose bytes stand in the frame.
constexpr uint64_t MovesBytes = opBit(GPUINSTR_OP_SET) | opBit(GPUINSTR_OP_COPY);
/// ... and all of which some are timed, but launches.
constexpr uint64_t TakesTurns = MovesBytes | opBit(GPUINSTR_OP_GRAPH_LAUNCH);

inline bool isCopy(const gpuinstr_site &site) {
  return site.op >= GPUINSTR_OP_COPY && site.op <= GPUINSTR_OP_COPY_BATCH;
}
/// A copy whose call has ended, and the runtime's own work behind it.
inline void noteCopy(ThreadState &thread, const gpuinstr_frame &frame, uint64_t end,
                     uint64_t ownEnd) {
  thread.lastCopy = {ownEnd, end - thread.root.start, frame.site, frame.slot[GPUINSTR_SLOT_KIND]};
}

/// cudaMalloc, cudaFree and the driver's.
inline bool isOfMemory(const gpuinstr_site &site) {
  constexpr uint64_t OfMemory = opBit(GPUINSTR_OP_ALLOC) | opBit(GPUINSTR_OP_FREE);
  return opBit(site.op & 63) & OfMemory && site.resource == GPUINSTR_RES_DEVICE;
}

/// Whether it is one of the operations, but launches, of which an outermost call may be a
/// RepeatedCall.
inline bool mayRepeat(const gpuinstr_site &site) {
  constexpr uint64_t Repeated = opBit(GPUINSTR_OP_QUERY) | opBit(GPUINSTR_OP_WAIT_EVENT) |
                                opBit(GPUINSTR_OP_RECORD_EVENT) | opBit(GPUINSTR_OP_GRAPH_NODE) |
                                opBit(GPUINSTR_OP_CAPTURE_BEGIN) | opBit(GPUINSTR_OP_CAPTURE_END) |
                                opBit(GPUINSTR_OP_SYNC_STREAM) | opBit(GPUINSTR_OP_SYNC_EVENT) |
                                opBit(GPUINSTR_OP_SYNC_DEVICE) | TakesTurns;
  const uint64_t bit = opBit(site.op & 63);
  return bit & Repeated ||
         (bit & opBit(GPUINSTR_OP_CREATE) && site.resource == GPUINSTR_RES_EVENT) ||
         (bit & opBit(GPUINSTR_OP_DESTROY) &&
          (site.resource == GPUINSTR_RES_EVENT || site.resource == GPUINSTR_RES_GRAPH)) ||
         isOfMemory(site);
}

inline uint64_t status(const ThreadState &thread) {
  uint64_t word;
  std::memcpy(&word, &thread, sizeof word);
  return word;
}
inline void setStatus(ThreadState &thread, uint64_t word) {
  std::memcpy(static_cast<void *>(&thread), &word, sizeof word);
}

/// Lines that use a wrapper in turns have a place each.
inline SiteAttribution &attributionOf(ThreadState &thread, const gpuinstr_site *site,
                                      uint64_t callers = 0) {
  auto address = reinterpret_cast<uintptr_t>(site) + callers;
  return thread.attributions[address * 0x9e3779b97f4a7c15u >> (64 - ThreadState::AttributionBits)];
}

/// One word for the callers that the frame names: mostly one or none, more inside wrappers.
ALWAYS_INLINE uint64_t callersOf(const gpuinstr_frame &frame) {
  auto word = [&](unsigned i) { return reinterpret_cast<uintptr_t>(frame.callers[i]); };
  uint64_t callers = word(0);
  for (unsigned i = 1; UNLIKELY(callers != 0 && i < GPUINSTR_MAX_CALLERS && word(i)); ++i)
    callers = (callers ^ callers >> 32) * 0x9e3779b97f4a7c15u ^ word(i);
  return callers;
}

/// The outermost call has ended, and was not timed.
ALWAYS_INLINE void leaveUntimed(ThreadState &thread, SiteAttribution &attribution) {
  setStatus(thread, Idle);
  --attribution.skip;
  attribution.untimed += 1;
}

/// A call that was not timed ended at `end`, for who asks how long it took.
inline void takeForUsual(RootCall &root, uint32_t usualTicks, uint64_t end) {
  root.end = end;
  root.start = end - usualTicks;
}

} // namespace fastpath

} // namespace gpuinstr

#endif
