// Counts of which only some were met: when they are told from how often the line ran.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/FindingList.h"
#include "Support.h"
#include "calls/sites/Sites.h"
#include <gtest/gtest.h>

namespace gpuinstr {

namespace {

/// A line that uploaded 4096 bytes 1000 times; 30 of these were met as reuploads.
profile::Profile thousand() {
  profile::Profile p;
  profile::Site site;
  site.id = "upload";
  site.calls = 1000;
  site.bytes = 1000 * 4096;
  p.sites.push_back(site);
  profile::Finding f;
  f.pattern = Pattern::Reupload;
  f.grade = Grade::Proven;
  f.site = "upload";
  f.count = 30;
  f.bytes = 30 * 4096;
  f.cost_ns = 3000;
  f.checked = f.unchanged = 29;
  p.findings.push_back(f);
  return p;
}

TEST(FindingList, AllCallsOfALineThatDoesNothingElseAreTold) {
  profile::Profile p = thousand();
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 999u) << "the first upload is none";
  EXPECT_EQ(p.findings[0].counted, 30u);
  EXPECT_EQ(p.findings[0].bytes, 999u * 4096);
  EXPECT_EQ(p.findings[0].cost_ns, 99900u);
}

/// A buffer that is made anew takes two rounds until its bytes can have come from the one before.
TEST(FindingList, AllCallsOfALineThatSendsOnWhatItGotAreTold) {
  profile::Profile p = thousand();
  p.findings[0].pattern = Pattern::Roundtrip;
  p.findings[0].grade = Grade::Likely;
  p.findings[0].message = "all 29 repeats: the host sent the same bytes";
  p.findings[0].firsts = 0; // always the same buffer
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 30u);
  p.findings[0].firsts = 2;
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 998u);
  EXPECT_EQ(p.findings[0].counted, 30u);
  EXPECT_EQ(p.findings[0].message, "29 repeats looked at: the host sent the same bytes");
}

TEST(FindingList, OfALineThatCopiesOtherThingsNoTotalIsTold) {
  profile::Profile p = thousand();
  p.sites[0].bytes += 1;
  p.findings[0].message = "all 29 repeats: the host sent the bytes";
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 30u);
  EXPECT_EQ(p.findings[0].message, "29 repeats looked at: the host sent the bytes");
}

struct NoSites final : ListedSites {
  std::string idOf(SiteIndex) override { return ""; }
  void eachCalled(const Visit &) override {}
};

/// As many as were met of a likely one, which takes all repeats for what the compared ones were.
uint64_t metOf(Pattern pattern, uint64_t checked, Grade grade = Grade::Likely) {
  static gpuinstr_site *line = test::makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 300);
  FindingRecord record;
  record.key.site = indexOf(line);
  record.key.pattern = pattern;
  record.key.grade = grade;
  record.count = record.repeats = 7;
  record.bytes = 7 * 4096;
  record.checked = record.unchanged = checked;
  std::vector<FindingRecord> records = {record};
  std::vector<profile::Finding> found;
  NoSites sites;
  ProfileScope scope{sites, 1, Ending::Now, 0, {}};
  addFindings(found, records, scope);
  return found.at(0).counted;
}

TEST(FindingList, WhatStandsForMoreThanWasMetIsAnEstimate) {
  for (Pattern pattern : {Pattern::NoopCopy, Pattern::Roundtrip, Pattern::Reupload}) {
    EXPECT_EQ(metOf(pattern, 5), 5u) << profile::textOf(pattern);
    EXPECT_EQ(metOf(pattern, 7), 0u) << "all were met";
    EXPECT_EQ(metOf(pattern, 5, Grade::Advice), 0u) << "a fraction";
  }
}

/// As a warm-up and the loop that is timed: what each of them made is known of new buffers.
TEST(FindingList, OfALineWithSeveralCallersTheCopiesOfEachAreTold) {
  profile::Profile p = thousand();
  p.findings[0].caller = "loop"; // the site has none, for there are several
  p.findings[0].of_caller = 400;
  p.findings[0].bytes_of_caller = 400 * 4096;
  p.findings.push_back(p.findings[0]);
  p.findings[1].caller = "warm-up";
  p.findings[1].of_caller = 30;
  p.findings[1].bytes_of_caller = 30 * 4096;
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 399u);
  EXPECT_EQ(p.findings[0].counted, 30u);
  EXPECT_EQ(p.findings[0].bytes, 399u * 4096);
  EXPECT_EQ(p.findings[1].count, 30u);
  EXPECT_EQ(p.findings[1].counted, 0u);
  p = thousand();
  p.findings[0].caller = "loop";
  p.findings[0].of_caller = 400;
  p.findings[0].bytes_of_caller = 400 * 4096 + 8; // of other sizes, too
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 30u);
}

