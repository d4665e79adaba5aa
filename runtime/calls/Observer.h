// The seam between the calls and all that looks at them: ledger, errors; later audits and timers.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_OBSERVER_H
#define GPUINSTR_CALLS_OBSERVER_H

#include "base/HotCode.h"
#include "base/SharedHotState.h"
#include "calls/threads/Thread.h"
#include "cuda/operands/CallOperands.h"

namespace gpuinstr {

/// Detail of OTHER, see CudaApi.def: of no row of the plugin's table, and no question either.
constexpr unsigned DoesAnything = 2;

/// A call with its operands. Charged to the root's site and caller, wherever it was made.
struct Call {
  const cuda::CallOperands &operands;
  const gpuinstr_site &site; ///< of the call itself, maybe inside a CUDA header
  ThreadState &thread;
  SiteIndex chargedSite, caller;
  int32_t result = 0;  ///< after only
  bool failed = false; ///< after only: not a status such as cudaErrorNotReady
};

/// In a leave: ticks that the call has taken, inside another one its own alone. Of no launch.
uint64_t ticksOf(const Call &call);
/// In a leave: where the thread is. The driver is asked once, for all observers.
const Surroundings &surroundingsOf(ThreadState &thread);
inline const Surroundings &surroundingsOf(const Call &call) { return surroundingsOf(call.thread); }

/// How an observer looks at calls that come again and again, on the fast path: nothing is decoded,
/// and the call is attributed already. It takes what it needs from the frame.
struct ShortLook {
  /// In the enter. False: this call has to go the slow way, where all are asked, also those that
  /// have said true. Only one behind which no other says false may therefore leave something behind
  /// that does harm twice.
  bool (*before)(ThreadState &, const gpuinstr_frame &);
  /// In a leave of a call that did not fail. Null: there is nothing to do.
  void (*after)(ThreadState &, const gpuinstr_frame &, int32_t result);
  /// Of calls that come once more at once. Null: who `holds` needs none, others want each call.
  const SameLook *same = nullptr;
  /// What `before` said of a call it says of the same one behind it, where nothing else happens.
  bool holds = false;
};
/// There is nothing to see in them.
extern const ShortLook NoLook;
/// Copies that block: a leave asks Hooks.copyBlocked, for their entry has no room for another look.
extern const ShortLook LookWhereBlocked;

/// An allocation of the device's memory that says how many bytes, or its free: nothing else is to
/// be read from the frame.
inline bool isPlainMemory(const gpuinstr_site &site) {
  constexpr uint32_t OfFree = 1u << GPUINSTR_SLOT_DST, OfAlloc = OfFree | 1u << GPUINSTR_SLOT_BYTES;
  return site.resource == GPUINSTR_RES_DEVICE && site.detail == 0 &&
         ((site.op == GPUINSTR_OP_ALLOC && site.slots == OfAlloc) ||
          (site.op == GPUINSTR_OP_FREE && site.slots == OfFree));
}

/// Sees calls of the operations it asks for, on the thread that makes them; must not block, and
/// must lock what it shares. A call that an exception leaves has no after.
class Observer {
public:
  /// Bit i: operation i.
  explicit Observer(uint64_t seen) : Observer(seen, seen) {}
  Observer(uint64_t seenBefore, uint64_t seenAfter)
      : asksBefore(seenBefore), asksAfter(seenAfter) {}
  virtual ~Observer() = default;
  virtual void before(const Call &) {}
  virtual void after(const Call &) {}
  /// How it looks at calls of this site that are outermost ones and come again. Null: as at all
  /// others.
  virtual const ShortLook *shortLook(const gpuinstr_site &) const { return nullptr; }
  const uint64_t asksBefore, asksAfter;
};

constexpr uint64_t opBit(unsigned op) { return uint64_t(1) << op; }

/// How an observer is asked: of a final class without its table of virtual functions, which is two
/// more lines and pages that the driver has evicted.
using Ask = void(Observer &, const Call &);
template <class T> GPUINSTR_HOT void askBefore(Observer &observer, const Call &call) {
  static_cast<T &>(observer).before(call);
}
template <class T> GPUINSTR_HOT void askAfter(Observer &observer, const Call &call) {
  static_cast<T &>(observer).after(call);
}
void addObserver(Observer &observer, Ask *before, Ask *after);

/// Before the first enter, and never removed.
template <class T> void addObserver(T &observer) {
  addObserver(observer, askBefore<T>, askAfter<T>);
}
/// It is asked no more; of a call in progress it may have seen the before alone.
void muteObserver(const Observer &observer);
/// Asked again, from the next call on that any thread makes.
void unmuteObserver(const Observer &observer);

/// Operations that somebody looks at: the hot path asks these alone. In the leave also those of
/// which only the enter is looked at: their bytes are counted there.
inline constexpr std::atomic<uint64_t> &ObservedBefore = HotState.observedBefore;
inline constexpr std::atomic<uint64_t> &ObservedAfter = HotState.observedAfter;

/// Called in the enter of every kernel launch that has operands: the one operation so frequent that
/// it is not decoded. Must not block. Set before the first enter; may change while other threads
/// launch, so it is loaded once, acquires what was written before it was set, and may still be
/// called for a moment after it was taken away.
inline constexpr auto &LaunchHook = HotState.launchHook;

/// The looks that there are at calls of this site, in their observers' order. False: somebody has
/// none, or there are more.
struct LookMemo;
bool findShortLooks(const gpuinstr_site &site, LookMemo &looks);

/// What a ShortLook reads: a slot that the site has, else 0; and the stream as cuda::decode() does.
inline uint64_t slotOf(const gpuinstr_frame &frame, unsigned slot) {
  return frame.site->slots >> slot & 1 ? frame.slot[slot] : 0;
}
inline uint64_t streamHandle(const gpuinstr_frame &frame) {
  constexpr uint64_t PerThread = 2;
  uint64_t handle = slotOf(frame, GPUINSTR_SLOT_STREAM);
  return handle == 0 && frame.site->flags & GPUINSTR_SITE_PER_THREAD ? PerThread : handle;
}

void observeBefore(ThreadState &thread, const gpuinstr_frame &frame);
void observeAfter(ThreadState &thread, const gpuinstr_frame &frame, int64_t result);

} // namespace gpuinstr

#endif
