// The hash in front of a copy, and the short ways where the host can judge.
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/HostHash.h"
#include "audit/scheduling/HashScheduling.h"
#include "audit/transfers/Occurrences.h"
#include "base/Clock.h"
#include "base/Hash.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnCosts.h"
#include "calls/code/UnseenCode.h"
#include <algorithm>

namespace gpuinstr::audit {

namespace {

/// A read of host memory from the device, and the launch for it.
constexpr uint64_t PinnedBytesPerNs = 25, LaunchNs = 4000;
/// Repeats that are always hashed on the device before the host's word is taken.
constexpr uint64_t FirstChecks = 3;
constexpr uint64_t HashedLookNs = 1000; ///< asking whether the host can read there, and the call

uint64_t costOf(const Transfer &t) {
  uint64_t bytes = t.key->id.bytes;
  uint64_t stall = t.waits ? 0 : t.engine->stallNs();
  if (t.question == Question::Source)
    return t.engine->estimateNs(bytes) + stall / 2;
  if (t.direction == CopyDirection::DeviceToHost)
    return t.waits ? t.engine->estimateNs(bytes) +
                         (isLargeDownload(*t.key, true) ? 0 : bytes / HostBytesPerNs)
                   : 2 * (bytes / PinnedBytesPerNs + LaunchNs) + stall;
  return 2 * t.engine->estimateNs(bytes) + stall;
}

void giveUp(Transfer &t, SkipReason why) {
  t.verify = false;
  t.skip = why;
  if (t.ticket && !t.announced)
    t.engine->release(t.ticket);
  t.ticket = t.announced ? t.ticket : 0;
}

/// Where the device is too dear: the source's hash against that of the last time. Other bytes are a
/// change, and cheaply known. The same bytes prove nothing: code that we do not see may have
/// written the destination in between.
void lookForChange(const Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t) {
  const Key &key = *t.key;
  const cuda::Region &src = call.operands.src;
  if (!t.waits || t.direction != CopyDirection::HostToDevice || t.interfered ||
      t.question != Question::Same || key.same.checked < FirstChecks ||
      key.id.bytes > 2 * t.engine->estimateNs(0) * HostBytesPerNs)
    return;
  if (!hostReadable(local, src.address) || !hostAnswers(src) ||
      !afford(a, key.id.bytes / HostBytesPerNs + HashedLookNs))
    return;
  t.hash = hashHost(src);
  t.hasHash = true;
  t.checked = key.hasContent && key.contentVersion == t.version && t.hash != key.content;
}

/// All of the first repeats are looked at, as far as the budget goes; then ever fewer.
constexpr uint64_t Dense = 32;

/// A value that steps bring back is the same for long, and another one then: what so few bytes cost
/// the host, there is room for in each of the first repeats.
constexpr uint64_t FewBytes = 4096;
bool affordHostOnly(const Auditor &a, Key &key, uint64_t ns) {
  return affordLook(a, key, ns) ||
         (key.id.bytes <= FewBytes && key.occurrences < Dense && overheadBudget().takeFirst(ns));
}

/// A download that the device cannot be asked about: too dear, behind kernels that may be waiting,
/// or into pageable memory, where the call returns when the bytes are there (documented up to CUDA
/// 11, only "might" since then: finishHostOnly() asks). What its destination holds, before and
/// behind it.
void startHostOnly(const Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t) {
  const cuda::Region &dst = call.operands.dst;
  t.hostOnly = false;
  if (t.question == Question::Source && t.repeat) // the host can see for itself
    t.question = Question::Same;
  if (t.question == Question::Content || t.question == Question::Source)
    return giveUp(t, t.skip);
  if (t.hostMayChange)
    return giveUp(t, SkipReason::Busy);
  const SkipReason lacking = t.skip == SkipReason::Budget ? SkipReason::NotLinear : t.skip;
  if (unseenCodeRunsKernels() || !hostReadable(local, dst.address))
    return giveUp(t, lacking);
  uint64_t cost = 2 * (t.key->id.bytes / HostBytesPerNs + HashedLookNs);
  if (!affordHostOnly(a, *t.key, cost))
    return giveUp(t, SkipReason::Budget);
  t.taken = cost;
  if (!hostAnswers(dst)) // it takes as long as a fifth of the hash: behind what the budget says
    return giveUp(t, lacking);
  t.hash = hashHost(dst);
  t.hostOnly = true;
}

/// A download that blocks: what the device has, waited for, against what the host has.
void judgeDownload(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  if (t.hostMayRace)
    return giveUp(t, SkipReason::Busy);
  EnqueueResult why = place(a, call, t, false, o.src);
  if (why != EnqueueResult::None)
    return giveUp(t, skipOf(why));
  if (!finishPlaced(call, t))
    return giveUp(t, SkipReason::NoEngine);
  Reading reading = t.engine->read(t.ticket);
  t.engine->release(t.ticket);
  t.ticket = 0;
  if (!reading.hasBefore || !hostReadable(local, o.dst.address))
    return giveUp(t, SkipReason::NotLinear);
  t.hash = reading.before;
  t.hasHash = t.checked = true;
  if (t.question == Question::Content)
    return;
  const bool isLarge = isLargeDownload(*t.key, true);
  const bool isKnown = isLarge ? t.key->hasAsked : t.key->hasContent;
  if (t.question == Question::Same && isKnown &&
      (isLarge ? t.key->asked : t.key->content) != t.hash)
    return;
  if (isLarge) {
    const uint64_t hostNs = o.bytes / HostBytesPerNs;
    t.checked = affordLook(a, *t.key, hostNs);
    if (!t.checked)
      return giveUp(t, SkipReason::Budget);
    t.taken += hostNs;
  }
  // Not before: pages that nobody has touched are made by it, and made anew by the copy.
  t.checked = hostAnswers(o.dst);
  if (!t.checked)
    return giveUp(t, SkipReason::NotLinear);
  t.unchanged = hashHost(o.dst) == t.hash;
}

} // namespace

SkipReason skipOf(EnqueueResult why) {
  return why == EnqueueResult::Capturing ? SkipReason::Capture
         : why == EnqueueResult::Busy    ? SkipReason::Busy
         : why == EnqueueResult::Full    ? SkipReason::Full
                                         : SkipReason::NoEngine;
}

bool afford(const Auditor &a, uint64_t ns) { return a.full || overheadBudget().take(ns); }

bool affordSpared(const Auditor &a, uint64_t ns) {
  if (a.full)
    return true;
  const uint64_t now = monotonicNs();
  if (!a.spared.takeAt(ns, now))
    return false;
  if (overheadBudget().takeAt(ns, now))
    return true;
  a.spared.correct(-int64_t(ns));
  return false;
}

void correctLook(const Auditor &a, const Key &key, int64_t ns) {
  overheadBudget().correct(ns);
  if (key.isSpared)
    a.spared.correct(ns);
}

void chargeOwnTime(ThreadAuditState &local, const ThreadState &thread) {
  static const double nsOfTick = nsPerTick();
  uint64_t ticks = thread.ownTicks;
  uint64_t ns = uint64_t(double(ticks - local.chargedTicks) * nsOfTick);
  local.chargedTicks = ticks;
  // What verifications took is in there, and charged already.
  overheadBudget().charge(ns > local.verifyNs ? ns - local.verifyNs : 0);
  local.verifyNs = 0;
}

/// A call that blocks waits for the hash before the copy as well, inside the driver. Of a download
/// we have waited for it ourselves.
static uint64_t waitedInDriverNs(const Transfer &t) {
  return t.waits && t.direction != CopyDirection::DeviceToHost ? t.taken / 4 : 0;
}

void chargeVerification(const Auditor &a, ThreadAuditState &local, const Transfer &t) {
  local.verifyNs += t.hostNs;
  if (t.hostNs)
    noteOwnCost(OwnConsumer::DeviceLooks, t.hostNs + waitedInDriverNs(t));
  if (a.full || !t.taken)
    return;
  // An asynchronous one goes on: the estimate holds, unless the thread alone took longer.
  const uint64_t spent =
      t.hostOnly || t.waits ? t.hostNs + waitedInDriverNs(t) : std::max(t.hostNs, t.taken);
  const int64_t more = int64_t(spent) - int64_t(t.taken);
  t.key ? correctLook(a, *t.key, more) : overheadBudget().correct(more);
}

void chargeLook(const Auditor &a, ThreadAuditState &local, const Transfer &look, uint64_t ns) {
  uint64_t own = ns > look.waitedNs ? ns - look.waitedNs : 0;
  local.verifyNs += own;
  noteOwnCost(OwnConsumer::DeviceLooks, own);
  if (!a.full)
    overheadBudget().correct(int64_t(look.waits ? own : std::max(own, look.taken)) -
                             int64_t(look.taken));
}

/// Whether the stream has run dry, or does so at once: the driver comes back from a copy into
/// pageable memory some microseconds before the stream says so.
static bool runsDry(DeviceHasher &engine, uint64_t stream) {
  constexpr uint64_t SoonNs = 20000;
  for (uint64_t begin = monotonicNs(); !engine.isIdle(stream);)
    if (monotonicNs() - begin > SoonNs)
      return false;
  return true;
}

void finishHostOnly(ThreadAuditState &local, const Call &call, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  // Another thread may have unmapped or pinned it meanwhile.
  bool isThere = t.waits || (t.engine && runsDry(*t.engine, o.stream));
  if (!isThere)
    auditor().pageableIsLate.store(true);
  if (!isThere || !hostReadable(local, o.dst.address) || !hostAnswers(o.dst))
    return giveUp(t, SkipReason::NotLinear);
  ContentHash before = t.hash;
  t.hash = hashHost(o.dst);
  t.hasHash = t.checked = true;
  bool other = t.question == Question::Same && t.key->hasContent && t.key->content != t.hash;
  t.unchanged = !other && before == t.hash;
}

/// How many repeats go without, behind so many looks that were refused. Asking takes the long way,
/// which nobody pays for: where they come fast, the budget has earned nothing meanwhile.
static uint64_t gapOfRefused(Key &key) {
  constexpr uint32_t MostBits = 6, MostBitsWhereDense = 10;
  constexpr uint64_t DenseNs = 1000000, DenseNsWhereSpared = 4 * DenseNs;
  uint32_t most = MostBits;
  if (key.refused == SkipReason::Budget) {
    const uint64_t now = monotonicNs();
    key.isDense = now - key.refusedNs < (key.isSpared ? DenseNsWhereSpared : DenseNs);
    if (key.isDense)
      most = MostBitsWhereDense;
    key.refusedNs = now;
  }
  return uint64_t(1) << std::min(key.refusals - Key::Patient, most);
}

/// Where each look at much saw other bytes, ever fewer look: none of a hundred results is sent for
/// nothing, most likely, where none of ten was.
static uint64_t gapOfNews(const Key &key) {
  constexpr uint64_t Much = 1 << 20, Enough = 4, MostBits = 4;
  const uint64_t looks = looksOfNews(key);
  if (key.work != DeviceWorkKind::Copy || key.id.bytes < Much || looks < Enough)
    return 1;
  return uint64_t(1) << std::min((looks - Enough) / 2 + 1, MostBits);
}

void schedule(Key &key, bool verified) {
  constexpr uint64_t Growth = 8, Rarest = 1024;
  uint64_t n = key.occurrences, gap = 1;
  key.isRefused = false;
  if (verified) {
    // The budget had saved up for it, and will refuse the next ones again.
    key.refusals = key.isSpared ? std::min(key.refusals, Key::VeryPatient) : 0;
    gap = std::max(gapOfNews(key), n < Dense ? 1 : std::min(Rarest, n / Growth));
  } else if (++key.refusals > Key::Patient) {
    key.isRefused = true;
    gap = gapOfRefused(key);
  }
  // Not in step with what the program does every so many times.
  if (gap > 2)
    gap = gap / 2 + hashMix(n, key.id.dst) % gap;
  key.left.store(uint32_t(gap - 1), std::memory_order_relaxed);
}

void startHashes(Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t) {
  const cuda::CallOperands &o = call.operands;
  bool down = t.direction == CopyDirection::DeviceToHost;
  t.engine = EngineSource(false);
  if (!t.engine)
    a.engineIn.store(0, std::memory_order_relaxed);
  const SkipReason lacking =
      t.engine || unseenCodeRunsKernels() ? SkipReason::Busy : SkipReason::NoEngine;
  if (down && !t.waits && hostPageable(local, o.dst.address))
    return t.engine ? startHostOnly(a, local, call, t) : giveUp(t, lacking);
  if (t.hostOnly) // prepare() says why
    return t.waits ? startHostOnly(a, local, call, t) : giveUp(t, t.skip);
  if (!t.engine || !mayPlace(a, call, t)) {
    t.skip = lacking;
    return down && t.waits ? startHostOnly(a, local, call, t) : giveUp(t, t.skip);
  }
  uint64_t cost = costOf(t);
  if (!affordLook(a, *t.key, cost)) {
    if (down && t.waits && t.key->id.bytes <= FewBytes)
      return startHostOnly(a, local, call, t);
    giveUp(t, SkipReason::Budget);
    t.isRefused = true;
    return lookForChange(a, local, call, t);
  }
  t.taken = cost;
  t.lookBytes = t.key->id.bytes;
  if (unseenCodeRunsKernels())
    return giveUp(t, SkipReason::Busy);
  EnqueueResult result = EnqueueResult::None;
  t.ticket = t.engine->begin(result);
  if (!t.ticket)
    return giveUp(t, skipOf(result));
  if (t.direction == CopyDirection::DeviceToHost && t.waits)
    return judgeDownload(a, local, call, t);
  if (t.question == Question::Again || t.question == Question::Content)
    return; // only the bytes afterwards matter
  result = place(a, call, t, false, t.question == Question::Source ? o.src : o.dst);
  if (result != EnqueueResult::None)
    giveUp(t, skipOf(result));
}

} // namespace gpuinstr::audit
