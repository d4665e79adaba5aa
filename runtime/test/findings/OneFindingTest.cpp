// One line, one finding: which of several stays.
// SPDX-License-Identifier: Apache-2.0
#include "findings/OneFinding.h"
#include <gtest/gtest.h>

namespace gpuinstr::audit {

namespace {

FindingRecord recordOf(Pattern pattern, Grade grade, uint64_t count, SiteIndex site = 1) {
  FindingRecord r;
  r.key.pattern = pattern;
  r.key.grade = grade;
  r.key.site = site;
  r.count = r.repeats = count;
  return r;
}

std::vector<Pattern> whatStays(std::vector<FindingRecord> records) {
  mergeFindings(records);
  std::vector<Pattern> patterns;
  for (const FindingRecord &r : records)
    patterns.push_back(r.key.pattern);
  return patterns;
}

} // namespace

TEST(OneFinding, WhereBytesComeFromSaysMoreThanThatTheyWereSentBefore) {
  EXPECT_EQ(whatStays({recordOf(Pattern::Reupload, Grade::Likely, 1),
                       recordOf(Pattern::Roundtrip, Grade::Likely, 1)}),
            std::vector{Pattern::Roundtrip});
  EXPECT_EQ(whatStays({recordOf(Pattern::NoopCopy, Grade::Proven, 9),
                       recordOf(Pattern::Reupload, Grade::Likely, 10)}),
            std::vector{Pattern::NoopCopy});
}

/// Of a line that sets new memory in each round, most sets are both; none is counted twice.
TEST(OneFinding, WhatIsNeedlessIsNotCountedAsDeadAgain) {
  std::vector<FindingRecord> records = {recordOf(Pattern::NoopCopy, Grade::Proven, 20),
                                        recordOf(Pattern::NoopCopy, Grade::Likely, 4),
                                        recordOf(Pattern::DeadCopy, Grade::Likely, 30)};
  records[1].mayBeWritten = true;
  mergeFindings(records);
  leaveOutNeedless(records);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[2].count, 6u);
}

TEST(OneFinding, NeedlessOnesOfBothGradesAreNoDeadOnesTogether) {
  std::vector<FindingRecord> records = {recordOf(Pattern::NoopCopy, Grade::Proven, 20),
                                        recordOf(Pattern::NoopCopy, Grade::Likely, 4),
                                        recordOf(Pattern::DeadCopy, Grade::Likely, 24),
                                        recordOf(Pattern::DeadCopy, Grade::Likely, 6)};
  records[1].mayBeWritten = true; // else it would be part of the proof
  records[2].key.related = 1;
  records[3].key.related = 2;
  EXPECT_EQ(whatStays(records), (std::vector{Pattern::NoopCopy, Pattern::NoopCopy}));
}

/// Memory that can go need not be kept from round to round.
TEST(OneFinding, UnusedAllocationsAreNoChurn) {
  std::vector<FindingRecord> records = {recordOf(Pattern::UnusedAllocation, Grade::Likely, 20),
                                        recordOf(Pattern::AllocChurn, Grade::Advice, 21)};
  records[0].key.related = 7; // a launch that got it
  records[1].bytes = 21 * 8;
  records[1].ticks = 42;
  std::vector<FindingRecord> all = records;
  leaveOutNeedless(all);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].key.pattern, Pattern::UnusedAllocation);
  records[1].count = 30;
  records[1].bytes = 30 * 8;
  records[1].ticks = 60;
  leaveOutNeedless(records);
  ASSERT_EQ(records.size(), 2u) << "the others are used";
  EXPECT_EQ(records[1].count, 10u);
  EXPECT_EQ(records[1].bytes, 80u);
  EXPECT_EQ(records[1].ticks, 20u);
  records[0].key.site = 99;
  leaveOutNeedless(records);
  EXPECT_EQ(records[1].count, 10u);
}

/// Few are left to be told, and still most of the line's are dead.
TEST(OneFinding, WhatIsMostlyDeadIsNoAdviceBecauseSomeAreTold) {
  std::vector<FindingRecord> records = {recordOf(Pattern::NoopCopy, Grade::Proven, 26),
                                        recordOf(Pattern::DeadCopy, Grade::Likely, 29)};
  LineTotals totals;
  totals.add(records[0].key, 30, 4);
  mergeFindings(records);
  gradeSeldom(records, totals);
  leaveOutNeedless(records);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].key.grade, Grade::Likely);
  EXPECT_EQ(records[1].count, 3u);
}

/// Three uploads of the same, then a kernel now and then: the first restores what it changed.
TEST(OneFinding, OfThreeInARowTheFirstAndTheThirdCanGo) {
  std::vector<FindingRecord> records = {recordOf(Pattern::NoopCopy, Grade::Likely, 299, 2),
                                        recordOf(Pattern::NoopCopy, Grade::Likely, 299, 3),
                                        recordOf(Pattern::DeadCopy, Grade::Likely, 300, 1),
                                        recordOf(Pattern::DeadCopy, Grade::Likely, 300, 2)};
  records[0].mayBeWritten = records[1].mayBeWritten = true;
  records[2].key.related = 2;
  records[3].key.related = 3;
  mergeFindings(records);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].key.site, 3u);
  EXPECT_EQ(records[0].key.pattern, Pattern::NoopCopy);
  EXPECT_EQ(records[1].key.site, 1u);
  EXPECT_EQ(records[1].key.pattern, Pattern::DeadCopy);
}