/// Of its calls, those of the other caller may have sent anything.
TEST(FindingList, WhereCallersAreNotKnownApartNoTotalIsTold) {
  profile::Profile p = thousand();
  p.findings[0].caller = "one"; // the site has none, for there are several
  p.findings[0].message = "all 29 repeats: the host sent the bytes";
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 30u);
  EXPECT_EQ(p.findings[0].counted, 0u);
  EXPECT_EQ(p.findings[0].message, "29 repeats looked at: the host sent the bytes");
  p = thousand();
  p.sites[0].caller = p.findings[0].caller = "only";
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 999u);
}

/// Two of the tables that a loop allocates are used: "drop the allocation" would be wrong.
TEST(FindingList, OfALineThatAllocatesUsedOnesAsWellTheLineStays) {
  profile::Profile p;
  profile::Site site;
  site.id = "tables";
  site.caller = "main";
  site.calls = 5;
  site.failed = 1;
  p.sites.push_back(site);
  profile::Finding f;
  f.pattern = Pattern::UnusedAllocation;
  f.site = "tables";
  f.caller = "main";
  f.count = 2;
  f.message = "never used";
  f.fix = "drop the allocation";
  p.findings = {f, f, f};
  p.findings[1].count = 4;
  p.findings[2].caller = "one of several";
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].message, "never used; 2 of 4 at this line");
  EXPECT_EQ(p.findings[0].fix, "allocate only what is used");
  for (int i : {1, 2}) {
    EXPECT_EQ(p.findings[i].message, "never used");
    EXPECT_EQ(p.findings[i].fix, "drop the allocation");
  }
}

TEST(FindingList, OfWhatABufferGotTwiceTheLineIsNoMeasure) {
  profile::Profile p = thousand();
  p.findings[0].in_place = true;
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 30u) << "the line may fill many buffers once";
  EXPECT_EQ(p.findings[0].counted, 0u);
}

TEST(FindingList, TheProofSaysWhatWasSeenAndNotOfHowMany) {
  auto messageOf = [](const char *text) {
    profile::Profile p = thousand();
    p.findings[0].message = text;
    estimateCounts(p);
    return p.findings[0].message;
  };
  EXPECT_EQ(messageOf("27 of 71 repeats checked, all unchanged: the bytes that x of y held"),
            "27 repeats checked, all unchanged: the bytes that x of y held");
  EXPECT_EQ(messageOf("all 2 repeats: the host sent the same bytes"),
            "2 repeats looked at: the host sent the same bytes");
  EXPECT_EQ(messageOf("all 3 repeats checked, all unchanged"), "3 repeats checked, all unchanged");
}

TEST(FindingList, TheyTakeWhatTheLineTakesAndNotWhatFewSlowOnesDid) {
  profile::Profile p = thousand();
  p.sites[0].host.count = 999;
  p.sites[0].host.mean_ns = 20;
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].cost_ns, 999u * 20);
}

/// The same, 100 of the copies reuploads, where the device took 50 ms for 1000.
profile::Profile onTheDevice() {
  profile::Profile p = thousand();
  p.process.wall_ns = 1000000000;
  p.sites[0].kind = profile::SiteKind::Copy;
  p.sites[0].device.samples = 10;
  p.sites[0].device.total_ns = 50000000;
  p.findings[0].bytes = 100 * 4096;
  return p;
}

uint64_t timeOf(profile::Profile p) {
  addDeviceTimes(p);
  return p.findings[0].cost_ns;
}

TEST(FindingList, TheDeviceTakesItsTimeThoughTheCallReturnsAtOnce) {
  profile::Profile p = onTheDevice();
  EXPECT_EQ(timeOf(p), 5000000u) << "a tenth of the bytes";
  p.findings[0].cost_ns = 6000000;
  EXPECT_EQ(timeOf(p), 6000000u) << "the calls took longer";
  p.findings[0].bytes = p.sites[0].bytes * 2;
  EXPECT_EQ(timeOf(p), 50000000u) << "not more than all of them";
  p.process.wall_ns = 1000000;
  EXPECT_EQ(timeOf(p), 1000000u) << "not longer than the process lived";
}

