// One line, one finding: of several that one change would mend, the one that says most.
// SPDX-License-Identifier: Apache-2.0
#include "findings/OneFinding.h"
#include "base/Hash.h"
#include <algorithm>
#include <iterator>

namespace gpuinstr::audit {

namespace {

bool isNeedless(const FindingKey &key) {
  return (key.pattern == Pattern::NoopCopy || key.pattern == Pattern::Reupload ||
          key.pattern == Pattern::Roundtrip) &&
         key.grade != Grade::Advice;
}

bool isCovered(const FindingKey &key) {
  return key.pattern == Pattern::DeadCopy || key.pattern == Pattern::UniformUpload ||
         key.pattern == Pattern::DuplicateBuffer ||
         (key.pattern == Pattern::Reupload && key.grade == Grade::Advice);
}

bool isSamePlace(const FindingKey &one, const FindingKey &other) {
  return one.site == other.site && one.caller == other.caller;
}

/// Kernels overwrite most of each upload, which is then one of equal elements besides.
bool isMostlyDead(const FindingRecord &dead, const FindingRecord &uniform) {
  return dead.key.pattern == Pattern::DeadCopy && dead.key.grade == Grade::Advice &&
         uniform.key.pattern == Pattern::UniformUpload && uniform.count <= dead.count + 1;
}

/// Of dead copies and uploads of equal elements, which may have been sent before: a dead one need
/// not be made at all, nor most of one that is dead for the most part; where only some are, they
/// are best set on the device; one that mostly changes nothing, left out.
bool saysMore(const FindingRecord &other, const FindingRecord &r) {
  if (r.key.pattern == Pattern::UniformUpload)
    return (other.key.pattern == Pattern::DeadCopy && other.key.grade != Grade::Advice) ||
           isMostlyDead(other, r) ||
           (other.key.pattern == Pattern::NoopCopy && r.others &&
            2 * other.unchanged > other.checked);
  if (r.key.grade != Grade::Advice)
    return false;
  if (r.key.pattern == Pattern::Reupload && other.key.pattern == Pattern::DeadCopy)
    return other.key.grade != Grade::Advice;
  return (r.key.pattern == Pattern::DeadCopy || r.key.pattern == Pattern::Reupload) &&
         other.key.pattern == Pattern::UniformUpload && !isMostlyDead(r, other);
}

/// Bytes that are on the device, or come from there, are also bytes that were sent before.
bool saysWhence(const FindingKey &other, const FindingKey &key) {
  return key.pattern == Pattern::Reupload && key.grade != Grade::Proven &&
         (other.pattern == Pattern::NoopCopy || other.pattern == Pattern::Roundtrip) &&
         other.grade <= key.grade;
}

/// The line's copies change nothing because another line has just written the same, unread: one of
/// the two can go.
bool isBurial(const FindingRecord &dead, const FindingRecord &r) {
  return dead.key.pattern == Pattern::DeadCopy && dead.key.grade != Grade::Advice &&
         r.key.pattern == Pattern::NoopCopy && r.key.grade != Grade::Proven && r.mayBeWritten &&
         dead.key.related == r.key.site && r.count <= dead.count + 1;
}

/// Of buffers that the line fills anew, few are looked at; where all of these were needless, they
/// stand for all copies of their size (FindingList counts these).
bool standsForAll(const FindingRecord &r) {
  const bool isOfNewOnes = r.key.pattern == Pattern::Reupload
                               ? !r.inPlace
                               : r.key.pattern == Pattern::Roundtrip && (r.isAnew || r.isStaged);
  return isOfNewOnes && r.key.grade != Grade::Advice && r.each && r.checked &&
         r.unchanged == r.checked && !r.news;
}

/// Bytes that a buffer of the line held when it was freed may have come by way of the host as well.
bool saysProven(const FindingRecord &other, const FindingRecord &r) {
  return r.key.pattern == Pattern::Roundtrip && r.key.grade == Grade::Likely &&
         (r.isAnew || r.isStaged) && other.key.pattern == Pattern::Reupload &&
         other.key.grade == Grade::Proven;
}

/// The other's repeats, and those of its line and pattern that have another grade: each is in one
/// record only.
uint64_t repeatsLike(const std::vector<FindingRecord> &records, const FindingRecord &other) {
  if (!isNeedless(other.key))
    return std::max(other.count, other.repeats);
  uint64_t all = 0;
  for (const FindingRecord &r : records)
    if (isNeedless(r.key) && r.key.pattern == other.key.pattern && isSamePlace(r.key, other.key))
      all += std::max(r.count, r.repeats) + r.behindWrites;
  return all;
}

/// Copies of the line that come first, before any of the other's can be needless: of buffers that
/// are made anew it takes two to see it.
uint64_t firstOnes(const FindingRecord &other) { return other.isAnew ? 2 : 1; }

/// The record of the same line that says what this one says, and more.
const FindingRecord *coverOfLine(const std::vector<FindingRecord> &records,
                                 const FindingRecord &r) {
  for (const FindingRecord &other : records) {
    if (&other == &r || !isSamePlace(other.key, r.key))
      continue;
    bool covers =
        isNeedless(other.key) ||
        (other.key.pattern == Pattern::DuplicateBuffer && r.key.pattern == Pattern::Reupload) ||
        saysMore(other, r);
    if (saysWhence(other.key, r.key) &&
        r.count <= other.count + other.behindWrites + firstOnes(other))
      return &other;
    if (saysProven(other, r) && (r.count <= other.count || standsForAll(other)))
      return &other;
    // The first copy of all is not needless, and may still be one of the others.
    if (covers && isCovered(r.key) &&
        (r.count <= repeatsLike(records, other) + firstOnes(other) ||
         (standsForAll(other) && other.each == r.each)))
      return &other;
  }
  return nullptr;
}

/// ... or of the line before, where that is told: of three in a row, dropping the first leaves the
/// third one needless.
bool isCoveredBy(const std::vector<FindingRecord> &records, const FindingRecord &r) {
  auto buries = [&](const FindingRecord &dead) {
    return &dead != &r && isBurial(dead, r) && !isSamePlace(dead.key, r.key) &&
           !coverOfLine(records, dead);
  };
  return coverOfLine(records, r) || std::any_of(records.begin(), records.end(), buries);
}

/// What the kernel leaves of an upload of equal elements, the device can set.
void takeFill(const std::vector<FindingRecord> &records, FindingRecord &dead) {
  for (const FindingRecord &uniform : records)
    if (isSamePlace(uniform.key, dead.key) && isMostlyDead(dead, uniform)) {
      dead.isFill = true;
      dead.others = uniform.others;
      dead.wordBytes = uniform.wordBytes;
      dead.isOfPlaces = uniform.isOfPlaces;
    }
}

bool areOneLine(const FindingRecord &a, const FindingRecord &b) {
  return a.key.pattern == Pattern::DeadCopy && b.key.pattern == a.key.pattern &&
         a.key.grade == b.key.grade && isSamePlace(a.key, b.key);
}

void addCopies(FindingRecord &to, const FindingRecord &from) {
  to.each = to.each == from.each ? to.each : 0;
  to.count += from.count;
  to.bytes += from.bytes;
  to.ticks += from.ticks;
}

/// Dead copies of the record's line, together, where it is the one of most copies; else false.
bool joinLine(const std::vector<FindingRecord> &records, FindingRecord &r) {
  for (const FindingRecord &other : records)
    if (areOneLine(r, other) && other.key.related != r.key.related &&
        (other.count > r.count || (other.count == r.count && other.key.related < r.key.related)))
      return false;
  for (const FindingRecord &other : records)
    if (areOneLine(r, other) && other.key.related != r.key.related) {
      addCopies(r, other);
      r.elements = fewestOf(r.elements, other.elements);
    }
  return true;
}

/// What looks say of two records' repeats together.
void addLooks(FindingRecord &to, const FindingRecord &from) {
  to.each = to.each == from.each ? to.each : 0;
  to.repeats += from.repeats;
  to.checked += from.checked;
  to.unchanged += from.unchanged;
  to.hostChecked += from.hostChecked;
  to.behindWrites += from.behindWrites;
  to.behindLooks += from.behindLooks;
  to.places += from.places;
  to.isFromOthers |= from.isFromOthers;
  to.lastLookNs = std::max(to.lastLookNs, from.lastLookNs);
  to.kernels.add(from.kernels);
}

/// Of what no look stands for, nothing counts, as in a proof of its own: how many looks there were,
/// the budget says.
void addRepeats(FindingRecord &to, const FindingRecord &from) {
  to.count += from.seen.count;
  to.bytes += from.seen.bytes;
  to.ticks += from.seen.ticks;
  addLooks(to, from);
}

/// The proven record of the line whose copies to other buffers only the host could look at, while
/// nothing that may write them was seen: what is known by the host extends a proof.
FindingRecord *proofOf(std::vector<FindingRecord> &records, const FindingRecord &r) {
  if (r.key.grade != Grade::Likely || r.key.pattern != Pattern::NoopCopy || r.mayBeWritten)
    return nullptr;
  for (FindingRecord &other : records)
    if (other.key.grade == Grade::Proven && other.key.pattern == r.key.pattern &&
        isSamePlace(other.key, r.key))
      return &other;
  return nullptr;
}

void extendProofs(std::vector<FindingRecord> &records) {
  for (const FindingRecord &r : records)
    if (FindingRecord *proof = proofOf(records, r))
      addRepeats(*proof, r);
  auto isPart = [&](const FindingRecord &r) { return proofOf(records, r) != nullptr; };
  std::vector<FindingRecord> kept;
  std::remove_copy_if(records.begin(), records.end(), std::back_inserter(kept), isPart);
  records = std::move(kept);
}

} // namespace

uint64_t LineTotals::numberOf(const FindingKey &line) { return hashMix(line.site, line.caller); }

void LineTotals::add(const FindingKey &line, uint64_t count, uint64_t bytesOfEach) {
  Line &made = Made[numberOf(line)];
  made.count += count;
  made.bytes += count * bytesOfEach;
  made.isOften |= count > 1;
}

LineTotals::Line LineTotals::made(const FindingKey &line) const {
  auto found = Made.find(numberOf(line));
  return found == Made.end() ? Line() : found->second;
}

void LineTotals::noteNewBuffers(FindingRecord &record) const {
  if (const Line all = made(record.key); !all.isOften)
    record.ofCaller = all.count, record.bytesOfCaller = all.bytes;
}

static bool isOfLine(const FindingRecord &line, const FindingKey &key) {
  return line.key.site == key.site && line.key.pattern == key.pattern &&
         line.key.related == key.related;
}

FindingRecord &QuickRepeats::of(const FindingKey &key) {
  for (FindingRecord &line : Lines)
    if (isOfLine(line, key)) {
      line.key.grade = std::max(line.key.grade, key.grade);
      line.key.caller = line.key.caller == key.caller ? key.caller : 0;
      return line;
    }
  Lines.emplace_back();
  Lines.back().key = key;
  return Lines.back();
}

std::vector<FindingRecord> QuickRepeats::from(uint64_t least,
                                              const std::vector<FindingRecord> &told) const {
  std::vector<FindingRecord> lines;
  for (const FindingRecord &line : Lines) {
    uint64_t count = line.count;
    for (const FindingRecord &r : told)
      count += isOfLine(r, line.key) && r.key.grade != Grade::Advice ? r.count : 0;
    if (count >= least)
      lines.push_back(line);
  }
  return lines;
}

uint32_t fewestOf(uint32_t one, uint32_t other) {
  return one && other ? std::min(one, other) : one + other;
}

void joinInto(FindingRecord &to, const FindingRecord &from) {
  if (!to.count) {
    to = from;
    return;
  }
  to.count += from.count;
  to.bytes += from.bytes;
  to.ticks += from.ticks;
  to.inPlace += from.inPlace;
  addLooks(to, from);
}

void dropSweeps(std::vector<FindingRecord> &records) {
  auto isSweep = [](const FindingRecord &r) { return r.sweeps > 1 && r.sweeps == r.count; };
  records.erase(std::remove_if(records.begin(), records.end(), isSweep), records.end());
}

/// Of some copies of a line kernels overwrite all, of others most: where that is advice as well, it
/// holds for both.
static bool joinMostlyDead(std::vector<FindingRecord> &records, FindingRecord &r) {
  for (FindingRecord &other : records)
    if (&other != &r && areOneLine(other, r) && !other.made && other.count) {
      addCopies(other, r);
      r.count = 0; // leaveOutNeedless() drops it
      return true;
    }
  return false;
}

void gradeSeldom(std::vector<FindingRecord> &records, const LineTotals &totals) {
  constexpr uint64_t Few = 8; ///< one in so many
  for (FindingRecord &r : records) {
    uint64_t made = totals.of(r.key);
    if (r.key.pattern != Pattern::DeadCopy || r.key.grade == Grade::Advice || made <= r.count)
      continue;
    if (made >= Few * r.count) {
      r.key.grade = Grade::Advice;
      if (joinMostlyDead(records, r))
        continue;
    }
    r.made = made;
  }
}

void noteUnread(std::vector<FindingRecord> &records, const LineTotals &totals) {
  auto isDead = [](const FindingRecord &r) {
    return r.key.pattern == Pattern::DeadCopy && r.key.grade != Grade::Advice;
  };
  for (FindingRecord &r : records) {
    if (!isNeedless(r.key))
      continue;
    uint64_t dead = 0;
    for (const FindingRecord &other : records)
      dead += isDead(other) && isSamePlace(other.key, r.key) ? other.count : 0;
    r.isUnread = dead && dead >= totals.of(r.key);
  }
}

void mergeFindings(std::vector<FindingRecord> &records) {
  extendProofs(records);
  std::vector<FindingRecord> kept;
  for (const FindingRecord &r : records) {
    FindingRecord joined = r;
    if (isCoveredBy(records, r) || !joinLine(records, joined))
      continue;
    takeFill(records, joined);
    kept.push_back(joined);
  }
  records = std::move(kept);
}

/// With those that are told in its text.
static FindingRecord::Part allOf(const FindingRecord &needless) {
  const uint64_t count = std::max<uint64_t>(needless.count, 1), more = needless.behindWrites;
  return {needless.count + more, needless.bytes + needless.bytes / count * more,
          needless.ticks + needless.ticks / count * more};
}

/// Of memory that is made in rounds, what nobody uses.
static void leaveOutUnused(const std::vector<FindingRecord> &records, FindingRecord &churn) {
  uint64_t unused = 0;
  for (const FindingRecord &other : records)
    if (other.key.pattern == Pattern::UnusedAllocation && isSamePlace(other.key, churn.key))
      unused += other.count;
  if (unused == 0)
    return;
  const uint64_t all = churn.count, left = all - std::min(all, unused);
  churn.count = left < LeastCycles ? 0 : left;
  churn.bytes = churn.bytes / all * left;
  churn.ticks = churn.ticks / all * left;
}

void leaveOutNeedless(std::vector<FindingRecord> &records) {
  for (FindingRecord &churn : records)
    if (churn.key.pattern == Pattern::AllocChurn && churn.count)
      leaveOutUnused(records, churn);
  for (FindingRecord &dead : records) {
    if (dead.key.pattern != Pattern::DeadCopy || dead.key.grade == Grade::Advice)
      continue;
    for (const FindingRecord &other : records)
      if (isNeedless(other.key) && isSamePlace(other.key, dead.key)) {
        const FindingRecord::Part told = allOf(other);
        dead.count -= std::min(dead.count, told.count);
        dead.bytes -= std::min(dead.bytes, told.bytes);
        dead.ticks -= std::min(dead.ticks, told.ticks);
      }
  }
  auto isNone = [](const FindingRecord &r) { return r.count == 0; };
  records.erase(std::remove_if(records.begin(), records.end(), isNone), records.end());
}

void allowForUnseen(std::vector<FindingRecord> &records, const UnseenDoings &unseen) {
  auto mayBeWanted = [&](const FindingRecord &r) {
    return (unseen.launches && r.key.pattern == Pattern::DeadCopy) ||
           (unseen.isAttached && r.key.pattern == Pattern::UnusedAllocation &&
            r.key.resource == GPUINSTR_RES_PINNED);
  };
  records.erase(std::remove_if(records.begin(), records.end(), mayBeWanted), records.end());
  if (unseen.usesCuda)
    for (FindingRecord &r : records)
      if (r.key.grade == Grade::Proven)
        r.key.grade = Grade::Likely;
}

} // namespace gpuinstr::audit