TEST(OneFinding, WhatNobodyReadsNeedsNoOtherBuffer) {
  EXPECT_EQ(whatStays({recordOf(Pattern::Reupload, Grade::Advice, 1),
                       recordOf(Pattern::DeadCopy, Grade::Likely, 1)}),
            std::vector{Pattern::DeadCopy});
  EXPECT_EQ(whatStays({recordOf(Pattern::Reupload, Grade::Advice, 1),
                       recordOf(Pattern::DeadCopy, Grade::Advice, 1)})
                .size(),
            2u);
}

/// Where kernels overwrite most of each, hardly anything need be set; of a line's last one alone,
/// the others are.
TEST(OneFinding, EqualElementsThatKernelsMostlyOverwriteAreDead) {
  EXPECT_EQ(whatStays({recordOf(Pattern::UniformUpload, Grade::Advice, 10),
                       recordOf(Pattern::DeadCopy, Grade::Advice, 9)}),
            std::vector{Pattern::DeadCopy});
  EXPECT_EQ(whatStays({recordOf(Pattern::UniformUpload, Grade::Advice, 10),
                       recordOf(Pattern::DeadCopy, Grade::Advice, 1)}),
            std::vector{Pattern::UniformUpload});
}

TEST(OneFinding, NotAtAnotherLineNorOfMoreCopiesNorOfABetterGrade) {
  EXPECT_EQ(whatStays({recordOf(Pattern::Reupload, Grade::Likely, 1, 1),
                       recordOf(Pattern::Roundtrip, Grade::Likely, 1, 2)})
                .size(),
            2u);
  EXPECT_EQ(whatStays({recordOf(Pattern::Reupload, Grade::Likely, 9),
                       recordOf(Pattern::Roundtrip, Grade::Likely, 2)})
                .size(),
            2u);
  EXPECT_EQ(whatStays({recordOf(Pattern::Reupload, Grade::Proven, 2),
                       recordOf(Pattern::Roundtrip, Grade::Likely, 2)})
                .size(),
            2u);
}

TEST(OneFinding, OfBuffersMadeAnewTheFirstTwoCopiesCannotBeNeedless) {
  std::vector<FindingRecord> records = {recordOf(Pattern::UniformUpload, Grade::Advice, 6),
                                        recordOf(Pattern::Roundtrip, Grade::Likely, 4)};
  EXPECT_EQ(whatStays(records).size(), 2u);
  records[1].isAnew = true;
  EXPECT_EQ(whatStays(records), std::vector{Pattern::Roundtrip});
  records[0].count = records[0].repeats = 7;
  EXPECT_EQ(whatStays(records).size(), 2u);
}

/// In quick loops few buffers are looked at, while equal elements show in every upload.
TEST(OneFinding, WhereAllLooksSawAReuploadTheLineIsNotToldTwice) {
  for (Pattern pattern : {Pattern::Reupload, Pattern::Roundtrip}) {
    std::vector<FindingRecord> records = {recordOf(Pattern::UniformUpload, Grade::Advice, 60),
                                          recordOf(pattern, Grade::Likely, 11)};
    FindingRecord &seen = records[1];
    seen.isAnew = pattern == Pattern::Roundtrip;
    records[0].each = seen.each = 4096;
    seen.checked = seen.unchanged = 11;
    EXPECT_EQ(whatStays(records), std::vector{pattern});
    seen.unchanged = 10;
    EXPECT_EQ(whatStays(records).size(), 2u);
    seen.unchanged = 11;
    seen.news = 1;
    EXPECT_EQ(whatStays(records).size(), 2u);
    seen.news = 0;
    seen.each = 8192; // other copies of the line
    EXPECT_EQ(whatStays(records).size(), 2u);
  }
}

/// What the host got from one buffer and sends to the next, which the line allocates anew.
TEST(OneFinding, AReuploadThatIsProvenIsNoLikelyRoundTripBesides) {
  std::vector<FindingRecord> records = {recordOf(Pattern::Reupload, Grade::Proven, 11),
                                        recordOf(Pattern::Roundtrip, Grade::Likely, 4)};
  EXPECT_EQ(whatStays(records).size(), 2u); // into a buffer that lives on
  records[1].isAnew = true;
  EXPECT_EQ(whatStays(records), std::vector{Pattern::Reupload});
  records[1].count = records[1].repeats = 12;
  EXPECT_EQ(whatStays(records).size(), 2u);
  records[0].key.grade = Grade::Likely;
  records[1].count = records[1].repeats = 11;
  EXPECT_EQ(whatStays(records), std::vector{Pattern::Roundtrip});
}

