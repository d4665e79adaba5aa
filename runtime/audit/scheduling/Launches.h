// What a kernel launch may touch: its arguments, read as addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_SCHEDULING_LAUNCHES_H
#define GPUINSTR_AUDIT_SCHEDULING_LAUNCHES_H

#include "audit/ordering/Ranges.h"
#include "audit/ordering/Streams.h"
#include "calls/threads/Thread.h"

namespace gpuinstr {
struct Call;
}

namespace gpuinstr::audit {

struct KernelShape;

/// LaunchHook.
void noteLaunch(ThreadState &thread, const gpuinstr_frame &frame);

/// What the handle stands for on this thread. The last two are known without the lock.
inline StreamState &streamOf(ThreadState &thread, uint64_t handle);
__attribute__((noinline)) StreamState *findStream(ThreadState &thread, uint64_t handle);

/// A graph whose kernels are known goes into the stream. Returns the LaunchStamp.
uint64_t noteKnownWork(ThreadState &thread, uint64_t stream, bool mayWait);
/// What a launch with that stamp may do to the allocations that its arguments, which are there,
/// lead to.
void touchArguments(ThreadState &thread, const gpuinstr_frame &frame, const KernelShape &shape,
                    void *const *arguments, uint64_t stamp);
/// The same of a launch of the last one's kernel, of `onlyWords`, where nothing but stamps is new.
/// False: something else is. What was done by then, touchArguments() may do again.
__attribute__((noinline)) bool touchAgain(ThreadState &thread, const gpuinstr_frame &frame,
                                          const KernelShape &shape, uint64_t stamp);
/// Of a launch that is like another one; all others share theirs.
LaunchMemo &memoOf(ThreadState &thread);
/// What a launch with that stamp may do to the allocation.
void touchRange(Range &range, uint8_t access, uint64_t stamp, SiteIndex site);
/// The place's last launch is this one.
inline void stampLaunch(std::atomic<uint64_t> &place, uint64_t stamp);
/// Whether a kernel, by its code, has written in [low, high), where no allocation of ours lies.
bool wroteStray(uint64_t low, uint64_t high);

/// A kernel whose code shows that it leaves the allocation alone got its address.
void notePassed(Range &range, SiteIndex site);
/// The first kernel that gets the allocation's address.
void noteFirstLaunch(Range &range, Order order, SiteIndex site);
/// A launch of that number may have done anything, on whichever stream.
void noteUnknownLaunch(Order order);
/// A launch with that stamp may have. `keeps`: and left any address to what runs later.
void noteUnknownAccess(uint64_t stamp, bool keeps = true);

/// Something ran on the device of which nothing is known: a graph, a library's call. Any address
/// that it may have got may be read and written; `keeps`: also by what runs later.
void noteUnknownWork(ThreadState &thread, uint64_t stream, bool keeps, bool mayWait = true);
/// A library's call whose kernels end, and may do anything with the allocations that it is given,
/// or was given before, and with what addresses there name.
void noteWorkOnGiven(const Call &call);

/// A graph is given addresses that its launches use, of which nothing is known: each of them is
/// noted as unknown work. Nothing runs now, and what there is already need not be told again.
void noteHandedOn(ThreadState &thread, uint64_t stream);

inline StreamState &streamOf(ThreadState &thread, uint64_t handle) {
  const LaunchCache::Stream &stream = thread.launches.stream;
  if (__builtin_expect(stream.handle == handle && stream.state &&
                           stream.generation == Streams::generation.load(),
                       true))
    return *static_cast<StreamState *>(stream.state);
  return *findStream(thread, handle);
}

/// Of several streams, the stamp says so. It never falls: it is what tells versions apart.
inline void stampLaunch(std::atomic<uint64_t> &place, uint64_t stamp) {
  uint64_t before = place.load(std::memory_order_relaxed), next;
  if (__builtin_expect(before <= stamp &&
                           LaunchStamp::stream(before) == LaunchStamp::stream(stamp) &&
                           !AuditHot.severalThreads.load(std::memory_order_relaxed),
                       true))
    return place.store(stamp, std::memory_order_release);
  do {
    next = std::max(before, stamp);
    if (before && LaunchStamp::stream(before) != LaunchStamp::stream(stamp))
      next |= LaunchStamp::Several;
    if (__builtin_expect(!AuditHot.severalThreads.load(std::memory_order_relaxed), true))
      return place.store(next, std::memory_order_release);
  } while (!place.compare_exchange_weak(before, next));
}

} // namespace gpuinstr::audit

#endif