TEST(FindingList, ACopyThatBlocksWaitsForKernelsAndThatIsSaid) {
  profile::Profile p = onTheDevice();
  profile::Finding &f = p.findings[0];
  f.direction = TransferDirection::DeviceToHost;
  f.message = "all unchanged";
  f.cost_ns = 100000000;
  p.sites[0].callee = "cudaMemcpy";
  auto messageOf = [](profile::Profile profile) {
    addDeviceTimes(profile);
    return profile.findings[0].message;
  };
  EXPECT_EQ(messageOf(p),
            "all unchanged; the copies took ~5 ms of that, waiting and the host's own work the "
            "rest");
  EXPECT_EQ(timeOf(p), 100000000u) << "still what can be won at most: the host had time meanwhile";
  auto isSilent = [&](auto change) {
    profile::Profile other = p;
    change(other.findings[0], other.sites[0]);
    return messageOf(other) == "all unchanged";
  };
  EXPECT_TRUE(isSilent([](auto &f, auto &) { f.cost_ns = 10000000; })) << "half of it";
  EXPECT_TRUE(isSilent([](auto &f, auto &) { f.count = 2000; })) << "calls have a price";
  EXPECT_TRUE(isSilent([](auto &, auto &s) { s.device.ci_ns = 500000000; })) << "nobody knows";
  EXPECT_TRUE(isSilent([](auto &f, auto &) { f.direction = TransferDirection::DeviceToDevice; }));
  EXPECT_FALSE(isSilent([](auto &f, auto &) { f.direction = TransferDirection::HostToDevice; }));
  EXPECT_TRUE(isSilent([](auto &, auto &s) { s.callee = "cudaMemcpyAsync"; })) << "does not wait";
}

TEST(FindingList, WhatACopyWithinTheDeviceWaitedForIsNoneOfItsCost) {
  profile::Profile p = onTheDevice();
  profile::Finding &f = p.findings[0];
  f.direction = TransferDirection::DeviceToDevice;
  f.cost_ns = 100000000;
  f.count = 100;
  EXPECT_EQ(timeOf(p), 10000000u) << "5 ms of copies, and 100 calls";
  f.cost_ns = 12000000;
  EXPECT_EQ(timeOf(p), 12000000u) << "may well be their own";
}

TEST(FindingList, DeviceTimesOfOtherThingsAreNotTaken) {
  profile::Profile p = onTheDevice();
  p.sites[0].device.samples = 0;
  EXPECT_EQ(timeOf(p), 3000u);
  p = onTheDevice();
  p.sites[0].kind = profile::SiteKind::Graph;
  EXPECT_EQ(timeOf(p), 3000u);
  p = onTheDevice();
  p.findings[0].pattern = Pattern::PageableAsync;
  EXPECT_EQ(timeOf(p), 3000u);
}

TEST(FindingList, FailedCallsAreNone) {
  profile::Profile p = thousand();
  p.sites[0].calls = 1100;
  p.sites[0].failed = 100;
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, 999u);
}

/// Exact, or not to be told: as it was.
void expectUntouched(profile::Profile p) {
  uint64_t count = p.findings[0].count;
  estimateCounts(p);
  EXPECT_EQ(p.findings[0].count, count);
  EXPECT_EQ(p.findings[0].counted, 0u);
}

TEST(FindingList, WhatIsNotKnownToBeAlikeKeepsItsCount) {
  profile::Profile all = thousand();
  all.sites[0].calls = 31;
  all.sites[0].bytes = 31 * 4096;
  expectUntouched(all);
  profile::Profile sizes = thousand();
  sizes.sites[0].bytes += 4;
  expectUntouched(sizes);
  profile::Profile changes = thousand();
  changes.findings[0].unchanged = 28;
  expectUntouched(changes);
  profile::Profile advice = thousand();
  advice.findings[0].grade = Grade::Advice;
  expectUntouched(advice);
  profile::Profile callers = thousand();
  callers.findings.push_back(callers.findings[0]);
  expectUntouched(callers);
  profile::Profile noops = thousand();
  noops.findings.push_back(noops.findings[0]);
  noops.findings[1].pattern = Pattern::NoopCopy;
  expectUntouched(noops);
  profile::Profile other = thousand();
  other.findings[0].pattern = Pattern::DeadCopy;
  expectUntouched(other);
}

} // namespace
} // namespace gpuinstr
