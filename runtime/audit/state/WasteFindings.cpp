// From tallies to findings: what the report counts.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/WasteFindings.h"
#include "audit/state/Judgements.h"
#include "audit/state/ThreadAuditState.h"
#include "base/HotCode.h"
#include "calls/code/UnseenCode.h"
#include <algorithm>

namespace gpuinstr::audit {

GPUINSTR_HOT FindingRecord &WasteFindings::record(const FindingKey &key) {
  for (LastIndex = 0; LastIndex < Records.size(); ++LastIndex)
    if (FindingRecord &r = Records[LastIndex];
        r.key.site == key.site && r.key.pattern == key.pattern && r.key == key)
      return r;
  Records.emplace_back();
  Records.back().key = key;
  return Records.back();
}

void WasteFindings::add(const FindingKey &key, uint64_t count, uint64_t bytes, uint64_t ticks) {
  addTo(record(key), count, bytes, ticks);
}

void WasteFindings::put(ToAdd &more) {
  if (more.count)
    addTo(Records[more.index], more.count, more.count * more.bytes, more.ticks);
  more = ToAdd();
}

void WasteFindings::addTo(FindingRecord &r, uint64_t count, uint64_t bytes, uint64_t ticks) {
  uint64_t each = count == 1 ? bytes : count ? bytes / count : 0;
  r.each = r.count == 0 || r.each == each ? each : 0;
  r.count += count;
  r.bytes += bytes;
  r.ticks += ticks;
}

void WasteFindings::addTally(const Key &key, Pattern pattern, const Tally &tally, bool proven) {
  FindingKey finding;
  if (!judge(tally, proven, finding.grade))
    return;
  if (isResult(key, tally))
    finding.grade = Grade::Advice;
  finding.pattern = pattern;
  finding.site = key.id.site;
  finding.caller = key.caller;
  finding.related = tally.related;
  if (finding.grade == Grade::Likely && pattern == Pattern::NoopCopy && proven &&
      isMostlyQuiet(key))
    return addQuiet(key, finding, tally);
  // Advice counts the repeats that were for nothing; of the others, all were.
  uint64_t same = tally.unchanged + tally.hostUnchanged;
  const uint64_t told = toldRepeats(key, pattern, tally);
  const uint64_t shown = std::min(shownRepeats(key, pattern, tally), told);
  addRecord(key, finding, tally,
            finding.grade == Grade::Advice   ? same
            : finding.grade == Grade::Proven ? shown
                                             : told);
  FindingRecord &r = record(finding);
  r.mayBeWritten |= tally.interfered != 0 || !proven;
  if (shown < LeastRepeats)
    return;
  r.seen.count += shown;
  r.seen.bytes += shown * key.id.bytes;
  r.seen.ticks += tally.ticks / tally.repeats * shown;
}

/// One line, one finding: the repeats behind something that may write are told with the others.
void WasteFindings::addQuiet(const Key &key, FindingKey finding, const Tally &tally) {
  finding.grade = Grade::Proven;
  const Tally quiet = quietOf(tally);
  const uint64_t told = std::min(quiet.repeats, toldRepeats(key, Pattern::NoopCopy, tally));
  addRecord(key, finding, quiet, std::min(tally.quietShown, told));
  FindingRecord &r = record(finding);
  r.behindWrites += tally.interfered;
  r.behindLooks += tally.checked - std::min(tally.checked, tally.quiet);
}

void WasteFindings::addRecord(const Key &key, const FindingKey &finding, const Tally &tally,
                              uint64_t count) {
  addTo(record(finding), key, tally, count);
}

void WasteFindings::addTo(FindingRecord &r, const Key &key, const Tally &tally, uint64_t count) {
  addTo(r, count, count * key.id.bytes, tally.ticks / tally.repeats * count);
  r.checked += tally.checked + tally.hostChecked;
  r.hostChecked += tally.hostChecked;
  r.unchanged += tally.unchanged + tally.hostUnchanged;
  r.repeats += tally.repeats;
  r.direction = directionOf(key);
  ++r.places;
  r.isFromOthers |= key.comesFromOthers;
  r.isFetched |= key.isFetched && tally.related;
  r.lastLookNs = std::max(r.lastLookNs, key.lastLookNs);
  if (key.range)
    key.range->users.addTo(r.kernels);
  r.kernels.add(key.users);
}

/// What happened too seldom for a no-op copy, and still was for nothing.
void WasteFindings::addOnce(const Key &key, const Tally &tally, bool proven) {
  FindingKey finding;
  bool up = key.direction == CopyDirection::HostToDevice;
  if (tally.repeats >= LeastRepeats || key.work != DeviceWorkKind::Copy ||
      (!up && key.direction != CopyDirection::DeviceToHost) ||
      !judgeOnce(tally, key.id.bytes, auditor().full, proven, finding.grade))
    return;
  bool isQuick = !auditor().full && !isLong(tally.ticks / tally.repeats);
  if (isQuick && (tally.interfered || tally.unchanged != tally.repeats ||
                  (&tally == &key.round && mayBeReset(key))))
    return;
  bool isRound = &tally == &key.round || (!up && tally.related);
  bool isAgain = !up && !isRound; // what this line has brought before
  finding.pattern = isRound ? Pattern::Roundtrip : isAgain ? Pattern::NoopCopy : Pattern::Reupload;
  if (isAgain)
    finding.grade = Grade::Likely;
  finding.site = key.id.site;
  finding.caller = key.caller;
  finding.related = tally.related || isAgain ? tally.related : key.id.site;
  FindingRecord &r = isQuick ? Quick.of(finding) : record(finding);
  addTo(r, key, tally, tally.repeats);
  if (finding.pattern == Pattern::Reupload)
    r.inPlace += tally.repeats;
}

/// The first copy of several: the loop can begin with the second.
void WasteFindings::addFirst(const Key &key) {
  Grade told;
  if (!key.isFirstNoop || judge(withoutGuesses(key), true, told))
    return;
  FindingKey finding;
  finding.pattern = Pattern::NoopCopy;
  finding.grade = Grade::Advice;
  finding.site = key.id.site;
  finding.caller = key.caller;
  add(finding, 1, key.id.bytes, key.apart.count ? key.apart.ticks / key.apart.count : 0);
  FindingRecord &r = record(finding);
  r.direction = directionOf(key);
  r.first = true;
  if (key.range)
    key.range->users.addTo(r.kernels);
}

void addJudged(Figures &figures, const Key &key) {
  if (!isJudged(key))
    return;
  figures.judged.add(key.apart.count, key.id.bytes, key.apart.ticks);
  for (const Tally *tally : {&key.same, &key.round, &key.again})
    figures.judged.add(tally->repeats, key.id.bytes, tally->ticks);
}

void WasteFindings::add(const Key &key) {
  addJudged(figures, key);
  FindingKey line;
  line.site = key.id.site;
  line.caller = key.caller;
  totals.add(line, key.apart.count + key.same.repeats + key.round.repeats + key.again.repeats,
             key.id.bytes);
  addRewrites(key);
  if (key.isOntoItself || key.wasSweep || isRepeatedSweep(key)) // counted each time; never
    return;
  addTally(key, Pattern::NoopCopy, withoutGuesses(key), mayBeProven(key));
  addTally(key, Pattern::Roundtrip, key.round, mayBeProven(key) && !mayBeReset(key));
  addOnce(key, withoutGuesses(key), mayBeProven(key));
  addOnce(key, key.round, mayBeProven(key));
  addFirst(key);
  if (key.again.repeats)
    addAgain(key, key.again, false);
  if (key.elsewhere.repeats)
    addAgain(key, key.elsewhere, true);
  if (key.back.repeats)
    addAgain(key, key.back, true, Pattern::Roundtrip);
}

/// Transfers to and from ever new buffers: one of each allocation, summed up by site and size.
void WasteFindings::addAgain(const Key &key, const Tally &tally, bool byHost, Pattern pattern) {
  TransferDirection direction = directionOf(key);
  auto isSame = [&](const Again &a) {
    return a.site == key.id.site && a.bytes == key.id.bytes && a.caller == key.caller &&
           a.byHost == byHost && a.pattern == pattern && a.direction == direction;
  };
  auto it = std::find_if(Uploads.begin(), Uploads.end(), isSame);
  if (it == Uploads.end()) {
    Again again{};
    again.site = key.id.site, again.caller = key.caller, again.bytes = key.id.bytes;
    again.byHost = byHost, again.pattern = pattern, again.direction = direction;
    it = Uploads.insert(it, again);
  }
  it->tally.add(tally);
  auto at = std::find_if(it->before.begin(), it->before.end(),
                         [&](const auto &one) { return one.first == tally.related; });
  if (at == it->before.end())
    at = it->before.insert(at, {tally.related, 0});
  at->second += tally.repeats;
  it->fills += key.isFill ? tally.repeats : 0;
  it->freed += &tally == &key.elsewhere ? key.elsewhereFreed : 0;
  it->pooled |= key.pooled || !mayBeProven(key);
  it->isStaged |= key.isStagedFrom;
  it->isAnew |= key.isAnew;
  if (&tally == &key.elsewhere)
    it->confirmed += key.elsewhereShown;
  else if (!tally.interfered) // of the device's tally: one occurrence, the key's first
    it->confirmed += tally.unchanged;
  it->lastLookNs = std::max(it->lastLookNs, key.lastLookNs);
  if (key.range)
    key.range->users.addTo(it->kernels);
  it->kernels.add(key.users);
}

bool WasteFindings::isCounted(const Again &again, Grade &grade) const {
  const Tally &t = again.tally;
  uint64_t same = t.unchanged + t.hostUnchanged;
  bool once = same == 1 && (auditor().full || isLong(t.ticks));
  if (same < LeastReuploads && !once)
    return false;
  // Memory of a pool comes back with its bytes in it: who wrote them is less certain. Where the
  // buffer before was not looked at, only tags say what it held: such repeats prove nothing.
  const bool isShown = again.confirmed >= LeastReuploads || (once && again.confirmed);
  if (!again.byHost) {
    const bool isFlag = again.pattern == Pattern::Reupload && again.bytes < LeastBuffer;
    grade = isFlag || same != t.checked ? Grade::Advice
            : again.pooled || !isShown  ? Grade::Likely
                                        : Grade::Proven;
    return true;
  }
  constexpr uint64_t LeastBytes = 65536;
  bool isOther = false; // the device has said it already
  for (const Again &other : Uploads)
    isOther |= again.pattern == Pattern::Reupload && !other.byHost && other.site == again.site &&
               other.bytes == again.bytes && other.tally.unchanged >= LeastReuploads;
  // Where two buffers may have been wanted, as at a line's first upload, the others still count.
  const uint64_t needless = same - std::min(same, t.interfered);
  grade = again.bytes >= LeastBytes && (t.interfered == 0 || needless >= LeastReuploads)
              ? Grade::Likely
              : Grade::Advice;
  if (again.isInTurn() && !again.isWorthBuffers(auditor().full))
    return false;
  if (again.pattern == Pattern::Reupload && isShown && !again.pooled && grade == Grade::Likely)
    grade = Grade::Proven;
  return !isOther && (again.bytes >= LeastBytes || same * again.bytes >= LeastBytes);
}

void WasteFindings::finish() {
  for (ToAdd &more : Latest)
    put(more);
  for (Unused &unused : UnusedOf)
    settle(unused);
  for (const Again &a : Uploads) {
    const Tally &t = a.tally;
    FindingKey key;
    if (!isCounted(a, key.grade))
      continue;
    key.pattern = a.pattern;
    key.site = a.site;
    key.caller = a.caller;
    key.related = a.mostBefore();
    uint64_t same = t.unchanged + t.hostUnchanged;
    // What was not looked at may have been other bytes.
    const uint64_t wanted = a.byHost ? std::min(t.interfered, t.repeats) : 0;
    uint64_t count = key.grade == Grade::Likely   ? t.repeats - wanted
                     : key.grade == Grade::Proven ? a.confirmed
                                                  : same;
    add(key, count, count * a.bytes, t.ticks / t.repeats * count);
    FindingRecord &r = record(key);
    r.checked += t.checked + t.hostChecked;
    r.hostChecked += t.hostChecked;
    r.unchanged += same;
    r.repeats += t.repeats;
    if (a.byHost && (a.pattern == Pattern::Reupload || a.isAnew))
      r.news += auditor().newsOf(a.site, a.bytes);
    r.firsts = std::max(r.firsts, auditor().firstsOf(a.site, a.bytes));
    r.isInTurn |= a.isInTurn();
    r.isFill |= a.isFill();
    r.isByFree |= key.related && a.isByFree();
    r.isStaged |= a.isStaged && a.pattern == Pattern::Roundtrip;
    r.isAnew |= a.isAnew && a.pattern == Pattern::Roundtrip;
    r.direction = a.direction;
    r.lastLookNs = std::max(r.lastLookNs, a.lastLookNs);
    r.kernels.add(a.kernels);
  }
  Uploads.clear();
  for (const FindingRecord &line : Quick.from(LeastRepeats, Records))
    joinInto(record(line.key), line);
}

void WasteFindings::addTwin(const Key &key) {
  FindingKey finding;
  finding.pattern = Pattern::DuplicateBuffer;
  finding.grade = Grade::Advice;
  finding.site = key.id.site;
  finding.caller = key.caller;
  finding.related = key.twin->id.site;
  add(finding, 1, key.id.bytes, 0);
}

void WasteFindings::clear() {
  ++Epoch;
  for (ToAdd &more : Latest)
    more = ToAdd();
  Records.clear();
  Uploads.clear();
  Quick.clear();
  totals.clear();
  for (Unused &unused : UnusedOf)
    unused = Unused();
  figures = Figures();
}

std::vector<FindingRecord> wasteFound(Ending ending) {
  Auditor &a = auditor();
  const bool unseenSyncs = unseenCodeSynchronises();
  const UnseenDoings unseen = {unseenCodeUsesCuda(), unseenCodeLaunches(), isAttachedAlone()};
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.poll();
  WasteFindings all = a.waste;
  for (auto &entry : a.keys) {
    all.add(*entry.second);
    if (a.areTwins(*entry.second))
      all.addTwin(*entry.second);
    if (ending == Ending::Exit)
      all.addUnread(*entry.second, a.ranges);
  }
  for (auto &key : a.retired)
    all.add(*key);
  if (ending != Ending::Early)
    a.ranges.each([&](Range &range) {
      if (!range.opaque)
        Auditor::isOfPool(range);
      all.addUnused(range, a.ranges);
    });
  a.advice.flush(all, unseenSyncs);
  all.finish();
  std::vector<FindingRecord> records = all.records();
  for (FindingRecord &record : records)
    all.totals.noteNewBuffers(record);
  dropSweeps(records);
  noteUnread(records, all.totals);
  mergeFindings(records);
  gradeSeldom(records, all.totals);
  allowForUnseen(records, unseen);
  leaveOutNeedless(records);
  return records;
}

Figures auditFigures() {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.poll();
  Figures all = a.waste.figures;
  for (auto &entry : a.keys)
    addJudged(all, *entry.second);
  for (auto &key : a.retired)
    addJudged(all, *key);
  return all;
}

profile::AuditDepth auditMode() {
  using profile::AuditDepth;
  const Auditor &a = auditor();
  return !a.decided    ? AuditDepth::Unknown
         : !a.verifies ? AuditDepth::Off
         : a.full      ? AuditDepth::Full
                       : AuditDepth::Sampled;
}

void forgetWaste() {
  Auditor &a = auditor();
  std::lock_guard<AuditMutex> lock(a.mutex);
  a.poll();
  for (auto &entry : a.keys) {
    Key &key = *entry.second;
    key.isFirstNoop = false;
    key.quietFrom = 0;
    key.same = key.round = key.again = key.elsewhere = key.back = Tally();
    key.elsewhereFreed = key.elsewhereShown = 0;
    key.rewrites = 0;
    key.rewriteTicks = 0;
    key.apart = Moved();
  }
  a.waste.clear();
  a.advice.clear();
}

} // namespace gpuinstr::audit
