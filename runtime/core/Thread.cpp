// What the runtime knows of one thread: calls in progress, counters, the error nobody asked about.
// SPDX-License-Identifier: Apache-2.0
#include "core/Thread.h"
#include "core/Errors.h"
#include "core/Guard.h"
#include "core/Lifecycle.h"
#include "core/State.h"
#include "time/Exact.h"
#include <mutex>
#include <new>
#include <pthread.h>

namespace gpuinstr::core {

__thread ThreadState *Self __attribute__((tls_model("initial-exec"))) = nullptr;
std::atomic<uint32_t> GlobalState{2}; // epoch 1: new counters, of epoch 0, are cleared before use

namespace {

struct Threads {
  std::mutex Mutex;
  ThreadState *First = nullptr;
  CounterTable Ended; ///< counters of threads that ended
  uint64_t EndedOwnTicks = 0;
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

void mergeTable(CounterTable &into, const CounterTable &from, uint32_t epoch) {
  from.each([&](SiteIndex index, const SiteCounters &counters) {
    if (counters.epoch != epoch)
      return;
    if (SiteCounters *sum = into.make(index)) {
      if (sum->epoch != epoch) {
        sum->clear();
        sum->epoch = epoch;
      }
      sum->merge(counters);
    }
  });
}

/// A thread ends: its counters are handed over. Calls that other destructors of this thread still
/// make start a new state, which this destructor sees in a later round.
void retire(void *state) {
  auto *thread = static_cast<ThreadState *>(state);
  Threads &all = threads();
  Self = nullptr;
  {
    std::lock_guard<std::mutex> lock(all.Mutex);
    mergeTable(all.Ended, thread->counters, GlobalState.load() >> 1); // allocates without throwing
    all.EndedOwnTicks += thread->ownTicks;
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
  thread.state = GlobalState.load(std::memory_order_acquire);
  thread.paused = thread.state & 1;
  thread.epoch = thread.state >> 1;
}

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

void setPaused(bool paused) {
  if (paused)
    GlobalState.fetch_or(1);
  else
    GlobalState.fetch_and(~1u);
}

bool isPaused() { return GlobalState.load(std::memory_order_relaxed) & 1; }

void startNewEpoch() {
  for (SiteIndex i = 1; i <= lastSiteIndex(); ++i)
    if (SiteInfo *info = siteInfo(i))
      info->firstClaimed.store(false, std::memory_order_relaxed);
  GlobalState.fetch_add(2);
}

void mergeCounters(CounterTable &into) {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  uint32_t epoch = GlobalState.load() >> 1;
  mergeTable(into, all.Ended, epoch);
  for (ThreadState *thread = all.First; thread; thread = thread->next)
    mergeTable(into, thread->counters, epoch);
}

uint64_t totalOwnTicks() {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  uint64_t sum = all.EndedOwnTicks;
  for (ThreadState *thread = all.First; thread; thread = thread->next)
    sum += thread->ownTicks;
  return sum;
}

void eachPendingError(void (*visit)(const PendingError &, void *), void *context) {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.Mutex);
  for (ThreadState *thread = all.First; thread; thread = thread->next)
    if (thread->pending.armed)
      visit(thread->pending, context);
}

void lockThreads() { threads().Mutex.lock(); }
void unlockThreads() { threads().Mutex.unlock(); }

void forgetOtherThreads() {
  Threads &all = threads();
  // Their states are leaked: another thread's heap blocks may be half written.
  all.First = Self;
  all.EndedOwnTicks = 0;
  if (Self) {
    Self->next = Self->previous = nullptr;
    Self->ownTicks = 0;
    Self->pending = {};
    Self->ranges = {};
    Self->timed = {};
    Self->exact = {};
    Self->cudaUp = false;
  }
}

} // namespace gpuinstr::core
