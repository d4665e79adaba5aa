// One line, one finding: of several that one change would mend, the one that says most.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_FINDINGS_ONEFINDING_H
#define GPUINSTR_FINDINGS_ONEFINDING_H

#include "findings/Findings.h"
#include <unordered_map>

namespace gpuinstr::audit {

constexpr uint64_t LeastCycles = 3; ///< of alloc-churn

/// Copies and sets of each line, by its callers.
class LineTotals {
public:
  /// So many of one buffer.
  void add(const FindingKey &line, uint64_t count, uint64_t bytesOfEach);
  uint64_t of(const FindingKey &line) const { return made(line).count; }
  /// `ofCaller`, where each copy was to a buffer of its own: else, of a buffer's, the last one's
  /// caller alone is known.
  void noteNewBuffers(FindingRecord &record) const;
  void clear() { Made.clear(); }

private:
  struct Line {
    uint64_t count = 0, bytes = 0;
    bool isOften = false; ///< a buffer got several
  };
  static uint64_t numberOf(const FindingKey &line);
  Line made(const FindingKey &line) const;
  std::unordered_map<uint64_t, Line> Made;
};

/// What happened once or twice to a buffer, and took too little time to be told of it alone: of all
/// buffers of a line together, whoever called it.
class QuickRepeats {
public:
  /// One buffer's. The line has the least grade of all.
  FindingRecord &of(const FindingKey &key);
  /// Those of so many repeats, together with what is told of the line alone.
  std::vector<FindingRecord> from(uint64_t least, const std::vector<FindingRecord> &told) const;
  void clear() { Lines.clear(); }

private:
  std::vector<FindingRecord> Lines;
};

/// What two records of one finding say together.
void joinInto(FindingRecord &to, const FindingRecord &from);

/// Elements that were compared, of two looks; 0: all there are.
uint32_t fewestOf(uint32_t one, uint32_t other);

/// Of memory that is made, set and freed each time, repeated sets that may empty the device's
/// cache.
void dropSweeps(std::vector<FindingRecord> &records);

/// Dead copies say how many their line made, where it made others. They are advice where most of
/// the line's are needed: the last one of a loop.
void gradeSeldom(std::vector<FindingRecord> &records, const LineTotals &totals);

/// Needless transfers of lines whose every one is dead say so: they can go, the first one, too.
/// Before those are merged.
void noteUnread(std::vector<FindingRecord> &records, const LineTotals &totals);

/// Where a copy was for nothing (no-op, sent again, brought back), leaving it out is the remedy:
/// that it was also overwritten unread, of equal elements or a duplicate is then no finding of its
/// own, as long as it is about no more copies. Dead copies of one line are one finding, whoever
/// buried them: the place that buried most stays.
void mergeFindings(std::vector<FindingRecord> &records);

/// Dead copies are told without those of the line that are told as needless: most of a loop's are
/// both, but the first one, to memory that is made anew in each round. Once they are graded, by
/// how many of the line's are dead. Likewise cycles of allocation and free, without those of memory
/// that is told as unused.
void leaveOutNeedless(std::vector<FindingRecord> &records);

/// What goes on unseen: code that uses CUDA, kernels, all but the calls of an attached program.
struct UnseenDoings {
  bool usesCuda = false, launches = false, isAttached = false;
};

/// Such code may have written between any two calls: nothing is proven. Its kernels may have read
/// what looks unread; and libraries of attached programs keep pinned memory ready.
void allowForUnseen(std::vector<FindingRecord> &records, const UnseenDoings &unseen);

} // namespace gpuinstr::audit

#endif
