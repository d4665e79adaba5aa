// The host's witness: what an upload sent, hashed in the leave of the call that succeeded.
// SPDX-License-Identifier: Apache-2.0
//
// It needs no device: it works behind kernels, beside other streams and threads, for arrays and
// variables. It says that the same bytes were sent again, never what the device holds: that makes
// findings likely at most, unless the device was looked at as well.
#include "audit/hash/HostHash.h"
#include "audit/state/ThreadAuditState.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"

namespace gpuinstr::audit {

namespace {

constexpr uint64_t HostBytesPerNs = 8, LookNs = 500;
/// A new upload of more than this is hashed where its site sends repeatedly, or it took long.
constexpr uint64_t FirstMost = 1 << 20;
/// Smaller transfers that something may have written since are flags: they are there to be reset.
constexpr uint64_t LeastResent = 65536;

bool isNewAndLarge(const Auditor &a, const Transfer &t, uint64_t ticks) {
  if (a.full || t.repeat || t.key->id.bytes <= FirstMost || isLong(ticks))
    return false;
  return t.question == Question::Same;
}

/// What repeated sets do needs no hash: the value says it.
void lookAtSet(const cuda::CallOperands &o, Transfer &t) {
  t.hostHash = {o.slot(GPUINSTR_SLOT_KIND), ~uint64_t(0)};
  t.hostLooked = true;
}

} // namespace

bool isLong(uint64_t ticks) {
  static const double NsPerTick = nsPerTick();
  return double(ticks) * NsPerTick >= 1e6;
}

bool affordLook(const Auditor &a, const Key &key, uint64_t ns) {
  constexpr uint64_t FirstLooks = 3;
  const Tally &same = key.same;
  bool isFirst = same.checked + same.hostChecked + same.resent < FirstLooks;
  return isFirst && !a.full ? overheadBudget().takeFirst(ns) : afford(a, ns);
}

void lookAtHost(const Auditor &a, ThreadAuditState &local, const Call &call, Transfer &t,
                uint64_t ticks) {
  const cuda::CallOperands &o = call.operands;
  bool deviceLooks = t.checked || (t.verify && t.ticket);
  if (!a.verifies || !t.key || t.isVoid || deviceLooks || (t.repeat && !t.due))
    return;
  if (t.work == DeviceWorkKind::Set)
    return lookAtSet(o, t);
  if (t.direction != CopyDirection::HostToDevice || o.bytes == 0 || isNewAndLarge(a, t, ticks) ||
      !hostReadable(local, o.src.address))
    return;
  uint64_t cost = o.bytes / HostBytesPerNs + LookNs;
  if (!affordLook(a, *t.key, cost))
    return;
  uint64_t begin = monotonicNs();
  t.hostHash = hashHost(o.src);
  t.hostLooked = true;
  uint64_t took = monotonicNs() - begin;
  local.verifyNs += took;
  if (!a.full)
    overheadBudget().correct(int64_t(took) - int64_t(cost));
}

void takeHostLook(Auditor &a, Transfer &t, bool judged) {
  Key &key = *t.key;
  if (!t.hostLooked)
    return;
  bool hasBase = key.hasHost && key.hostOccurrence == key.occurrences;
  ContentHash base = key.host;
  if (!hasBase && key.hasContent && key.contentVersion == t.version) {
    base = key.content;
    hasBase = t.work != DeviceWorkKind::Set;
  }
  bool isSame = hasBase && base == t.hostHash;
  bool isKnownChange = key.hasHost && key.host != t.hostHash;
  if (judged && t.question == Question::Same && (isSame || isKnownChange)) {
    bool isBig = t.direction == CopyDirection::HostToDevice && key.id.bytes >= LeastResent;
    if (!isSame)
      ++key.same.hostChecked;
    else if (!t.interfered)
      ++key.same.hostChecked, ++key.same.hostUnchanged;
    else if (key.copyWrites != key.copyWritesThen)
      return keepHostLook(key, t.hostHash); // another copy or set went there in between
    else if (isBig && key.range->written.load(std::memory_order_relaxed))
      ++key.same.resent;
    else if (isBig)
      ++key.same.hostChecked, ++key.same.hostUnchanged;
    else
      return keepHostLook(key, t.hostHash);
    a.waste.figures.verified += 1;
    a.waste.figures.verifiedBytes += key.id.bytes;
  }
  keepHostLook(key, t.hostHash);
}

void keepHostLook(Key &key, const ContentHash &hash) {
  key.host = hash;
  key.hasHost = true;
  key.hostOccurrence = key.occurrences + 1;
}

void noteSent(Auditor &a, Key &key, const ContentHash &content, uint64_t version, bool counts,
              uint64_t ticks) {
  if (key.direction != CopyDirection::HostToDevice || !key.range)
    return;
  const Sent *before = a.sent.find(content, key.id.bytes);
  if (before && before->holder != &key && counts) {
    bool lives = before->holder && before->holder->range;
    Tally &tally = key.elsewhere;
    ++tally.repeats;
    ++tally.hostChecked;
    ++tally.hostUnchanged;
    tally.ticks += ticks;
    tally.interfered +=
        lives || (!before->untouched && before->kernelWrote); // two buffers may be what is wanted
    tally.related = before->freeSite ? before->freeSite : before->site;
  }
  a.sent.put(content, key, version);
}

} // namespace gpuinstr::audit
