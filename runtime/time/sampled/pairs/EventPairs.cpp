// Pooled pairs of CUDA events around single operations, read when the device has passed them.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/pairs/EventPairs.h"
#include "base/Clock.h"
#include "calls/budget/OwnStart.h"
#include "time/sampled/pairs/EventOverhead.h"
#include "time/sampled/pairs/Filler.h"
#include "time/sampled/pairs/PairReader.h"
#include "trace/Describe.h"
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpuinstr::timing {

namespace {

constexpr unsigned MaxContexts = 32;
/// Of them, for operations of new sites alone: where the host is far ahead of the device, the
/// others are pending around sites that came before.
constexpr unsigned PairsForNew = 16, CommonPairs = PairsPerContext - PairsForNew;
/// Pools are never freed: the contexts that a process makes after so many are not timed.
constexpr unsigned MostPools = 256;

struct Pool {
  std::atomic<uint64_t> context{0}; ///< 0: gone
  int16_t device = -1;
  EventOverhead overhead;
  std::atomic<unsigned> nextFree{0}, nextPending{0}, nextOther{0};
  std::atomic<unsigned> made{0}; ///< of the common ones the first so many have events
  std::atomic<int> failures{0};
  std::atomic<bool> used{false}, fillerAsked{false};
  std::atomic<Filler *> filler{nullptr};
  /// Bit i: pair i is pending. Each pair lies in lines of its own, out of the caches.
  std::atomic<uint64_t> pending{0};
  static_assert(PairsPerContext == 64);
  Pair pairs[PairsPerContext];
};

uint64_t bitOf(const Pair &pair) { return uint64_t(1) << pair.number; }

/// The numbers of those in `pending`, from `first` on and around, until `visit` says false.
template <class Visit> void eachNumber(uint64_t pending, unsigned first, Visit visit) {
  first %= PairsPerContext;
  uint64_t left = first ? pending >> first | pending << (PairsPerContext - first) : pending;
  for (; left; left &= left - 1)
    if (!visit((first + unsigned(__builtin_ctzll(left))) % PairsPerContext))
      return;
}

std::atomic<Pool *> Pools[MaxContexts];
std::atomic<unsigned> PoolsMade{0};
/// The context that was last asked for a filler, by its handle.
std::atomic<uint64_t> FillerIn{0};
/// A pair that is pending since then no longer stands for those behind it: some 50 ms.
constexpr uint64_t LongTicks = 100000000;
/// After so many refusals of the driver in a row a context is left alone.
constexpr int MostFailures = 8;

/// Ids are never used again, unlike handles.
uint64_t idOf(const DriverApi &api, void *context) {
  unsigned long long id = 0;
  if (context && api.ctxGetId && api.ctxGetId(context, &id) == Success && id)
    return id;
  return reinterpret_cast<uint64_t>(context);
}

/// 0: no context on this thread.
uint64_t contextOf(const DriverApi &api) {
  void *context = nullptr;
  if (!api.ctxGetCurrent || api.ctxGetCurrent(&context) != Success)
    return 0;
  return idOf(api, context);
}

bool move(Pair &pair, uint32_t from, uint32_t to) {
  return pair.state.compare_exchange_strong(from, to, std::memory_order_acq_rel);
}

/// The context's pool; `place` is where a new one may stand: where the pool of a context that is
/// gone stood, or at the end. nullptr: nowhere.
Pool *findPool(uint64_t context, std::atomic<Pool *> *&place) {
  place = nullptr;
  for (std::atomic<Pool *> &slot : Pools) {
    Pool *pool = slot.load(std::memory_order_acquire);
    uint64_t its = pool ? pool->context.load(std::memory_order_relaxed) : 0;
    if (its == context)
      return pool;
    if (!its && !place)
      place = &slot;
    if (!pool)
      break;
  }
  return nullptr;
}

/// Whether the current context may be no thread's that reads at the end: there is another one, or
/// it is not the program's first thread that has it.
bool mayBeLeft() {
  unsigned live = 0;
  for (std::atomic<Pool *> &slot : Pools)
    if (Pool *pool = slot.load(std::memory_order_acquire))
      live += pool->context.load() != 0;
  return live > 1 || syscall(SYS_gettid) != getpid();
}

/// Makes one when `make`; leaked, like the events in it, since others may have it in their hands.
Pool *poolOf(uint64_t context, bool make) {
  std::atomic<Pool *> *place = nullptr;
  Pool *pool = context ? findPool(context, place) : nullptr;
  if (pool || !make || !place)
    return pool;
  auto *fresh = PoolsMade.load() < MostPools ? new (std::nothrow) Pool : nullptr;
  if (!fresh)
    return nullptr;
  fresh->context.store(context);
  fresh->device = int16_t(currentDevice());
  for (unsigned i = 0; i < PairsPerContext; ++i) {
    fresh->pairs[i].device = fresh->device;
    fresh->pairs[i].number = uint16_t(i);
    fresh->pairs[i].pending = &fresh->pending;
  }
  Pool *before = place->load(std::memory_order_acquire);
  if ((!before || !before->context.load()) &&
      place->compare_exchange_strong(before, fresh, std::memory_order_acq_rel)) {
    PoolsMade.fetch_add(1);
    return fresh;
  }
  delete fresh; // another thread was first, perhaps for this context
  return findPool(context, place);
}

/// Not when the pool is made: a device that has done nothing yet is slow.
void firstUse(const DriverApi &api, Pool &pool) {
  OwnStart start;
  pool.overhead.calibrate(api);
  if (mayBeLeft())
    readAfterWaits();
}

bool makeEvents(const DriverApi &api, Pair &pair) {
  return api.eventCreate(&pair.start, 0) == Success && api.eventCreate(&pair.stop, 0) == Success;
}

/// Reads a pair that the caller has made Busy. False: not finished.
bool read(const DriverApi &api, Pool &pool, Pair &pair) {
  float ms = 0;
  const int result = api.eventElapsedTime(&ms, pair.start, pair.stop);
  if (result == NotReady)
    return false;
  if (result == Success) {
    Corrected corrected = pool.overhead.correct(api, pair, double(ms) * 1e6);
    noteTimed(pair.timed, pair.device, corrected.ns, corrected.doubtNs, corrected.isPoor);
    pair.timed.trace.device = pair.device < 0 ? trace::NoDevice : uint16_t(pair.device);
    if (pair.timed.trace.site)
      trace::addSampled(pair.timed.trace, pair.timed.startTicks, corrected.afterNs, corrected.ns,
                        corrected.doubtNs);
  }
  return true; // an error of the program's, or a context that died: the sample is lost
}

enum class Answer { Done, NotYet, NotForLong };

Answer tryRead(const DriverApi &api, Pool &pool, Pair &pair) {
  if (!move(pair, Pair::Pending, Pair::Busy))
    return Answer::NotYet; // another thread asks
  bool done = read(api, pool, pair);
  bool old = ticks() - pair.timed.startTicks > LongTicks;
  if (done)
    pool.pending.fetch_and(~bitOf(pair), std::memory_order_relaxed);
  pair.state.store(done ? Pair::Free : Pair::Pending, std::memory_order_release);
  return done ? Answer::Done : old ? Answer::NotForLong : Answer::NotYet;
}

/// One of the others that are pending, in turns; one that has not waited long is asked again.
void readAnother(const DriverApi &api, Pool &pool, const Pair &oldest) {
  const uint64_t others = pool.pending.load(std::memory_order_acquire) & ~bitOf(oldest);
  eachNumber(others, pool.nextOther.load(std::memory_order_relaxed), [&](unsigned at) {
    const bool passed = tryRead(api, pool, pool.pairs[at]) != Answer::NotYet;
    pool.nextOther.store((at + passed) % PairsPerContext, std::memory_order_relaxed);
    return false;
  });
}

} // namespace

void makeFiller(const DriverApi &api, uint64_t context) {
  if (context && context == FillerIn.load(std::memory_order_relaxed))
    return;
  Pool *pool = poolOf(contextOf(api), true);
  FillerIn.store(context, std::memory_order_relaxed);
  if (!pool || pool->fillerAsked.load(std::memory_order_relaxed) ||
      pool->fillerAsked.exchange(true))
    return;
  OwnStart start;
  pool->filler.store(Filler::make(api), std::memory_order_release);
}

namespace {

Pair *taken(Pool &pool, Pair &pair) {
  pair.filler = pool.filler.load(std::memory_order_acquire);
  return &pair;
}

} // namespace

Pair *takePair(const DriverApi &api, bool isNew) {
  Pool *pool = poolOf(contextOf(api), true);
  if (!pool || pool->failures.load(std::memory_order_relaxed) >= MostFailures)
    return nullptr;
  if (!pool->used.load(std::memory_order_relaxed) && !pool->used.exchange(true))
    firstUse(api, *pool);
  // In turns, so that the oldest is asked first; another one is made where none is free.
  const unsigned made = pool->made.load(std::memory_order_relaxed);
  const unsigned from = pool->nextFree.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < made; ++i) {
    const unsigned at = (from + i) % made;
    if (!move(pool->pairs[at], Pair::Free, Pair::Busy))
      continue;
    pool->nextFree.store(at + 1, std::memory_order_relaxed);
    return taken(*pool, pool->pairs[at]);
  }
  for (unsigned at = made; at < (isNew ? PairsPerContext : CommonPairs); ++at) {
    Pair &pair = pool->pairs[at];
    if (move(pair, Pair::Free, Pair::Busy))
      return taken(*pool, pair);
    if (!move(pair, Pair::Empty, Pair::Busy))
      continue;
    if (!makeEvents(api, pair)) {
      pair.state.store(Pair::Empty, std::memory_order_release);
      pool->failures.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    pool->failures.store(0, std::memory_order_relaxed);
    if (at < CommonPairs) // where threads are at once, some are found free here
      pool->made.store(at + 1, std::memory_order_relaxed);
    return taken(*pool, pair);
  }
  return nullptr;
}

void giveBack(Pair *pair) { pair->state.store(Pair::Free, std::memory_order_release); }

void submit(Pair *pair, const Timed &timed) {
  pair->timed = timed;
  pair->state.store(Pair::Pending, std::memory_order_release);
  pair->pending->fetch_or(bitOf(*pair), std::memory_order_release);
}

void pollPairs(const DriverApi &api, unsigned most) {
  Pool *pool = poolOf(contextOf(api), false);
  if (!pool)
    return;
  unsigned asked = 0;
  eachNumber(pool->pending.load(std::memory_order_acquire),
             pool->nextPending.load(std::memory_order_relaxed), [&](unsigned at) {
               ++asked;
               Answer answer = tryRead(api, *pool, pool->pairs[at]);
               bool done = answer == Answer::Done;
               pool->nextPending.store((at + done) % PairsPerContext, std::memory_order_relaxed);
               // The oldest comes first: when it has not finished, those behind it hardly have. But
               // not when it waits in a stream of its own, for a kernel that runs as long as the
               // program.
               if (answer == Answer::NotForLong && asked < most)
                 readAnother(api, *pool, pool->pairs[at]);
               return done && asked < most;
             });
}

void drainPairs(const DriverApi &api) {
  // Other contexts may be gone, unseen: their events are not touched.
  if (!Pools[0].load(std::memory_order_acquire))
    return;
  if (Pool *pool = poolOf(contextOf(api), false))
    eachNumber(pool->pending.load(std::memory_order_acquire), 0, [&](unsigned at) {
      tryRead(api, *pool, pool->pairs[at]);
      return true;
    });
}

void forgetPairs(const DriverApi &api, void *context) {
  FillerIn.store(0);
  uint64_t id = context ? idOf(api, context) : contextOf(api);
  if (!id || !api.ctxGetId)
    return forgetPairs(); // of which device is not known, or handles may come back
  std::atomic<Pool *> *place = nullptr;
  if (Pool *pool = findPool(id, place))
    pool->context.store(0);
}

void forgetPairs() {
  FillerIn.store(0);
  for (std::atomic<Pool *> &slot : Pools)
    if (Pool *pool = slot.load())
      pool->context.store(0);
}

} // namespace gpuinstr::timing
