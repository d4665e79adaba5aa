// From tallies to findings: what is proven, what is likely, and what the report counts.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/WasteFindings.h"
#include "audit/state/Auditor.h"
#include "calls/sites/Images.h"

namespace gpuinstr::audit {

namespace {

constexpr uint64_t LeastRepeats = 3, LeastReuploads = 2;

TransferDirection directionOf(const Key &key) {
  if (key.work == DeviceWorkKind::Set)
    return TransferDirection::Set;
  switch (key.direction) {
  case CopyDirection::HostToDevice:
    return TransferDirection::HostToDevice;
  case CopyDirection::DeviceToHost:
    return TransferDirection::DeviceToHost;
  case CopyDirection::DeviceToDevice:
    return TransferDirection::DeviceToDevice;
  default:
    return TransferDirection::Unknown;
  }
}

/// Code on the host may write where a download goes at any time: only a run in which every repeat
/// was compared shows that it did not.
bool mayBeProven(const Key &key, const Tally &tally) {
  if (key.hostCanTouch)
    return false;
  return key.direction != CopyDirection::DeviceToHost || tally.checked == tally.repeats;
}

} // namespace

bool judge(const Tally &tally, bool mayBeProven, Grade &grade) {
  if (tally.repeats < LeastRepeats || tally.unchanged < LeastRepeats)
    return false;
  if (tally.unchanged != tally.checked)
    grade = Grade::Advice;
  else
    grade = mayBeProven && tally.interfered == 0 ? Grade::Proven : Grade::Likely;
  return true;
}

FindingRecord &WasteFindings::record(const FindingKey &key) {
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

bool WasteFindings::addAt(RecordPlace place, uint64_t bytes, uint64_t ticks) {
  if (place.epoch != Epoch)
    return false;
  addTo(Records[place.index], 1, bytes, ticks);
  return true;
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
  finding.pattern = pattern;
  finding.site = key.id.site;
  finding.caller = key.caller;
  finding.related = tally.related;
  // Advice counts the repeats that were for nothing; of the others, all were.
  uint64_t count = finding.grade == Grade::Advice ? tally.unchanged : tally.repeats;
  uint64_t ticks = tally.ticks / tally.repeats * count;
  add(finding, count, count * key.id.bytes, ticks);
  FindingRecord &r = record(finding);
  r.checked += tally.checked;
  r.unchanged += tally.unchanged;
  r.repeats += tally.repeats;
  r.direction = directionOf(key);
}

void WasteFindings::add(const Key &key) {
  addTally(key, Pattern::NoopCopy, key.same, mayBeProven(key, key.same));
  addTally(key, Pattern::Roundtrip, key.round, mayBeProven(key, key.round));
  if (key.again.repeats)
    addAgain(key);
}

/// Uploads to ever new buffers: one of each allocation, summed up by site and size.
void WasteFindings::addAgain(const Key &key) {
  for (Again &a : Uploads)
    if (a.site == key.id.site && a.bytes == key.id.bytes && a.caller == key.caller) {
      a.tally.add(key.again);
      a.pooled |= key.pooled || key.hostCanTouch;
      return;
    }
  Uploads.push_back(
      {key.id.site, key.caller, key.id.bytes, key.pooled || key.hostCanTouch, key.again});
}

void WasteFindings::finish() {
  for (const Again &a : Uploads) {
    const Tally &t = a.tally;
    if (t.unchanged < LeastReuploads)
      continue;
    FindingKey key;
    key.pattern = Pattern::Reupload;
    // Memory of a pool comes back with its bytes in it: who wrote them is less certain.
    key.grade = t.unchanged != t.checked ? Grade::Advice : a.pooled ? Grade::Likely : Grade::Proven;
    key.site = a.site;
    key.caller = a.caller;
    key.related = t.related;
    uint64_t count = key.grade == Grade::Advice ? t.unchanged : t.repeats;
    add(key, count, count * a.bytes, t.ticks / t.repeats * count);
    FindingRecord &r = record(key);
    r.checked += t.checked;
    r.unchanged += t.unchanged;
    r.repeats += t.repeats;
    r.direction = TransferDirection::HostToDevice;
  }
  Uploads.clear();
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

void WasteFindings::addUnused(const Range &range, const Ranges &ranges) {
  bool linear = range.resource == GPUINSTR_RES_DEVICE || range.resource == GPUINSTR_RES_ASYNC ||
                range.resource == GPUINSTR_RES_PITCHED;
  if (!linear || range.used.load() || range.unknownAtStart != ranges.unknownUses.load() ||
      unseenCodeUsesCuda())
    return;
  FindingKey finding;
  finding.pattern = Pattern::UnusedAllocation;
  finding.grade = Grade::Likely;
  finding.site = range.site;
  finding.caller = range.caller;
  finding.resource = range.resource;
  finding.related = range.usage.passedAt.load();
  add(finding, 1, range.bytes, range.allocTicks);
}

void WasteFindings::clear() {
  ++Epoch;
  Records.clear();
  Uploads.clear();
  figures = Figures();
}

std::vector<FindingRecord> wasteFound() {
  Auditor &a = auditor();
  bool unseen = unseenCodeUsesCuda();
  std::lock_guard<std::mutex> lock(a.mutex);
  a.poll();
  WasteFindings all = a.waste;
  for (auto &entry : a.keys) {
    all.add(*entry.second);
    if (a.areTwins(*entry.second))
      all.addTwin(*entry.second);
  }
  for (auto &key : a.retired)
    all.add(*key);
  a.ranges.each([&](Range &range) { all.addUnused(range, a.ranges); });
  a.advice.flush(all, unseen);
  all.finish();
  std::vector<FindingRecord> records = all.records();
  // Code that is not instrumented may have written between any two calls.
  if (unseen)
    for (FindingRecord &r : records)
      if (r.key.grade == Grade::Proven)
        r.key.grade = Grade::Likely;
  return records;
}

Figures auditFigures() {
  Auditor &a = auditor();
  std::lock_guard<std::mutex> lock(a.mutex);
  a.poll();
  return a.waste.figures;
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
  std::lock_guard<std::mutex> lock(a.mutex);
  a.poll();
  for (auto &entry : a.keys)
    entry.second->same = entry.second->round = entry.second->again = Tally();
  a.waste.clear();
  a.advice.clear();
}

std::vector<std::string> auditNotes() {
  Auditor &a = auditor();
  std::vector<std::string> notes;
  if (!a.note.empty())
    notes.push_back(a.note);
  Figures f = auditFigures();
  std::string unjudged;
  auto add = [&](uint64_t count, const char *what) {
    if (count)
      unjudged += (unjudged.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(f.arrays, "of arrays");
  add(f.batches, "in batches");
  add(f.variables, "of variables whose address is not known");
  if (a.verifies && !unjudged.empty())
    notes.push_back("audit: copies that were not judged: " + unjudged);
  return notes;
}

} // namespace gpuinstr::audit
