// Repeats of one copy or set that come directly behind each other.
// SPDX-License-Identifier: Apache-2.0
#include "audit/repeats/Run.h"
#include "audit/repeats/PathChecks.h"
#include "audit/repeats/RepeatedTransfers.h"
#include "audit/transfers/Occurrences.h"
#include "base/Guard.h"
#include "calls/fast/SameCalls.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

/// So many at once: it takes no longer than the long way of one. Fewer than openAt() tells apart.
constexpr uint32_t Most = 64;

auto &shared = AuditHot.run;

bool mayBegin(const TransferFastPath &path) {
  const Key &key = *path.key;
  const Range *dst = path.dstRange, *src = path.srcRange;
  return !path.waits && path.direction != CopyDirection::DeviceToHost && dst == path.range &&
         dst->keys.size() == 1 && (!src || src->keys.empty()) && !key.hasRewrites && !key.isPiece &&
         !isAfterOthers(key);
}

/// ... of rounds. Where the copy brings addresses along, or is the first to read what kernels have
/// written over a sample, each of them has something to say.
bool mayBeginRounds(const TransferFastPath &path) {
  const Key &key = *path.key;
  const Range *src = path.srcRange, *dst = path.dstRange;
  if (!path.waits || path.direction != CopyDirection::DeviceToHost || src != path.range ||
      src->holds || (dst && !dst->keys.empty()) || key.hasRewrites || key.isPiece ||
      isAfterOthers(key))
    return false;
  return src->use.load(std::memory_order_relaxed) >= RangeUse::Read ||
         std::none_of(src->keys.begin(), src->keys.end(),
                      [](const KeyPlace &place) { return place.key->hasSample; });
}

/// Where pairs are all that comes, beginning one is for nothing.
bool isWorthTrying(ThreadAuditState &local) {
  constexpr uint32_t Patient = 4, Seldom = 16;
  auto &run = local.run;
  const uint32_t added = shared.added.load(std::memory_order_relaxed);
  run.fruitless = added == run.addedThen ? run.fruitless + 1 : 0;
  run.addedThen = added;
  return run.fruitless < Patient || run.fruitless % Seldom == 0;
}

/// Nothing was launched or put into a stream since it began, and nobody else calls CUDA.
ALWAYS_INLINE bool isUndisturbed(const ThreadAuditState &local) {
  return AuditHot.runIsOpen.load(std::memory_order_relaxed) && shared.of == &local &&
         local.run.launches == AuditHot.launches.load(std::memory_order_relaxed) &&
         local.run.puts == AuditHot.puts.load(std::memory_order_relaxed) &&
         !Auditor::severalThreads.load(std::memory_order_relaxed) &&
         !Auditor::underWay.load(std::memory_order_relaxed);
}

ALWAYS_INLINE bool goesOn(const ThreadAuditState &local) {
  return isUndisturbed(local) && local.run.left != 0 && !local.asked &&
         !Auditor::severalContexts.load(std::memory_order_relaxed);
}

/// The next round begins. False: it says something else than the last.
ALWAYS_INLINE bool continueRounds(const Auditor &a, ThreadAuditState &local,
                                  TransferFastPath &path) {
  auto &run = local.run;
  if (!run.hasLaunched || path.srcRange->holds) // without a launch, they are a row
    return false;
  // A launch may have handed the address on to others, which run already.
  if (a.ranges.writerMayRun(*path.srcRange, *path.state, a.streams) ||
      (path.dstRange && a.ranges.writerMayRun(*path.dstRange, *path.state, a.streams)))
    return false;
  begin(a, path);
  const bool isChanged = path.begun.writes != run.writes;
  if (path.begun.notRun != run.notRun || (isChanged != run.areChanged && !run.isFirst))
    return false;
  run.areChanged = isChanged;
  run.hasLaunched = false;
  return true;
}
ALWAYS_INLINE void keepRound(ThreadState &thread, ThreadAuditState &local, const Begun &begun,
                             uint32_t number) {
  auto &run = local.run;
  run.isFirst = false;
  run.writes = begun.writes;
  std::atomic_thread_fence(std::memory_order_release); // behind the number of the last one
  auto &round = run.rounds[number & 1];
  round.order = begun.order;
  round.writes = begun.writes;
  round.reads = begun.reads;
  takeLaunched(thread);
}

} // namespace

