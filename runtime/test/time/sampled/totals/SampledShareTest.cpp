// What sampled totals prove of a device's time, and what they do not.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/totals/SampledShare.h"
#include "time/sampled/TimedStreams.h"
#include <gtest/gtest.h>

namespace gpuinstr::timing {

using profile::GpuShare;
using profile::Profile;

namespace {

profile::Site site(const char *id, const char *kind, const char *callee, uint64_t first,
                   uint64_t others) {
  profile::Site s;
  s.id = id;
  s.kind = profile::Named<profile::SiteKind>::fromText(kind);
  s.callee = callee;
  s.host.first_ns = first;
  s.host.total_ns = others;
  s.calls = 2;
  return s;
}

/// Of 1000 ns: start-up 300, allocation 20, launches 100, waiting 200, copies 50, own code 330.
Profile program() {
  Profile p;
  p.process.wall_ns = 1000;
  p.process.first_site = p.process.startup.context_site = "a";
  p.process.startup.context_ns = 300;
  p.devices.resize(1);
  p.sites = {site("a", "alloc", "cudaMalloc", 300, 20), site("b", "launch", "k", 10, 90),
             site("c", "sync", "cudaDeviceSynchronize", 5, 195),
             site("d", "copy", "cudaMemcpy", 0, 50)};
  return p;
}

void addRow(Profile &p, size_t at, const char *operation, uint64_t ns, uint64_t ci = 0,
            int on = 0) {
  profile::DeviceTime &device = p.sites[at].device;
  device.method = profile::TimeMethod::Sampled;
  device.samples += 2;
  device.rows.emplace_back();
  device.rows.back().operation = profile::Named<profile::DeviceOperation>::fromText(operation);
  device.rows.back().operations = 2;
  device.rows.back().total_ns = ns;
  device.rows.back().ci_ns = ci;
  device.rows.back().devices = {{on, 2, ns, ci}};
}

GpuShare shareOf(Profile &p, const SampledFacts &facts = {}) {
  countUntimed(p);
  std::vector<GpuShare> shares = sampledShares(p, facts);
  EXPECT_EQ(shares.size(), 1u);
  return shares.empty() ? GpuShare() : shares[0];
}

uint64_t sum(const GpuShare &g) {
  return g.kernels_ns + g.h2d_ns + g.d2h_ns + g.d2d_ns + g.set_ns + g.idle_startup_ns +
         g.idle_copies_ns + g.idle_allocation_ns + g.idle_launch_ns + g.idle_sync_ns +
         g.idle_host_ns + g.idle_unknown_ns;
}

} // namespace

TEST(SampledShare, OfOneDevice) {
  Profile p = program();
  addRow(p, 1, "kernel", 200, 4);
  addRow(p, 3, "[CUDA memcpy Host-to-Device]", 40, 3);
  addRow(p, 3, "[CUDA memcpy Host-to-Host]", 70, 9);
  GpuShare share = shareOf(p);
  EXPECT_EQ(share.method.text(), "sampled");
  EXPECT_EQ(share.kernels_ns, 200u);
  EXPECT_EQ(share.h2d_ns, 40u);
  EXPECT_EQ(share.sum_ns, 240u);
  EXPECT_EQ(share.ci_ns, 7u) << "intervals add up; the host's own copy is no work of the device";
  EXPECT_EQ(sum(share), 1000u);
  EXPECT_FALSE(share.at_most || share.overlapped || share.unseen || share.untimed);
}

TEST(SampledShare, ACauseHoldsWhatIsProvenForIt) {
  Profile p = program();
  p.sites[3].device.no_work = 2; // within the host
  addRow(p, 1, "kernel", 200, 4);
  GpuShare share = shareOf(p);
  EXPECT_EQ(share.idle_startup_ns, 300u) << "nothing runs before there is a context";
  EXPECT_EQ(share.idle_host_ns, 126u) << "330 of own code, of which 204 may have had a kernel";
  EXPECT_EQ(share.idle_sync_ns, 0u) << "kernels may have filled all of it";
  EXPECT_EQ(share.idle_unknown_ns, 374u);
}

TEST(SampledShare, NothingElseRunsWhileBlockingCopiesDo) {
  Profile p = program();
  addRow(p, 3, "[CUDA memcpy Device-to-Host]", 30);
  p.sites[1].calls = 0;
  GpuShare share = shareOf(p);
  EXPECT_EQ(share.idle_host_ns, 330u);
  EXPECT_EQ(share.idle_sync_ns, 200u);
  EXPECT_EQ(share.idle_copies_ns, 20u);
  EXPECT_EQ(share.idle_allocation_ns, 20u);
}

TEST(SampledShare, AsynchronousCopiesOfPageableMemoryBlockToo) {
  for (const char *memory : {"pageable", "pinned"}) {
    Profile p = program();
    p.sites[3].callee = "cudaMemcpyAsync";
    addRow(p, 3, "[CUDA memcpy Host-to-Device]", 30);
    p.sites[3].device.rows[0].memory = profile::Named<profile::HostSide>::fromText(memory);
    p.sites[1].calls = 0;
    bool blocks = p.sites[3].device.rows[0].memory == profile::HostSide::Pageable;
    GpuShare share = shareOf(p);
    EXPECT_EQ(share.idle_copies_ns, blocks ? 20u : 0u) << "50 in the call, 30 on the device";
    EXPECT_EQ(share.idle_launch_ns, blocks ? 70u : 120u);
  }
}

TEST(SampledShare, NoCausesWhereTheHostsTimeDoesNotTell) {
  for (SampledFacts facts : {SampledFacts{{}, false, 2, 0}, SampledFacts{{}, true, 1, 0},
                             SampledFacts{{}, false, 1, 3}}) {
    Profile p = program();
    addRow(p, 1, "kernel", 200, 4);
    p.sites.pop_back();
    GpuShare share = shareOf(p, facts);
    EXPECT_EQ(share.idle_unknown_ns, 800u);
    EXPECT_EQ(share.idle_host_ns, 0u);
  }
}

TEST(SampledShare, WithinTheIntervalOfTheWallTimeTheDeviceWasBusyAllTheTime) {
  Profile p = program();
  addRow(p, 1, "graph", 900, 50);
  addRow(p, 3, "[CUDA memcpy Device-to-Host]", 120, 10);
  GpuShare share = shareOf(p);
  EXPECT_FALSE(share.overlapped);
  EXPECT_EQ(sum(share), 1000u);
  EXPECT_EQ(share.idle_unknown_ns, 0u);
  EXPECT_NEAR(double(share.kernels_ns), 882, 1);
  EXPECT_EQ(share.sum_ns, 1020u);
}

TEST(SampledShare, BeyondItNothingIsKnown) {
  Profile p = program();
  addRow(p, 1, "kernel", 1400, 50);
  GpuShare share = shareOf(p);
  EXPECT_TRUE(share.overlapped);
  EXPECT_EQ(sum(share), 0u);
  EXPECT_EQ(share.sum_ns, 1400u);
}

TEST(SampledShare, SeveralStreamsMakeItABound) {
  Profile p = program();
  addRow(p, 1, "kernel", 471);
  EXPECT_TRUE(shareOf(p, {[](int) { return true; }, false, 1, 0}).at_most);
  EXPECT_TRUE(shareOf(p, {{}, true, 1, 0}).at_most) << "work may go on while paused";
}

TEST(SampledShare, WhatWasNotTimedIsNotIdle) {
  Profile p = program();
  addRow(p, 1, "kernel", 200);
  p.sites.push_back(site("e", "launch", "cudaLaunchKernelExC", 1, 1));
  p.sites.back().calls = 21;
  p.sites.back().failed = 1;
  GpuShare share = shareOf(p);
  EXPECT_EQ(p.sites.back().device.untimed, 20u);
  EXPECT_EQ(p.sites[2].device.untimed, 0u) << "a wait is no work";
  EXPECT_EQ(share.untimed, 22u) << "and two copies that no sample was taken of";
  EXPECT_EQ(share.idle_unknown_ns, 800u);
}

TEST(SampledShare, WhatWentIntoGraphsIsNotMissing) {
  Profile p = program();
  addRow(p, 1, "graph", 200);
  p.sites[3].device.no_work = 2;
  EXPECT_EQ(shareOf(p).untimed, 0u);
}

TEST(SampledShare, CopiesOfUnknownDirectionAreInNoPart) {
  Profile p = program();
  addRow(p, 1, "kernel", 200);
  addRow(p, 3, "[CUDA memcpy]", 100);
  GpuShare share = shareOf(p);
  EXPECT_EQ(share.untimed, 2u);
  EXPECT_EQ(share.sum_ns, 200u);
}

TEST(SampledShare, CodeThatIsNotInstrumentedMayHaveUsedTheDevice) {
  Profile p = program();
  addRow(p, 1, "kernel", 200);
  p.coverage.images = {{"app", true, 4, 4}};
  EXPECT_FALSE(shareOf(p).unseen);
  p.coverage.images.push_back({"libmesh.so", false, 0, 0});
  GpuShare share = shareOf(p);
  EXPECT_TRUE(share.unseen);
  EXPECT_EQ(share.idle_host_ns, 0u);
}

TEST(SampledShare, NoneWithoutSamples) {
  Profile p = program();
  countUntimed(p);
  EXPECT_TRUE(sampledShares(p, {}).empty()) << "nothing was timed";
  EXPECT_EQ(p.sites[1].device.untimed, 0u) << "timing was off";
  addRow(p, 1, "kernel", 100, 0, -1);
  EXPECT_TRUE(sampledShares(p, {}).empty()) << "on which device is not known";
}

TEST(SampledShare, OfSeveralDevices) {
  Profile p = program();
  addRow(p, 1, "kernel", 210, 14, 0);
  p.sites[1].device.rows[0].devices = {{3, 1, 60, 8}, {0, 1, 150, 6}};
  addRow(p, 3, "[CUDA memcpy Device-to-Host]", 40, 3, 3);
  SampledFacts facts;
  facts.severalStreams = [](int device) { return device == 3; };
  std::vector<GpuShare> shares = sampledShares(p, facts);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].device, 0);
  EXPECT_EQ(shares[0].kernels_ns, 150u);
  EXPECT_EQ(shares[0].d2h_ns, 0u);
  EXPECT_EQ(shares[0].ci_ns, 6u);
  EXPECT_EQ(shares[0].idle_sync_ns, 200u - 156u) << "a copy of another device says nothing of it";
  EXPECT_FALSE(shares[0].at_most);
  EXPECT_EQ(shares[1].device, 3);
  EXPECT_EQ(shares[1].kernels_ns, 60u);
  EXPECT_EQ(shares[1].d2h_ns, 40u);
  EXPECT_EQ(shares[1].ci_ns, 11u);
  EXPECT_EQ(shares[1].idle_sync_ns, 200u - (111u - 37u)) << "its copy ran while the host was in it";
  EXPECT_TRUE(shares[1].at_most);
  for (const GpuShare &share : shares)
    EXPECT_EQ(sum(share), 1000u);
}

