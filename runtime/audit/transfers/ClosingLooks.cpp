// The look before a free: what the last repeats sent, and what the memory holds when it goes.
// SPDX-License-Identifier: Apache-2.0
//
// A proof holds for the repeats that were looked at and those between two looks. Behind the last
// one other bytes may have been sent: it is seen whether the memory still holds the same. And an
// upload to the next buffer is needless where it brings what the last one held to its end.
#include "audit/scheduling/HashScheduling.h"
#include "audit/state/Judgements.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/code/UnseenCode.h"
#include <vector>

namespace gpuinstr::audit {

namespace {

/// Something was proven, and repeats came after the last look.
bool isOpen(const Auditor &a, const Key &key) {
  constexpr uint64_t LeastRepeats = 3;
  const Tally &same = key.same;
  return key.direction != CopyDirection::DeviceToHost && key.hasSeen && !key.isOntoItself &&
         key.occurrences > key.seenOccurrence && same.unchanged >= LeastRepeats &&
         same.checked == same.unchanged && (same.interfered == 0 || isMostlyQuiet(key)) &&
         key.seenVersion == key.version && a.version(key) == key.version;
}

/// The next upload of the line may bring what is there now.
bool mayComeAgain(const Auditor &a, const Key &key) {
  return key.direction == CopyDirection::HostToDevice && !key.pooled && !key.hostCanTouch &&
         key.occurrences != 0 && a.version(key) == key.version;
}

/// A look for each three and more that the budget allowed: taken in any case, and charged.
bool pay(const Auditor &a, Key &key, bool hasProof, uint64_t ns) {
  if (!hasProof)
    return affordLook(a, key, ns);
  if (!a.full && !overheadBudget().take(ns))
    overheadBudget().correct(int64_t(ns));
  return true;
}

/// Whether all that was put into streams for the memory comes before the look: a free waits for
/// more than the stream that the look goes into.
bool comesLast(const Auditor &a, const Key &key, const StreamState &stream) {
  return !a.ranges.writerMayRun(*key.range, stream, a.streams) &&
         !(key.stream && Streams::mayOvertake(*key.stream, stream));
}

bool mayBeHashed(const Auditor &a, const Transfer &look) {
  return !look.stream->dependent.load() && !a.collectives.load() &&
         !a.streams.othersMayWait(*look.stream) && (look.waits || !a.sideBySide.load());
}

/// Takes over the key's `pending`.
void close(Auditor &a, const Call &call, ThreadAuditState &local, uint64_t context, Key &key) {
  Transfer look;
  uint64_t begin = monotonicNs();
  look.engine = EngineSource(false);
  look.waits = look.early = call.operands.resource != GPUINSTR_RES_ASYNC;
  cuda::Region region;
  Looked at;
  bool good, hasProof;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    look.stream = &a.streams.of(call.operands.stream, context, &call.thread);
    good = look.engine && key.range && key.range->context == context && !unseenCodeRunsKernels() &&
           mayBeHashed(a, look) && comesLast(a, key, *look.stream);
    hasProof = isOpen(a, key);
    region = key.region;
    at = {key.occurrences, key.version};
  }
  EnqueueResult why = EnqueueResult::None;
  good = good && mayPlace(a, call, look);
  look.lookBytes = key.id.bytes;
  look.taken = good ? look.engine->estimateNs(look.lookBytes) : 0;
  bool isPaid = good && pay(a, key, hasProof, look.taken);
  good = isPaid && (look.ticket = look.engine->begin(why)) != 0 &&
         place(a, call, look, true, region) == EnqueueResult::None &&
         (!look.waits || finishPlaced(call, look));
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    if (good && !look.waits) {
      Pending p;
      p.engine = look.engine;
      p.ticket = look.ticket;
      p.key = &key;
      p.question = Question::Closing;
      p.at = at;
      p.stream = look.stream->index;
      handOver(a, look, p);
      a.pending.push_back(p);
    } else {
      if (good)
        a.answer(key, Question::Closing, look.engine->read(look.ticket), ContentHash(), at);
      --key.pending;
    }
  }
  endPlacing(a, call, look);
  if (isPaid)
    chargeLook(a, local, look, monotonicNs() - begin);
}

} // namespace

void lookBeforeFree(Auditor &a, const Call &call, ThreadAuditState &local) {
  std::vector<Key *> open;
  {
    std::lock_guard<AuditMutex> lock(a.mutex);
    const Range *range = local.freeing;
    if (!a.verifies || !range || range->keys.empty() || range->opaque)
      return;
    a.poll();
    for (const KeyPlace &place : range->keys)
      if (isOpen(a, *place.key) || mayComeAgain(a, *place.key)) {
        ++place.key->pending;
        open.push_back(place.key);
      }
  }
  if (open.empty())
    return;
  uint64_t context = contextOf(call.thread);
  for (Key *key : open)
    close(a, call, local, context, *key);
}

} // namespace gpuinstr::audit