void beginRun(const Auditor &a, ThreadAuditState &local, TransferFastPath &path,
              bool behindLaunch) {
  auto &run = local.run;
  if (Auditor::severalThreads.load(std::memory_order_relaxed) ||
      !(behindLaunch ? mayBeginRounds(path) : mayBegin(path)) || !isWorthTrying(local))
    return;
  run.left = a.verifies ? std::min(Most, path.left->load(std::memory_order_relaxed)) : Most;
  if (run.left == 0)
    return;
  run.writes = path.begun.writes;
  run.notRun = path.begun.notRun;
  begin(a, path);
  if (!maySettle(a, path))
    return;
  run.path = &path;
  run.launches = path.begun.order;
  run.hasLaunched = false;
  run.puts = run.settledPuts = path.begun.entered;
  run.isAlone = true;
  run.ofRounds = run.isFirst = behindLaunch;
  run.call = nullptr;
  shared.of = &local;
  AuditHot.runIsOpen.store(AuditHotState::openAt(shared.added.load(std::memory_order_relaxed)),
                           std::memory_order_relaxed);
}

GPUINSTR_HOT bool launchInRun(ThreadState &thread, const StreamState &stream) {
  ThreadAuditState &local = auditStateOf(thread);
  if (shared.of != &local || !local.run.ofRounds || local.run.path->state != &stream)
    return false;
  local.run.launches = local.run.launches + 1;
  local.run.hasLaunched = true;
  return true;
}

GPUINSTR_HOT bool continueRun(ThreadState &thread, const gpuinstr_frame &frame) {
  ThreadAuditState &local = auditStateOf(thread);
  if (!goesOn(local))
    return false;
  TransferFastPath &path = *local.run.path;
  const Auditor &a = auditor();
  if (!isNext(a, path, thread, frame, streamHandle(frame), local.context) || !isQuiet(path) ||
      (local.run.ofRounds && !continueRounds(a, local, path)))
    return false;
  local.path = &path;
  return true;
}

static ALWAYS_INLINE bool add(ThreadState &thread, ThreadAuditState &local) {
  if (!isUndisturbed(local) || local.path != local.run.path)
    return false;
  local.path = nullptr;
  --local.run.left;
  const uint64_t ticks = thread.root.end - thread.root.start;
  shared.ticks.store(shared.ticks.load(std::memory_order_relaxed) + ticks,
                     std::memory_order_relaxed);
  shared.lastTicks.store(uint32_t(std::min<uint64_t>(ticks, UINT32_MAX)),
                         std::memory_order_relaxed);
  const uint32_t added = shared.added.load(std::memory_order_relaxed) + 1;
  if (local.run.ofRounds)
    keepRound(thread, local, local.run.path->begun, added);
  shared.added.store(added, std::memory_order_release);
  // Whoever settles may have closed it.
  AuditHot.runIsOpen.store(AuditHotState::openAt(added), std::memory_order_release);
  return true;
}

GPUINSTR_HOT Added addToRun(ThreadState &thread, int32_t result) {
  ThreadAuditState &local = auditStateOf(thread);
  if (result != 0 || !add(thread, local))
    return Added::No;
  return local.run.ofRounds ? Added::ToRounds : Added::Yes;
}

// What isNext() asks beside: this thread did nothing in between that could change it, and where
// another one calls CUDA there is no run.
static GPUINSTR_HOT bool goesOnAgain(ThreadState &thread) {
  auto &local = *static_cast<ThreadAuditState *>(thread.audit.get());
  if (!isUndisturbed(local) || local.run.left == 0 || local.run.ofRounds || FastPathsClosed)
    return false;
  local.path = local.run.path;
  return true;
}
static GPUINSTR_HOT bool addAgain(ThreadState &thread) {
  return add(thread, *static_cast<ThreadAuditState *>(thread.audit.get()));
}
GPUINSTR_HOT_DATA const SameLook RunGoesOn = {goesOnAgain, addAgain};

