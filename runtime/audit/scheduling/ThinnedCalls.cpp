// Calls of attached programs that are counted and no more: what the auditor has to know of them.
// SPDX-License-Identifier: Apache-2.0
//
// They are that frequent that a look at each would cost too much. Most of what a call costs there
// is what the program and the driver have driven out of the caches since the last one: so this
// touches few lines of few pages.
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/ShortLooks.h"
#include "base/HotCode.h"
#include "calls/Observer.h"
#include "cuda/CaptureTracker.h"

namespace gpuinstr::audit {

namespace {

/// As findStream(), but without the lock. Null: nobody knows without it.
__attribute__((noinline)) StreamState *lastStream(ThreadState &thread, uint64_t handle) {
  for (const LaunchCache::Stream *stream : {&thread.launches.stream, &thread.launches.lastStream})
    if (stream->handle == handle && stream->state &&
        stream->generation == Streams::generation.load()) {
      thread.thinned.stream = *stream;
      return static_cast<StreamState *>(stream->state);
    }
  return nullptr;
}

/// Where there are several contexts, the handle of a default stream may mean another one by now.
GPUINSTR_THINNED StreamState *knownStream(ThreadState &thread, uint64_t handle) {
  const LaunchCache::Stream &stream = thread.thinned.stream;
  if (__builtin_expect(AuditHot.severalContexts.load(std::memory_order_relaxed), false))
    return nullptr;
  if (__builtin_expect(stream.handle == handle && stream.state &&
                           stream.generation == Streams::generation.load(),
                       true))
    return static_cast<StreamState *>(stream.state);
  return lastStream(thread, handle);
}

/// As noteUnknownAccess(), without locked instructions where no other thread launches.
GPUINSTR_THINNED void noteAccess(uint64_t now) {
  if (__builtin_expect(AuditHot.severalThreads.load(std::memory_order_relaxed), false))
    return noteUnknownAccess(now);
  auto count = [](std::atomic<uint64_t> &number) {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  };
  Ranges::lostUpTo.store(Ranges::lastSerial(), std::memory_order_release);
  stampLaunch(Ranges::unknown, now);
  count(Ranges::unknownWrites);
  count(Ranges::unknownUses);
}

/// A kernel's launch, of which nothing is known but the stream.
GPUINSTR_THINNED bool noteThinnedLaunch(ThreadState &thread, uint64_t handle) {
  StreamState *stream = cuda::Captures.anyOpen() ? nullptr : knownStream(thread, handle);
  if (!stream)
    return false;
  const Order order = stream->countLaunch(true);
  if (__builtin_expect(AuditHot.underWay.load() != 0, false))
    return false; // it goes behind them, and is counted twice, which harms nothing
  thread.thinned.launched = true;
  stream->work.store(true, std::memory_order_relaxed);
  noteAccess(LaunchStamp::pack(order, stream->index));
  return true;
}

/// A change of a node, where the looks at it would have nothing to do.
GPUINSTR_THINNED bool noteThinnedUpdate(ThreadState &thread, uint64_t executable) {
  const ThreadAuditState &local = auditStateOf(thread);
  return !local.waitedAt && !local.waitedQuietly && local.row.direction == CopyDirection::Unknown &&
         Ranges::lostUpTo.load(std::memory_order_relaxed) == Ranges::lastSerial() &&
         auditor().graphs.isKnownAsGone(executable);
}

} // namespace

GPUINSTR_THINNED bool noteThinnedCall(ThreadState &thread, uint32_t operation, uint64_t operand) {
  return __builtin_expect(operation == GPUINSTR_OP_LAUNCH, true)
             ? noteThinnedLaunch(thread, operand)
             : noteThinnedUpdate(thread, operand);
}

} // namespace gpuinstr::audit