TEST(SampledShare, WorkThatWasNotTimedMayHaveBeenOnAnyDevice) {
  Profile p = program();
  addRow(p, 3, "[CUDA memcpy Device-to-Host]", 40, 3, 0);
  addRow(p, 3, "[CUDA memcpy Device-to-Host]", 40, 3, 1);
  countUntimed(p);
  std::vector<GpuShare> shares = sampledShares(p, {});
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].untimed, 2u);
  EXPECT_EQ(shares[1].untimed, 2u);
}

TEST(TimedStreams, DefaultStreamsByThreadAreSeveral) {
  ThreadState one, two;
  clearTimedStreams();
  noteTimedStream(one, 0, 0);
  noteTimedStream(two, 0, 1); // the legacy stream by its other name
  noteTimedStream(two, 1, 0x5000);
  EXPECT_FALSE(severalStreamsTimed(0));
  noteTimedStream(one, 0, 0x5000);
  EXPECT_TRUE(severalStreamsTimed(0));
  EXPECT_FALSE(severalStreamsTimed(1)) << "another device's";
  clearTimedStreams();
  noteTimedStream(one, 0, 2);
  noteTimedStream(one, 0, 2);
  EXPECT_FALSE(severalStreamsTimed(0));
  noteTimedStream(two, 0, 2);
  EXPECT_TRUE(severalStreamsTimed(0));
  clearTimedStreams();
}

} // namespace gpuinstr::timing