static GPUINSTR_HOT bool roundsGoOn(ThreadState &thread) {
  auto &local = *static_cast<ThreadAuditState *>(thread.audit.get());
  if (local.run.call != thread.same.call || !goesOn(local) || FastPathsClosed || mayCapture())
    return false;
  const Auditor &a = auditor();
  TransferFastPath &path = *local.run.path;
  if (!isGood(a, path) || !isQuiet(path) || !continueRounds(a, local, path))
    return false;
  local.path = &path;
  return true;
}
GPUINSTR_HOT_DATA const SameLook RoundsGoOn = {roundsGoOn, addAgain};

GPUINSTR_HOT void maySameRound(ThreadState &thread, const gpuinstr_frame &frame) {
  auto &local = *static_cast<ThreadAuditState *>(thread.audit.get());
  const auto *call = reinterpret_cast<const RepeatedCall *>(thread.root.attribution);
  if (local.run.call == call && thread.same.call == call && thread.sameInTurn)
    return; // it was entered by that
  local.run.call = fastpath::maySameInTurn(thread, frame, RoundsGoOn) ? call : nullptr;
}

namespace {

/// With the lock held: nothing was launched or put but what the run has settled.
bool isAloneSince(const ThreadAuditState &local) {
  return local.run.launches == AuditHot.launches.load(std::memory_order_relaxed) &&
         local.run.settledPuts == AuditHot.puts.load(std::memory_order_relaxed);
}

/// When the last of so many rounds began. False: more have been added since.
bool beganAt(const ThreadAuditState &local, uint32_t added, Begun &begun) {
  const auto &round = local.run.rounds[added & 1];
  begun = {round.order, local.run.puts, round.writes, round.reads, local.run.notRun};
  std::atomic_thread_fence(std::memory_order_acquire);
  return shared.added.load(std::memory_order_relaxed) == added;
}

/// Those that were added up to now.
void settleAdded(uint32_t added) {
  Auditor &a = auditor();
  auto &local = *static_cast<ThreadAuditState *>(shared.of);
  TransferFastPath &path = *local.run.path;
  Repeats repeats;
  repeats.ofRounds = local.run.ofRounds;
  if (!repeats.ofRounds) // of those, the next one may begin meanwhile
    repeats.begun = path.begun;
  else if (!beganAt(local, added, repeats.begun))
    return;
  repeats.times = added - shared.settled;
  const uint64_t all = shared.ticks.load(std::memory_order_relaxed);
  repeats.ticks = all - shared.settledTicks;
  repeats.lastTicks =
      std::min<uint64_t>(shared.lastTicks.load(std::memory_order_relaxed), repeats.ticks);
  shared.settled = added;
  shared.settledTicks = all;
  if (!isGood(a, path)) // one that another thread freed under the hands of the last call
    return;
  local.run.isAlone &= isAloneSince(local);
  Streams::countMore(repeats.times - 1, path.isForHost);
  if (!repeats.ofRounds)
    a.lifetimes.usedMore(repeats.times - 1);
  settleRepeats(a, local, path, repeats);
  local.run.settledPuts = Streams::Puts.load(std::memory_order_relaxed);
}

} // namespace

// The thread may add one meanwhile: then this does not close it, but settles that one, too. So the
// thread that finds it closed has its path for itself.
GPUINSTR_HOT __attribute__((noinline)) void settleRun() {
  for (;;) {
    uint8_t open = AuditHot.runIsOpen.load(std::memory_order_acquire);
    const uint32_t added = shared.added.load(std::memory_order_acquire);
    if (added != shared.settled)
      guarded([&] { settleAdded(added); }); // else the lock would not be given back
    else if (!open || AuditHot.runIsOpen.compare_exchange_strong(open, 0))
      return;
  }
}

void beginBehindRun(const Auditor &a, const ThreadAuditState &local, TransferFastPath &path) {
  if (shared.of == &local && local.run.path == &path && local.run.isAlone && isAloneSince(local))
    begin(a, path);
}

__attribute__((noinline)) void endRun() { std::lock_guard<AuditMutex> lock(auditor().mutex); }

void endRunOf(const ThreadAuditState &local) {
  if (AuditHot.runIsOpen.load(std::memory_order_relaxed) && shared.of == &local)
    endRun();
}

} // namespace gpuinstr::audit
