// What a kernel launch may touch: its arguments, read as addresses.
// SPDX-License-Identifier: Apache-2.0
#include "audit/scheduling/Launches.h"
#include "audit/scheduling/CapturedLaunches.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/scheduling/LaunchArguments.h"
#include "audit/state/Auditor.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include "cuda/DriverFacts.h"
#include "cuda/operands/LaunchConfig.h"
#include <algorithm>

namespace gpuinstr::audit {

StreamState *findStream(ThreadState &thread, uint64_t handle) {
  LaunchCache &cache = thread.launches;
  std::swap(cache.stream, cache.lastStream);
  const LaunchCache::Stream &last = cache.stream;
  // Where there are several, the handle of a default stream may mean another one by now.
  if (last.handle == handle && last.state && last.generation == Streams::generation.load() &&
      !Auditor::severalContexts.load(std::memory_order_relaxed))
    return static_cast<StreamState *>(last.state);
  Auditor &a = auditor();
  uint64_t context = contextOf(thread);
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.noteContext(context);
  const uint64_t generation = a.streams.generation.load();
  StreamState &state = a.streams.of(handle, context, &thread);
  cache.stream = {handle, &state, generation};
  return &state;
}

void endStreamsOf(const void *thread) {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.streams.threadEnded(thread);
}

GPUINSTR_HOT __attribute__((noinline)) void noteUnknownAccess(uint64_t now, bool keeps) {
  if (keeps)
    Ranges::lostUpTo.store(Ranges::lastSerial());
  stampLaunch(Ranges::unknown, now);
  Ranges::unknownWrites.fetch_add(1);
  Ranges::unknownUses.fetch_add(1);
}

namespace {

void noteVariableWrite() {
  std::atomic<uint64_t> &writes = Ranges::variableWrites;
  if (__builtin_expect(Auditor::severalThreads.load(std::memory_order_relaxed), false))
    writes.fetch_add(1, std::memory_order_relaxed);
  else
    writes.store(writes.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

const KernelShape *shapeOf(LaunchCache &cache, LaunchMemo &memo, uint64_t function,
                           const gpuinstr_site &site) {
  const bool isOwn = memo.function == function; // goes when kernels do
  if (__builtin_expect(isOwn && memo.shape, true))
    return static_cast<const KernelShape *>(memo.shape);
  auto *shape = static_cast<const KernelShape *>(cache.shape);
  if (cache.function != function || !shape || cache.shapeGeneration != kernelGeneration())
    shape = findKernelShape(cache, function, site.flags & GPUINSTR_SITE_DRIVER);
  if (isOwn)
    memo.shape = shape;
  return shape;
}

void *const *argumentsOf(const gpuinstr_frame &frame) {
  const bool has = frame.site->slots >> GPUINSTR_SLOT_ARGS & 1;
  return has ? reinterpret_cast<void *const *>(frame.slot[GPUINSTR_SLOT_ARGS]) : nullptr;
}

/// A launch as its frame names it.
struct LaunchOperands {
  uint64_t function = 0, stream = 0;
  const cuda::RuntimeLaunchConfig *config = nullptr;
  void *const *arguments = nullptr;
  bool isKernel = false;

  explicit LaunchOperands(const gpuinstr_frame &frame) {
    const gpuinstr_site &site = *frame.site;
    auto slot = [&](unsigned i) { return site.slots >> i & 1 ? frame.slot[i] : 0; };
    function = slot(GPUINSTR_SLOT_FUNC);
    isKernel = function && site.detail == 0;
    if (site.detail == 0)
      config = reinterpret_cast<const cuda::RuntimeLaunchConfig *>(slot(GPUINSTR_SLOT_PARAMS));
    stream = config ? config->stream : slot(GPUINSTR_SLOT_STREAM);
    if (stream == 0 && (site.flags & GPUINSTR_SITE_PER_THREAD))
      stream = 2;
    arguments = argumentsOf(frame);
  }
};

/// Who looks at whether hashes wait comes behind countLaunch().
uint64_t countLaunch(StreamState &stream, uint64_t handle, bool mayWait) {
  const Order order = stream.countLaunch(mayWait);
  if (__builtin_expect(Auditor::underWay.load() != 0, false) && mayWait)
    putBehindHashes(auditor(), stream, handle);
  stream.work.store(true, std::memory_order_relaxed);
  return LaunchStamp::pack(order, stream.index);
}

/// A run of repeats is open, and goes on.
bool goesWithRun(ThreadState &thread, const gpuinstr_frame &frame) {
  const LaunchOperands o(frame);
  return o.isKernel && !o.config && launchInRun(thread, streamOf(thread, o.stream));
}

/// What the kernel does, beyond being there.
GPUINSTR_HOT inline void noteKernel(ThreadState &thread, const gpuinstr_frame &frame,
                                    const KernelShape &shape, void *const *arguments,
                                    uint64_t now) {
  if (!shape.keepsVariables)
    noteVariableWrite();
  if (__builtin_expect(shape.followsHost, false))
    noteUnknownAccess(now);
  if (!shape.known || (!arguments && shape.count))
    return noteUnknownAccess(now);
  if (shape.count)
    touchArguments(thread, frame, shape, arguments, now);
}

/// What two sites have to say alike, beside their flags, for their frames to be read alike: detail
/// and slots, and the number of arguments between them.
uint64_t slotsOf(const gpuinstr_site &site) {
  static_assert(offsetof(gpuinstr_site, slots) == offsetof(gpuinstr_site, detail) + 4);
  uint64_t word;
  std::memcpy(&word, &site.detail, sizeof word);
  return word;
}

/// Of one that does not write device variables either.
LaunchTouches touchesOf(const KernelShape &shape, const gpuinstr_frame &frame) {
  if (!shape.known || !shape.keepsVariables || shape.followsHost)
    return LaunchTouches::Anything;
  if (shape.count == 0)
    return LaunchTouches::Nothing;
  return shape.onlyWords && argumentsOf(frame) ? LaunchTouches::Words : LaunchTouches::Anything;
}

/// The next one is likely to be the same. `state`: GlobalState before the kernel was looked up.
void remember(LaunchCache &cache, const gpuinstr_frame &frame, const KernelShape &shape,
              uint64_t state) {
  LastLaunch &last = cache.last;
  last.slots = namesLaunch(*frame.site) && !cuda::Captures.anyOpen() ? slotsOf(*frame.site) : 0;
  last.flags = frame.site->flags;
  last.function = frame.slot[GPUINSTR_SLOT_FUNC];
  last.handle = frame.slot[GPUINSTR_SLOT_STREAM];
  last.state = state;
  last.generation = cache.stream.generation;
  last.stream = cache.stream.state;
  last.shape = &shape;
  last.ends = shape.ends;
  last.touches = touchesOf(shape, frame);
}

/// Before the launch: whoever looks in between believes rather too much than too little.
GPUINSTR_HOT __attribute__((noinline)) void launch(ThreadState &thread,
                                                   const gpuinstr_frame &frame) {
  const LaunchOperands o(frame);
  LaunchCache &cache = thread.launches;
  cache.last.launched = true;
  const uint64_t state = GlobalState.load(std::memory_order_acquire);
  StreamState &stream = streamOf(thread, o.stream);
  if (__builtin_expect(o.config && cuda::isDependentLaunch(o.config->attributes, o.config->count),
                       false))
    stream.dependent.store(true);
  const KernelShape *shape =
      o.isKernel ? shapeOf(cache, memoOf(thread), o.function, *frame.site) : nullptr;
  if (__builtin_expect(cuda::Captures.anyOpen(), false) &&
      captureLaunch(thread, {stream, o.stream, o.isKernel ? o.function : 0, shape, o.arguments}))
    return;
  const uint64_t now = countLaunch(stream, o.stream, !shape || !shape->ends);
  if (!shape)
    return noteUnknownAccess(now);
  noteKernel(thread, frame, *shape, o.arguments, now);
  remember(cache, frame, *shape, state);
}

GPUINSTR_HOT __attribute__((noinline)) void noteAnother(ThreadState &thread,
                                                        const gpuinstr_frame &frame) {
  if (__builtin_expect(cuda::Captures.anyOpen(), false) && addsNothing(thread, frame))
    return;
  BusyScope busy(thread);
  guarded([&] {
    if (UNLIKELY(AuditHot.runIsOpen.load(std::memory_order_acquire)) &&
        (cuda::Captures.anyOpen() || !goesWithRun(thread, frame)))
      endRun();
    ThreadAuditState &local = auditStateOf(thread);
    if (UNLIKELY(local.waitedQuietly & BeforeUnseen))
      noteLaunchBehindWait(thread, local);
    launch(thread, frame);
  });
}

bool waitsForHashes(const LastLaunch &last) { return !last.ends && Auditor::underWay.load() != 0; }

/// What a launch like the last one is looked at for beyond its number.
GPUINSTR_HOT __attribute__((noinline)) void noteRest(ThreadState &thread,
                                                     const gpuinstr_frame &frame, Order order) {
  const LastLaunch &last = thread.launches.last;
  StreamState &stream = *static_cast<StreamState *>(last.stream);
  BusyScope busy(thread);
  guarded([&] {
    if (UNLIKELY(waitsForHashes(last)))
      putBehindHashes(auditor(), stream, LaunchOperands(frame).stream);
    noteKernel(thread, frame, *static_cast<const KernelShape *>(last.shape), argumentsOf(frame),
               LaunchStamp::pack(order, stream.index));
  });
}

/// Mostly nothing but new stamps.
GPUINSTR_HOT __attribute__((noinline)) void noteTouches(ThreadState &thread,
                                                        const gpuinstr_frame &frame, Order order) {
  const LastLaunch &last = thread.launches.last;
  const auto &stream = *static_cast<const StreamState *>(last.stream);
  if (last.touches != LaunchTouches::Words || waitsForHashes(last) ||
      !touchAgain(thread, frame, *static_cast<const KernelShape *>(last.shape),
                  LaunchStamp::pack(order, stream.index)))
    noteRest(thread, frame, order);
}

bool isLikeLast(const LastLaunch &last, const gpuinstr_frame &frame) {
  return last.slots == slotsOf(*frame.site) && last.flags == frame.site->flags &&
         last.function == frame.slot[GPUINSTR_SLOT_FUNC] &&
         last.handle == frame.slot[GPUINSTR_SLOT_STREAM] &&
         last.state == GlobalState.load(std::memory_order_relaxed) &&
         last.generation == Streams::generation.load(std::memory_order_acquire) &&
         !cuda::Captures.anyOpen();
}

ALWAYS_INLINE void noteOneMore(ThreadState &thread, const gpuinstr_frame &frame) {
  LastLaunch &last = thread.launches.last;
  StreamState &stream = *static_cast<StreamState *>(last.stream);
  last.launched = true;
  const Order order = stream.countLaunch(!last.ends);
  stream.work.store(true, std::memory_order_relaxed);
  if (last.touches != LaunchTouches::Nothing || waitsForHashes(last))
    noteTouches(thread, frame, order);
}

/// A function of its own keeps what it needs out of the shorter one's registers.
GPUINSTR_HOT __attribute__((noinline)) void noteInRun(ThreadState &thread,
                                                      const gpuinstr_frame &frame) {
  if (launchInRun(thread, *static_cast<StreamState *>(thread.launches.last.stream)))
    noteOneMore(thread, frame);
  else
    noteAnother(thread, frame);
}

} // namespace

GPUINSTR_HOT void noteLaunch(ThreadState &thread, const gpuinstr_frame &frame) {
  if (UNLIKELY(!isLikeLast(thread.launches.last, frame)))
    return noteAnother(thread, frame);
  if (UNLIKELY(AuditHot.runIsOpen.load(std::memory_order_acquire)))
    return noteInRun(thread, frame);
  noteOneMore(thread, frame);
}

uint64_t noteKnownWork(ThreadState &thread, uint64_t handle, bool mayWait) {
  return countLaunch(streamOf(thread, handle), handle, mayWait);
}

void noteUnknownLaunch(Order order) {
  noteUnknownAccess(LaunchStamp::pack(order, LaunchStamp::Several));
}

GPUINSTR_HOT void noteHandedOn(ThreadState &thread, uint64_t handle) {
  if (Ranges::lostUpTo.load(std::memory_order_relaxed) != Ranges::lastSerial())
    noteUnknownWork(thread, handle, true);
}

GPUINSTR_HOT void noteUnknownWork(ThreadState &thread, uint64_t handle, bool keeps, bool mayWait) {
  Auditor &a = auditor();
  StreamState &stream = streamOf(thread, handle);
  const Order order = stream.countLaunch(mayWait);
  // A library's streams are not known; its kernels wait for no host.
  if (!keeps && a.underWay.load() != 0)
    putBehindHashes(a, stream, handle);
  stream.work.store(true, std::memory_order_relaxed);
  noteUnknownAccess(LaunchStamp::pack(order, stream.index), keeps);
}

namespace {

/// Details of a library's call without a handle: CudaApi.def.
enum GivenDetail : unsigned { BytesAtSource = 4, WordsAtSource = 5, FollowsAddresses = 6 };

/// What its attributes hold; UINT64_MAX where nobody can tell how much that is.
uint64_t searchedBytes(const cuda::CallOperands &o) {
  constexpr uint64_t Most = 4096;
  if (o.detail != BytesAtSource && o.detail != WordsAtSource)
    return 0;
  uint64_t count = o.slot(GPUINSTR_SLOT_BYTES);
  uint64_t bytes = o.detail == WordsAtSource ? count * sizeof(uint64_t) : count;
  return count <= Most && bytes <= Most ? bytes : UINT64_MAX;
}

/// Bytes of the last ones among its pointers, which lead to what is only read.
uint64_t onlyRead(const Call &call) {
  const bool says = call.site.slots >> GPUINSTR_SLOT_KIND & 1;
  const uint64_t words = says ? call.operands.slot(GPUINSTR_SLOT_KIND) : 0;
  return std::min(words, call.operands.slot(GPUINSTR_SLOT_PARAMS)) * sizeof(uint64_t);
}

} // namespace

void noteWorkOnGiven(const Call &call) {
  constexpr uint8_t Anything = GPUINSTR_ACCESS_READ | GPUINSTR_ACCESS_WRITE |
                               GPUINSTR_ACCESS_UNKNOWN | GPUINSTR_ACCESS_ESCAPE;
  Auditor &a = auditor();
  const cuda::CallOperands &o = call.operands;
  const uint64_t searched = searchedBytes(o);
  if (searched == UINT64_MAX)
    return noteUnknownWork(call.thread, 0, true, false);
  // The library's streams are not known, but what it was given any kernel may have from now on.
  const uint64_t now = noteKnownWork(call.thread, 0, false);
  cuda::Region attributes;
  attributes.address = o.slot(GPUINSTR_SLOT_SRC);
  attributes.width = searched;
  const bool isThere = searched >= sizeof(uint64_t) && hostAnswers(attributes);
  std::lock_guard<AuditMutex> lock(a.mutex);
  auto touchAll = [&](uint64_t words, uint64_t bytes, uint8_t access) {
    a.ranges.eachAddressIn(reinterpret_cast<const void *>(words), bytes,
                           [&](Range &range) { touchRange(range, access, now, call.chargedSite); });
  };
  const uint64_t pointers = o.slot(GPUINSTR_SLOT_ARGS),
                 bytes = o.slot(GPUINSTR_SLOT_PARAMS) * sizeof(uint64_t), read = onlyRead(call);
  touchAll(pointers, bytes - read, Anything);
  touchAll(pointers + bytes - read, read, GPUINSTR_ACCESS_READ);
  if (isThere) // the library looks for itself, and may refuse
    touchAll(attributes.address, searched, Anything);
  if (o.detail != FollowsAddresses)
    return;
  stampLaunch(Ranges::follower, now);
  Ranges::follows.fetch_add(1);
}

} // namespace gpuinstr::audit
