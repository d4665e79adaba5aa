// What the runtime knows of one thread: calls in progress, counters, the error nobody asked about.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/Thread.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "base/Guard.h"
#include "base/Part.h"
#include "base/ProcessState.h"
#include "base/text/Stderr.h"
#include "calls/CallHooks.h"
#include "calls/CudaState.h"
#include "calls/OtherThreads.h"
#include "calls/threads/RepeatedCalls.h"
#include <algorithm>
#include <mutex>
#include <new>
#include <pthread.h>

namespace gpuinstr {

__thread ThreadState *Self __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

/// What only the list of threads asks for.
struct ListedThread : ThreadState {
  const uintptr_t pointer = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
};

struct Threads {
  std::mutex mutex, pauseMutex;
  ThreadState *first = nullptr;
  CounterTable ended; ///< counters of threads that ended
  unsigned endedWithCalls = 0;
  OwnTicks endedTicks;
  pthread_key_t key;
  bool hasKey = false;
};

void retire(void *thread);

Threads &threads() {
  static Threads *instance = [] {
    auto *t = new Threads; // leaked: threads end after static destructors
    t->hasKey = pthread_key_create(&t->key, retire) == 0;
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
void mergeDurations(CounterTable &into, ThreadState &thread, uint32_t epoch) {
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
  eachAttribution(thread, [&](const SiteAttribution &attribution) {
    if (uint32_t calls = attribution.untimed)
      if (const SiteCounters *counters = attribution.counters; counters && counters->epoch == epoch)
        if (SiteCounters *sum = sumOf(into, counters->index, epoch))
          sum->calls += calls;
  });
}

bool hasCalls(const ThreadState &thread, uint32_t epoch) {
  bool any = false;
  thread.counters.each([&](SiteIndex, const SiteCounters &counters) {
    any |= counters.epoch == epoch && counters.calls != 0;
  });
  return any;
}

void countUntimed(ThreadState &thread) {
  eachAttribution(thread, [](SiteAttribution &attribution) {
    if (attribution.untimed)
      attribution.counters->calls += attribution.untimed;
    attribution.untimed = 0;
  });
}

/// What counts as start-up is taken off before the call that it was part of is added.
uint64_t ownTicksOf(const ThreadState &thread) {
  const uint64_t places = thread.lookCosts.looks * thread.lookCosts.lookTicks;
  return places + uint64_t(std::max<int64_t>(0, int64_t(uint64_t(thread.ownTicks))));
}

/// A thread of our own takes nothing of the program's time: its cost counts, its life does not.
uint64_t lifeOf(const ThreadState &thread, uint64_t now) {
  return thread.ours ? 0 : now - thread.startTicks;
}

/// A thread ends: its counters are handed over. Calls that other destructors of this thread still
/// make start a new state, which this destructor sees in a later round.
void retireState(void *state) {
  auto *thread = static_cast<ThreadState *>(state);
  Threads &all = threads();
  Self = nullptr;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    countAll(*thread);
    mergeTable(all.ended, thread->counters, currentEpoch()); // allocates without throwing
    all.endedWithCalls += hasCalls(*thread, currentEpoch());
    all.endedTicks.own += ownTicksOf(*thread);
    all.endedTicks.life += lifeOf(*thread, ticks());
    (thread->previous ? thread->previous->next : all.first) = thread->next;
    if (thread->next)
      thread->next->previous = thread->previous;
  }
  for (unsigned i = 0; i < thread->pending.number; ++i)
    guarded([&] { Hooks.errorUnasked(thread->pending.lines[i]); });
  if (thread->exact.log)
    guarded([&] { Hooks.exactThreadEnds(*thread); });
  delete thread->repeatedCalls.load();
  delete static_cast<ListedThread *>(thread);
}

void retire(void *state) {
  guarded([&] { retireState(state); });
}

} // namespace

void countAll(ThreadState &thread) {
  flushDurations(thread);
  countUntimed(thread);
}

/// Once a process: the report may have no other sign of it.
static void tellUnwatched() {
  static std::atomic<bool> told{false};
  MemoryLosses.fetch_add(1, std::memory_order_relaxed);
  if (!told.exchange(true))
    writeToStderr("gpuinstr: no memory to watch a thread with; its calls are missing\n");
}

ThreadState *attachThread() {
  if (isDisabled())
    return nullptr;
  Threads *list = nullptr;
  guarded([&] { list = &threads(); });
  ThreadState *thread = list ? new (std::nothrow) ListedThread : nullptr;
  if (!thread) {
    tellUnwatched();
    return nullptr;
  }
  thread->startTicks = ticks();
  thread->ours = isBackgroundThread();
  Threads &all = *list;
  {
    std::lock_guard<std::mutex> lock(all.mutex);
    thread->next = all.first;
    if (all.first)
      all.first->previous = thread;
    all.first = thread;
  }
  if (all.hasKey)
    pthread_setspecific(all.key, thread);
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

void forgetAttributions() { GlobalState.fetch_add(uint64_t(1) << 32); }

SiteCounters *prepareCounters(ThreadState &thread, SiteIndex index, SiteIndex from) {
  const gpuinstr_site *site = siteAt(index);
  if (!site)
    return &thread.discard;
  BusyScope busy(thread);
  UncancelledScope uncancelled;
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
    std::lock_guard<std::mutex> lock(threads().pauseMutex);
    unsigned bit = 1u << unsigned(reason);
    reasons = paused ? reasons | bit : reasons & ~bit;
    if (reasons)
      GlobalState.fetch_or(1);
    else
      GlobalState.fetch_and(~uint64_t(1));
    ended = setRecording(reasons == 0);
  }
  if (ended.endNs)
    Hooks.pauseEnded(ended);
}

bool isPaused() { return GlobalState.load(std::memory_order_relaxed) & 1; }

void startNewEpoch() {
  for (SiteIndex i = 1; i <= lastSiteIndex(); ++i)
    if (SiteInfo *info = siteInfo(i))
      info->firstClaimed.store(false, std::memory_order_relaxed);
  {
    std::lock_guard<std::mutex> lock(threads().pauseMutex);
    restartRecording();
  }
  GlobalState.fetch_add(2); // of 2^31 resets the last would be one for the attributions as well
}

void mergeCounters(CounterTable &into) {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  uint32_t epoch = currentEpoch();
  mergeTable(into, all.ended, epoch);
  for (ThreadState *thread = all.first; thread; thread = thread->next) {
    mergeTable(into, thread->counters, epoch);
    mergeDurations(into, *thread, epoch);
  }
}

unsigned threadsWithCalls() {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  unsigned sum = all.endedWithCalls;
  for (ThreadState *thread = all.first; thread; thread = thread->next)
    sum += hasCalls(*thread, currentEpoch());
  return sum;
}

OwnTicks totalOwnTicks() {
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  OwnTicks sum = all.endedTicks;
  uint64_t now = ticks();
  for (ThreadState *thread = all.first; thread; thread = thread->next) {
    sum.own += ownTicksOf(*thread);
    sum.life += lifeOf(*thread, now);
  }
  return sum;
}

double largestLoad(uint64_t elapsed) {
  // CuPy's, PyTorch's and JAX's steps take two to four times as much longer as their looks take:
  // the rest is what the callbacks take in CUPTI, and what they drive out of the caches
  // (docs/Attach.md).
  constexpr double Beside = 4;
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  double most = 0;
  for (ThreadState *thread = all.first; thread; thread = thread->next) {
    LookCosts &f = thread->lookCosts;
    const uint64_t looks = f.looks, since = looks - std::exchange(f.looksBefore, looks);
    if (elapsed)
      most = std::max(most, Beside * double(since) * f.lookTicks / double(elapsed));
  }
  return most;
}

std::vector<uintptr_t> otherThreadPointers() {
  std::vector<uintptr_t> found;
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (ThreadState *thread = all.first; thread; thread = thread->next)
    if (thread != Self && !thread->ours)
      found.push_back(static_cast<ListedThread *>(thread)->pointer);
  return found;
}

std::vector<PendingError> pendingErrors() {
  std::vector<PendingError> found;
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  for (ThreadState *thread = all.first; thread; thread = thread->next)
    found.insert(found.end(), thread->pending.lines,
                 thread->pending.lines + thread->pending.number);
  return found;
}

void PendingErrors::add(const PendingError &one) {
  for (unsigned i = 0; i < number; ++i)
    if (lines[i].isLike(one)) {
      ++lines[i].count;
      if (lines[i].rightKind != one.rightKind)
        lines[i].rightKind = 0;
      return;
    }
  if (number == Most)
    return;
  lines[number] = one;
  lines[number++].count = 1;
}

namespace {

/// The other threads are gone, and their calls were the parent's. Their states are leaked: another
/// thread's heap blocks may be half written.
void forgetOtherThreads() {
  Threads &all = threads();
  all.first = Self;
  all.endedWithCalls = 0;
  all.endedTicks = {};
  if (!Self)
    return;
  Self->startTicks = ticks();
  Self->next = Self->previous = nullptr;
  Self->ownTicks = 0;
  Self->pending = {};
  Self->ranges = {};
  Self->timed = {};
  Self->exact = {};
  Self->notUp = true;
}

class ThreadsPart : public Part {
public:
  void lock() override {
    threads().mutex.lock();
    threads().pauseMutex.lock();
  }
  void unlock() override {
    threads().pauseMutex.unlock();
    threads().mutex.unlock();
  }
  void childAfterFork() override {
    forgetOtherThreads();
    forgetCallsWithoutRoom();
    startNewEpoch();
  }
  void reset() override {
    forgetCallsWithoutRoom();
    startNewEpoch();
  }
  void notes(std::vector<std::string> &to, Ending) override {
    if (uint64_t losses = MemoryLosses.load())
      to.push_back("out of host memory " + std::to_string(losses) +
                   " times: what was to be noted then is missing, and nothing is proven");
    if (uint64_t calls = callsWithoutRoom())
      to.push_back("small stacks: " + std::to_string(calls) +
                   " calls with less than 32 KiB of stack were not looked at");
  }
};

} // namespace

Part &threadsPart() {
  static Part *part = new ThreadsPart; // leaked: used during exit
  return *part;
}

} // namespace gpuinstr