TEST(OneFinding, WhatNothingReadsCanGoAltogether) {
  for (uint64_t made : {5, 6}) {
    std::vector<FindingRecord> records = {recordOf(Pattern::Reupload, Grade::Proven, 4),
                                          recordOf(Pattern::DeadCopy, Grade::Likely, 3),
                                          recordOf(Pattern::DeadCopy, Grade::Likely, 2),
                                          recordOf(Pattern::NoopCopy, Grade::Proven, 4, 2)};
    records[1].key.related = 1;
    records[2].key.related = 2;
    LineTotals totals;
    totals.add(records[0].key, made, 4);
    noteUnread(records, totals);
    EXPECT_EQ(records[0].isUnread, made == 5);
    EXPECT_FALSE(records[3].isUnread); // at another line, where nothing is dead
  }
}

TEST(OneFinding, DeadCopiesOfALineThatIsMostlyNeededAreAdvice) {
  for (uint64_t made : {50, 2, 1}) {
    FindingRecord last = recordOf(Pattern::DeadCopy, Grade::Likely, 1);
    LineTotals totals;
    totals.add(last.key, made, 4);
    std::vector<FindingRecord> records = {last};
    gradeSeldom(records, totals);
    EXPECT_EQ(records[0].key.grade, made == 50 ? Grade::Advice : Grade::Likely);
    EXPECT_EQ(records[0].made, made == 1 ? 0 : made);
  }
}

/// A buffer that got several knows the last one's caller.
TEST(OneFinding, CopiesOfACallerAreCountedWhereEachHadItsOwnBuffer) {
  FindingRecord loop = recordOf(Pattern::Reupload, Grade::Proven, 11), other = loop;
  other.key.caller = loop.key.caller + 1;
  LineTotals totals;
  for (int i = 0; i < 100; ++i)
    totals.add(loop.key, 1, 4096);
  totals.add(other.key, 1, 4096);
  totals.noteNewBuffers(loop);
  EXPECT_EQ(loop.ofCaller, 100u);
  EXPECT_EQ(loop.bytesOfCaller, 100u * 4096);
  totals.add(loop.key, 2, 4096);
  FindingRecord often = recordOf(Pattern::Reupload, Grade::Proven, 11);
  totals.noteNewBuffers(often);
  EXPECT_EQ(often.ofCaller, 0u);
  totals.noteNewBuffers(other);
  EXPECT_EQ(other.ofCaller, 1u);
}

/// Looks at a line's copies saw all elements overwritten, or most of them.
TEST(OneFinding, FewThatAreOverwrittenWhollyAreToldWithThoseThatAreMostly) {
  for (uint64_t made : {8, 7}) {
    std::vector<FindingRecord> records = {recordOf(Pattern::DeadCopy, Grade::Likely, 1),
                                          recordOf(Pattern::DeadCopy, Grade::Advice, 1)};
    LineTotals totals;
    totals.add(records[0].key, made, 4);
    mergeFindings(records);
    gradeSeldom(records, totals);
    leaveOutNeedless(records);
    ASSERT_EQ(records.size(), made == 8 ? 1u : 2u);
    EXPECT_EQ(records[0].key.grade, made == 8 ? Grade::Advice : Grade::Likely);
    EXPECT_EQ(records[0].count, made == 8 ? 2u : 1u);
    EXPECT_EQ(records[0].made, made == 8 ? 0u : made);
  }
}

TEST(OneFinding, QuickRepeatsOfALineCountTogether) {
  QuickRepeats quick;
  for (SiteIndex caller : {5, 5, 6}) {
    FindingRecord one = recordOf(Pattern::Reupload, caller == 6 ? Grade::Likely : Grade::Proven, 1);
    one.key.caller = caller;
    EXPECT_TRUE(quick.from(3, {}).empty()) << "two are none";
    joinInto(quick.of(one.key), one);
  }
  std::vector<FindingRecord> lines = quick.from(3, {});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].count, 3u);
  EXPECT_EQ(lines[0].key.grade, Grade::Likely);
  EXPECT_EQ(lines[0].key.caller, 0u);
}

/// A busy machine makes some copies of a line slow.
TEST(OneFinding, QuickRepeatsCountWithThoseThatAreTold) {
  QuickRepeats quick;
  FindingRecord one = recordOf(Pattern::Reupload, Grade::Proven, 2);
  joinInto(quick.of(one.key), one);
  FindingRecord slow = recordOf(Pattern::Reupload, Grade::Proven, 1);
  EXPECT_EQ(quick.from(3, {slow}).size(), 1u);
  slow.key.site = one.key.site + 1;
  EXPECT_TRUE(quick.from(3, {slow}).empty()) << "of another line";
  slow = recordOf(Pattern::Reupload, Grade::Advice, 1);
  EXPECT_TRUE(quick.from(3, {slow}).empty());
}

} // namespace gpuinstr::audit
