// What is said of the wall time: shares that add up, and when serialised work is worth a word.
// SPDX-License-Identifier: Apache-2.0
#include "time/Breakdown.h"
#include "profile/HostShares.h"
#include "time/exact/ExactProfile.h"
#include <gtest/gtest.h>

namespace gpuinstr::timing {

namespace {

profile::Site site(const char *id, const char *kind, uint64_t first, uint64_t others) {
  profile::Site s;
  s.id = id;
  s.kind = profile::Named<profile::SiteKind>::fromText(kind);
  s.host.first_ns = first;
  s.host.total_ns = others;
  s.calls = 2;
  return s;
}

profile::Profile program() {
  profile::Profile p;
  p.process.wall_ns = 1000;
  p.process.first_site = "a";
  p.devices.resize(1);
  p.sites = {site("a", "alloc", 300, 20), site("b", "launch", 10, 90), site("c", "sync", 5, 195),
             site("d", "copy", 0, 50)};
  return p;
}

uint64_t shareOf(const std::vector<profile::HostShare> &shares, const std::string &name) {
  for (const profile::HostShare &share : shares)
    if (share.name.text() == name)
      return share.ns;
  return 0;
}

} // namespace

TEST(HostShares, StartUpIsApartAndAllAddsUpToTheWallTime) {
  std::vector<profile::HostShare> shares = profile::hostShares(program());
  EXPECT_EQ(shareOf(shares, "start-up"), 300u) << "the process's first call, CUDA's own start";
  EXPECT_EQ(shareOf(shares, "allocation"), 20u);
  EXPECT_EQ(shareOf(shares, "launch"), 100u);
  EXPECT_EQ(shareOf(shares, "sync"), 200u);
  EXPECT_EQ(shareOf(shares, "copies"), 50u);
  EXPECT_EQ(shareOf(shares, "your code"), 330u);
  uint64_t sum = 0;
  for (const profile::HostShare &share : shares)
    sum += share.ns;
  EXPECT_EQ(sum, 1000u);
  EXPECT_EQ(shares.back().name, profile::HostActivity::YourCode);
}

TEST(HostShares, TheCallThatMadeTheContextIsStartUpToo) {
  profile::Profile p = program();
  p.process.startup.context_site = "c";
  std::vector<profile::HostShare> shares = profile::hostShares(p);
  EXPECT_EQ(shareOf(shares, "start-up"), 305u);
  EXPECT_EQ(shareOf(shares, "sync"), 195u);
  p.process.startup.context_site = "a"; // the first call itself
  EXPECT_EQ(shareOf(profile::hostShares(p), "start-up"), 300u);
}

TEST(HostShares, ThreadsSideBySideLeaveNoOwnCode) {
  profile::Profile p = program();
  p.sites[2].host.total_ns = 5000;
  EXPECT_EQ(shareOf(profile::hostShares(p), "your code"), 0u);
}

TEST(HostShares, NoCallsNoShares) { EXPECT_TRUE(profile::hostShares(profile::Profile()).empty()); }

TEST(Serialised, OnlyWhereMuchIsLostAgainAndAgain) {
  profile::GpuShare share;
  share.wall_ns = 500000000;
  share.overlap_possible_ns = 100000000;
  EXPECT_EQ(serialisedNs(share, 20), 100000000u);
  EXPECT_EQ(serialisedNs(share, 3), 0u) << "no loop";
  share.overlap_ns = 10000000;
  EXPECT_EQ(serialisedNs(share, 20), 90000000u);
  share.overlap_ns = 40000000;
  EXPECT_EQ(serialisedNs(share, 20), 0u) << "it overlaps";
  share.overlap_ns = 0;
  share.overlap_possible_ns = 9000000;
  EXPECT_EQ(serialisedNs(share, 20), 0u) << "too short";
  share.overlap_possible_ns = 20000000;
  EXPECT_EQ(serialisedNs(share, 20), 0u) << "4 % of the run";
}

} // namespace gpuinstr::timing
