// Counts of which only some were met: when they are told from how often the line ran.
// SPDX-License-Identifier: Apache-2.0
#include "process/profile/FindingList.h"
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
