// The look before a free: what the last repeats sent, which nobody looked at.
// SPDX-License-Identifier: Apache-2.0
//
// A proof holds for the repeats that were looked at and those between two looks. Behind the last
// one other bytes may have been sent: before the memory goes, it is seen whether it still holds the
// same.
#include "audit/scheduling/HashScheduling.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/sites/Images.h"
#include <vector>

namespace gpuinstr::audit {

namespace {

/// Something was proven, and repeats came after the last look.
bool isOpen(const Auditor &a, const Key &key) {
  constexpr uint64_t LeastRepeats = 3;
  const Tally &same = key.same;
  return key.direction != CopyDirection::DeviceToHost && key.hasSeen && !key.isOntoItself &&
         key.occurrences > key.seenOccurrence && same.unchanged >= LeastRepeats &&
         same.checked == same.unchanged && same.interfered == 0 && key.seenVersion == key.version &&
         a.version(key) == key.version;
}

/// A look for each three and more that the budget allowed: taken in any case, and charged.
void pay(const Auditor &a, uint64_t ns) {
  if (!a.full && !overheadBudget().take(ns))
    overheadBudget().correct(int64_t(ns));
}

bool isSafe(const Auditor &a, const Transfer &look) {
  return !look.stream->dependent.load() && !a.collectives.load() &&
         !a.streams.othersMayWait(*look.stream) && (look.waits || !a.sideBySide.load());
}

/// Takes over the key's `pending`.
void close(Auditor &a, const Call &call, uint64_t context, Key &key) {
  Transfer look;
  look.engine = EngineSource(false);
  look.waits = call.operands.resource != GPUINSTR_RES_ASYNC;
  cuda::Region region;
  uint64_t occurrence, version;
  bool good;
  {
    std::lock_guard<std::mutex> lock(a.mutex);
    look.stream = &a.streams.of(call.operands.stream, context, &call.thread);
    good = look.engine && key.range && key.range->context == context && !unseenCodeUsesCuda() &&
           isSafe(a, look);
    region = key.region;
    occurrence = key.occurrences;
    version = key.version;
  }
  EnqueueResult why = EnqueueResult::None;
  good = good && mayPlace(a, call, look);
  if (good)
    pay(a, look.engine->estimateNs(key.id.bytes));
  good = good && (look.ticket = look.engine->begin(why)) != 0 &&
         place(a, call, look, true, region) == EnqueueResult::None &&
         (!look.waits || finishPlaced(call, look));
  {
    std::lock_guard<std::mutex> lock(a.mutex);
    if (good && !look.waits) {
      Pending p;
      p.engine = look.engine;
      p.ticket = look.ticket;
      p.key = &key;
      p.question = Question::Closing;
      p.version = version;
      p.occurrence = occurrence;
      p.stream = look.stream->index;
      handOver(a, look, p);
      a.pending.push_back(p);
    } else {
      if (good)
        a.answer(key, Question::Closing, look.engine->read(look.ticket), ContentHash(), occurrence,
                 version);
      --key.pending;
    }
  }
  endPlacing(a, call, look);
}

} // namespace

void lookBeforeFree(Auditor &a, const Call &call, ThreadAuditState &local) {
  std::vector<Key *> open;
  {
    std::lock_guard<std::mutex> lock(a.mutex);
    const Range *range = local.freeing;
    if (!a.verifies || !range || range->keys.empty() || range->opaque)
      return;
    a.poll();
    for (Key *key : range->keys)
      if (isOpen(a, *key)) {
        ++key->pending;
        open.push_back(key);
      }
  }
  if (open.empty())
    return;
  uint64_t context = contextOf(call.thread);
  for (Key *key : open)
    close(a, call, context, *key);
}

} // namespace gpuinstr::audit
