// One line, one finding: of several that one change would mend, the one that says most.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/OneFinding.h"

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

/// The record that says what this one says, and more.
const FindingRecord *coverOf(const std::vector<FindingRecord> &records, const FindingRecord &r) {
  for (const FindingRecord &other : records) {
    if (&other == &r || !isSamePlace(other.key, r.key))
      continue;
    bool covers = isNeedless(other.key) || (other.key.pattern == Pattern::DuplicateBuffer &&
                                            r.key.pattern == Pattern::Reupload);
    // The first copy of all is not needless, and may still be one of the others.
    if (covers && isCovered(r.key) && r.count <= other.count + 1)
      return &other;
  }
  return nullptr;
}

bool areOneLine(const FindingRecord &a, const FindingRecord &b) {
  return a.key.pattern == Pattern::DeadCopy && b.key.pattern == a.key.pattern &&
         a.key.grade == b.key.grade && isSamePlace(a.key, b.key);
}

/// Dead copies of the record's line, together, where it is the one of most copies; else false.
bool joinLine(const std::vector<FindingRecord> &records, FindingRecord &r) {
  for (const FindingRecord &other : records)
    if (areOneLine(r, other) && other.key.related != r.key.related &&
        (other.count > r.count || (other.count == r.count && other.key.related < r.key.related)))
      return false;
  for (const FindingRecord &other : records)
    if (areOneLine(r, other) && other.key.related != r.key.related) {
      r.each = r.each == other.each ? r.each : 0;
      r.count += other.count;
      r.bytes += other.bytes;
      r.ticks += other.ticks;
    }
  return true;
}

} // namespace

void mergeFindings(std::vector<FindingRecord> &records) {
  std::vector<FindingRecord> kept;
  for (const FindingRecord &r : records) {
    FindingRecord joined = r;
    if (!coverOf(records, r) && joinLine(records, joined))
      kept.push_back(joined);
  }
  records = std::move(kept);
}

} // namespace gpuinstr::audit
