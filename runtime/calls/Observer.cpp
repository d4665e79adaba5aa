// The seam between the calls and all that looks at them.
// SPDX-License-Identifier: Apache-2.0
#include "calls/Observer.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/HotCode.h"
#include "calls/threads/DecodedOperands.h"
#include "calls/threads/RepeatedCalls.h"
#include "cuda/Driver.h"
#include "cuda/errors/ErrorNames.h"
#include <atomic>

namespace gpuinstr {

namespace {
constexpr unsigned MaxObservers = 32, Operations = 64;

/// In one place: three observers look at an allocation.
struct alignas(64) Table {
  std::atomic<uint32_t> muted{0}; ///< bit i: asked[i]
  unsigned size = 0;
  /// Bit i: asked[i] asks for the operation. Written before the first enter.
  struct Lookers {
    uint32_t before = 0, after = 0;
  } lookers[Operations];
  struct Asked {
    Observer *observer;
    Ask *before, *after;
  } asked[MaxObservers] = {};
};
static_assert(MaxObservers <= 32, "a bit for each");
GPUINSTR_HOT_DATA Table All;

void setMuted(const Observer &observer, bool muted) {
  for (unsigned i = 0; i < All.size; ++i)
    if (All.asked[i].observer == &observer)
      muted ? All.muted.fetch_or(1u << i) : All.muted.fetch_and(~(1u << i));
  uint32_t seen;
  do { // another thread's sum may be the older one
    seen = All.muted.load();
    uint64_t before = 0, after = 0;
    for (unsigned i = 0; i < All.size; ++i)
      if (!(seen >> i & 1)) {
        before |= All.asked[i].observer->asksBefore;
        after |= All.asked[i].observer->asksBefore | All.asked[i].observer->asksAfter;
      }
    ObservedBefore = before; // enter and leave read them meanwhile
    ObservedAfter = after;
  } while (seen != All.muted.load());
}

/// Bit i: asked[i] looks at the operation.
uint32_t notMuted(uint32_t lookers) { return lookers & ~All.muted.load(std::memory_order_relaxed); }

} // namespace

GPUINSTR_HOT uint64_t ticksOf(const Call &call) {
  const ThreadState &thread = call.thread;
  const RootCall &root = thread.root;
  const uint64_t nested = thread.depth ? thread.nestedStarts[thread.depth] : 0;
  return (root.end ? root.end : ticks()) - std::max(nested, root.start);
}

GPUINSTR_HOT const Surroundings &surroundingsOf(ThreadState &thread) {
  Surroundings &known = thread.surroundings;
  if (!known.asked)
    known = {true, currentDevice(), currentContext()};
  return known;
}

void addObserver(Observer &observer, Ask *before, Ask *after) {
  if (All.size == MaxObservers)
    return;
  for (unsigned op = 0; op < Operations; ++op) {
    All.lookers[op].before |= uint32_t(observer.asksBefore >> op & 1) << All.size;
    All.lookers[op].after |= uint32_t(observer.asksAfter >> op & 1) << All.size;
  }
  All.asked[All.size++] = {&observer, before, after};
  ObservedBefore |= observer.asksBefore;
  ObservedAfter |= observer.asksBefore | observer.asksAfter;
}

void muteObserver(const Observer &observer) { setMuted(observer, true); }

void unmuteObserver(const Observer &observer) {
  setMuted(observer, false);
  forgetAttributions(); // the fast path of launches asks nobody
}

const ShortLook NoLook = {[](ThreadState &, const gpuinstr_frame &) { return true; },
                          [](ThreadState &, const gpuinstr_frame &, int32_t) {}};
const ShortLook LookWhereBlocked = NoLook;

bool findShortLooks(const gpuinstr_site &site, LookMemo &looks) {
  // Of a copy the entry keeps what it touched, where the other looks would stand.
  const unsigned most = site.op == GPUINSTR_OP_COPY ? LookMemo::Few : LookMemo::Most;
  unsigned found = 0;
  uint32_t left =
      notMuted(All.lookers[site.op % Operations].before | All.lookers[site.op % Operations].after);
  for (; left; left &= left - 1) {
    const ShortLook *look = All.asked[__builtin_ctz(left)].observer->shortLook(site);
    const bool needsRoom = look != &NoLook && look != &LookWhereBlocked;
    if (!look || (needsRoom && found == most))
      return false;
    looks.blocks |= look == &LookWhereBlocked;
    if (!needsRoom)
      continue;
    (found < LookMemo::Few ? looks.looks[found] : looks.more[found - LookMemo::Few]) = look;
    ++found;
  }
  looks.numLooks = uint8_t(found);
  return true;
}

GPUINSTR_HOT void observeBefore(ThreadState &thread, const gpuinstr_frame &frame) {
  UncancelledScope uncancelled;
  BusyScope busy(thread);
  thread.waitedTicks = 0;
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  uint32_t left = notMuted(All.lookers[operation.op % Operations].before);
  for (; left; left &= left - 1) {
    const Table::Asked &next = All.asked[__builtin_ctz(left)];
    guarded([&] { next.before(*next.observer, call); });
  }
}

GPUINSTR_HOT void observeAfter(ThreadState &thread, const gpuinstr_frame &frame, int64_t result) {
  BusyScope busy(thread);
  thread.surroundings.asked = false;
  const cuda::CallOperands &operation = operandsOf(thread, frame);
  Call call{operation, *frame.site, thread, thread.root.site, thread.root.caller};
  constexpr uint32_t ReturnsStatus =
      GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_STATUS;
  if (frame.site->flags & ReturnsStatus)
    call.result = int32_t(result);
  call.failed = isError(call.result, *frame.site);
  if (!call.failed && operation.bytes != UINT64_MAX)
    thread.root.counters->bytes += (1 + thread.root.unseen) * operation.bytes;
  uint32_t left = notMuted(All.lookers[operation.op % Operations].after);
  for (; left; left &= left - 1) {
    const Table::Asked &next = All.asked[__builtin_ctz(left)];
    guarded([&] { next.after(*next.observer, call); });
  }
}

} // namespace gpuinstr
