// What the runtime knows of one thread: calls in progress, counters, the error nobody asked about.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Thread.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "calls/CudaState.h"
#include "findings/IgnoredErrors.h"
#include "options/Options.h"
#include "process/Lifecycle.h"
#include "time/exact/CallNotes.h"
#include "time/exact/ExactTimer.h"
#include <algorithm>
#include <mutex>
#include <new>
#include <pthread.h>

namespace gpuinstr {

__thread ThreadState *Self __attribute__((tls_model("initial-exec"))) = nullptr;
HotWords Hot;

namespace {

std::atomic<uint32_t> RarestStride{1};

struct Threads {
  std::mutex Mutex, PauseMutex;
  ThreadState *First = nullptr;
  CounterTable Ended; ///< counters of threads that ended
  unsigned EndedWithCalls = 0;
  OwnTicks EndedTicks;
  pthread_key_t Key;
  bool HasKey = false;
};

void retire(void *thread);

Threads &threads() {
  static Threads *instance = [] {
    auto *t = new Threads; // leaked: threads end after static destructors
    t->HasKey = pthread_key_create(&t->Key, retire) == 0;
    return t;
  }();
  return *instance;
}

uint32_t currentEpoch() { return uint32_t(GlobalState.load()) >> 1; }

SiteCounters *sumOf(CounterTable &into, SiteIndex index, uint32_t epoch) {
  SiteCounters *sum = into.make(index);
  if (sum && sum->epoch != epoch) {
    sum->clear();
    sum->epoch = epoch;
  }
  return sum;
}

void mergeTable(CounterTable &into, const CounterTable &from, uint32_t epoch) {
  from.each([&](SiteIndex index, const SiteCounters &counters) {
    if (counters.epoch != epoch)
      return;
    if (SiteCounters *sum = sumOf(into, index, epoch))
      sum->merge(counters);
  });
}

/// What the thread has not put into its counters yet. While it does so, a few calls may be seen
/// twice.
void mergeDurations(CounterTable &into, const ThreadState &thread, uint32_t epoch) {
  uint32_t number = thread.numDurations;
  for (uint32_t i = 0; i < number; ++i) {
    const SiteCounters *counters = thread.durations[i].counters;
    SiteCounters *sum =
        counters && counters->epoch == epoch ? sumOf(into, counters->index, epoch) : nullptr;
    if (!sum)
      continue;
    if (sum->calls == 0)
      sum->caller = SiteIndex(counters->caller);
    sum->calls += 1;
    sum->host.add(thread.durations[i].ticks, thread.durations[i].weight);
  }
  for (const Charge &charge : thread.charges)
    if (uint32_t calls = charge.untimed)
      if (const SiteCounters *counters = charge.counters; counters && counters->epoch == epoch)
        if (SiteCounters *sum = sumOf(into, counters->index, epoch))
          sum->calls += calls;
}

bool hasCalls(const ThreadState &thread, uint32_t epoch) {
  bool any = false;
  thread.counters.each([&](SiteIndex, const SiteCounters &counters) {
    any |= counters.epoch == epoch && counters.calls != 0;
  });
  return any;
}

void countUntimed(ThreadState &thread) {
  for (Charge &charge : thread.charges) {
    if (charge.untimed)
      charge.counters->calls += charge.untimed;
    charge.untimed = 0;
  }
}

/// What counts as start-up is taken off before the call that it was part of is added.
uint64_t ownTicksOf(const ThreadState &thread) {
  return uint64_t(std::max<int64_t>(0, int64_t(uint64_t(thread.ownTicks))));
}

/// A thread ends: its counters are handed over. Calls that other destructors of this thread still
/// make start a new state, which this destructor sees in a later round.
void retire(void *state) {
  auto *thread = static_cast<ThreadState *>(state);
  Threads &all = threads();
  Self = nullptr;
  {
    std::lock_guard<std::mutex> lock(all.Mutex);
    flushDurations(*thread);
    countUntimed(*thread);
    mergeTable(all.Ended, thread->counters, currentEpoch()); // allocates without throwing
    all.EndedWithCalls += hasCalls(*thread, currentEpoch());
    all.EndedTicks.own += ownTicksOf(*thread);
    all.EndedTicks.life += ticks() - thread->startTicks;
    (thread->previous ? thread->previous->next : all.First) = thread->next;
    if (thread->next)
      thread->next->previous = thread->previous;
  }
  if (thread->pending.armed)
    guarded([&] { ignoredErrorIsFinal(thread->pending); });
  if (thread->exact.log)
    guarded([&] { timing::endExactThread(*thread); });
  delete thread;
}

} // namespace

ThreadState *attachThread() {
  if (isDisabled())
    return nullptr;
  auto *thread = new (std::nothrow) ThreadState;
  if (!thread)
    return nullptr;
  thread->startTicks = ticks();
  Threads &all = threads();
  {
    std::lock_guard<std::mutex> lock(all.Mutex);
    thread->next = all.First;
    if (all.First)
      all.First->previous = thread;
    all.First = thread;
  }
  if (all.HasKey)
    pthread_setspecific(all.Key, thread);
  syncThread(*thread);
  Self = thread;
  return thread;
}

void syncThread(ThreadState &thread) {
  flushDurations(thread);
  countUntimed(thread);
  thread.state = GlobalState.load(std::memory_order_acquire);
  thread.paused = thread.state & 1;
  thread.epoch = uint32_t(thread.state) >> 1;
}

void flushDurations(ThreadState &thread) {
  uint32_t number = thread.numDurations;
  for (uint32_t i = 0; i < number; ++i) {
    const Duration &d = thread.durations[i];
    SiteCounters &counters = *d.counters;
    counters.calls += 1;
    counters.host.add(d.ticks, d.weight);
  }
  thread.numDurations = 0;
}

void flushAndPlan(ThreadState &thread, uint64_t now) {
  constexpr uint32_t MostStride = 16;
  uint64_t calls = 0;
  for (uint32_t i = 0; i < thread.numDurations; ++i)
    calls += thread.durations[i].weight;
  flushDurations(thread);
  uint64_t elapsed = now - thread.flushTicks;
  if (thread.flushTicks && calls) {
    // The stamps may take an eighth of the budget.
    double share = options::options().budget / 800.0, period = double(elapsed) / double(calls);
    uint32_t stride = 1;
    while (stride < MostStride && Hot.stampTicks > share * period * stride)
      stride *= 2;
    thread.stride = stride;
    if (stride > RarestStride.load(std::memory_order_relaxed))
      RarestStride.store(stride, std::memory_order_relaxed);
  }
  thread.flushTicks = now;
}

void endBlock(ThreadState &thread, Charge &charge, uint64_t now) {
  // Those of this block stand for the ones left out before it: together they took no longer than it
  // is since the last block. One stall of the host is not one of all of them.
  uint64_t stoodFor = charge.weight * charge.blockTicks, passed = now - charge.blockEnd;
  if (charge.weight > 1 && stoodFor > passed)
    charge.counters->host.takeOff(stoodFor - passed);
  charge.blockTicks = 0;
  charge.blockEnd = now;
  charge.counters->calls += charge.untimed;
  charge.untimed = 0;
  charge.left = TimedBlock;
  bool launch = charge.site->op == GPUINSTR_OP_LAUNCH; // others may be asked for their start
  uint32_t blocks = launch ? nextRandom(thread) % (2 * thread.stride - 1) : 0;
  charge.skip = uint16_t(blocks * TimedBlock); // stride - 1 blocks in the mean
  charge.weight = uint16_t(1 + blocks);
}

uint32_t rarestStride() { return RarestStride.load(); }

void forgetCharges() { GlobalState.fetch_add(uint64_t(1) << 32); }

SiteCounters *prepareCounters(ThreadState &thread, SiteIndex index, SiteIndex from) {
  const gpuinstr_site *site = siteAt(index);
  if (!site)
    return &thread.discard;
  BusyScope busy(thread);
  SiteCounters *counters = thread.counters.make(index);
  if (!counters)
    return &thread.discard;
  SiteInfo *info = siteInfo(index);
  if (counters->epoch != thread.epoch) {
    counters->clear();
    counters->epoch = thread.epoch;
    counters->takesFirst = !info->firstClaimed.exchange(true);
  }
  info->ran.store(true, std::memory_order_relaxed);
  if (SiteInfo *own = siteInfo(from))
    own->ran.store(true, std::memory_order_relaxed);
  if (site->op != GPUINSTR_OP_CALLER && site->op != GPUINSTR_OP_REGION)
    noteCudaCall(index);
  return counters;
}

void setPaused(PauseReason reason, bool paused) {
  static unsigned reasons = 0;
  Pause ended;
  {
    std::lock_guard<std::mutex> lock(threads().PauseMutex);
    unsigned bit = 1u << unsigned(reason);
    reasons = paused ? reasons | bit : reasons & ~bit;
    if (reasons)
      GlobalState.fetch_or(1);
    else
      GlobalState.fetch_and(~uint64_t(1));
    ended = setRecording(reasons == 0);
  }
  if (ended.endNs)
    timing::addPause(ended);
}

bool isPaused() { return GlobalState.load(std::memory_order_relaxed) & 1; }

void startNewEpoch() {
  for (SiteIndex i = 1; i <= lastSiteIndex(); ++i)
    if (SiteInfo *info = siteInfo(i))
      info->firstClaimed.store(false, std::memory_order_relaxed);
  {
    std::lock_guard<std::mutex> lock(threads().PauseMutex);
    restartRecording();
  }
  GlobalState.fetch_add(2); // of 2^31 resets the last would be one for the charges as well
}

void mergeCounters(CounterTable &into) {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  uint32_t epoch = currentEpoch();
  mergeTable(into, all.Ended, epoch);
  for (ThreadState *thread = all.First; thread; thread = thread->next) {
    mergeTable(into, thread->counters, epoch);
    mergeDurations(into, *thread, epoch);
  }
}

unsigned threadsWithCalls() {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  unsigned sum = all.EndedWithCalls;
  for (ThreadState *thread = all.First; thread; thread = thread->next)
    sum += hasCalls(*thread, currentEpoch());
  return sum;
}

OwnTicks totalOwnTicks() {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  OwnTicks sum = all.EndedTicks;
  uint64_t now = ticks();
  for (ThreadState *thread = all.First; thread; thread = thread->next) {
    sum.own += ownTicksOf(*thread);
    sum.life += now - thread->startTicks;
  }
  return sum;
}

void eachPendingError(void (*visit)(const PendingError &, void *), void *context) {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  for (ThreadState *thread = all.First; thread; thread = thread->next)
    if (thread->pending.armed)
      visit(thread->pending, context);
}

void lockThreads() {
  threads().Mutex.lock();
  threads().PauseMutex.lock();
}
void unlockThreads() {
  threads().PauseMutex.unlock();
  threads().Mutex.unlock();
}

void forgetOtherThreads() {
  Threads &all = threads();
  // Their states are leaked: another thread's heap blocks may be half written.
  all.First = Self;
  all.EndedWithCalls = 0;
  all.EndedTicks = {};
  if (Self) {
    Self->startTicks = ticks();
    Self->next = Self->previous = nullptr;
    Self->ownTicks = 0;
    Self->pending = {};
    Self->ranges = {};
    Self->timed = {};
    Self->exact = {};
    Self->notUp = true;
  }
}

} // namespace gpuinstr
