// One-time costs and memory by site: from the profile's sites to the report.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "profile/StartUp.h"
#include "report/TextReport.h"
#include <gtest/gtest.h>

namespace gpuinstr::report {

using profile::Profile;
using test::expectFits;
using test::lineWith;
using test::trainProfile;

namespace {

constexpr uint64_t MsInNs = 1000000;

/// Launches at 133 take 5.8 us in the median, copies at 131 1.18 ms.
Profile started(std::vector<profile::FirstLaunches> launches) {
  Profile p = trainProfile();
  p.process.startup.context_ns = 132 * MsInNs;
  p.process.startup.context_site = "00000000000000a1";
  profile::fillStartUp(p, launches);
  return p;
}

std::string lineOf(const Profile &p) {
  std::string text = render(p, {});
  expectFits(text);
  return lineWith(text, "START-UP");
}

} // namespace

TEST(StartUpFigures, LaunchesLessUsualOnes) {
  Profile p = started({{"00000000000000a4", 2, 5 * MsInNs}, {"elsewhere", 1, 1 * MsInNs}});
  const profile::StartUp &s = p.process.startup;
  EXPECT_EQ(s.method.text(), "host");
  EXPECT_EQ(s.kernels, 3u);
  EXPECT_EQ(s.first_launches_ns, 5 * MsInNs - 2 * 5800 + 1 * MsInNs - 5800)
      << "the quickest site's";
  EXPECT_EQ(s.context_ns, 132 * MsInNs) << "that site was called once: no usual call is known";
  EXPECT_EQ(s.total_ns, s.context_ns + s.first_launches_ns);
  p = started({{"00000000000000a4", 2, 5000}});
  EXPECT_EQ(p.process.startup.first_launches_ns, 0u) << "quicker than usual";
}

TEST(StartUpFigures, TheContextLessAUsualCall) {
  Profile p = trainProfile();
  p.process.startup.context_ns = 132 * MsInNs;
  p.process.startup.context_site = "00000000000000a6";
  profile::fillStartUp(p, {});
  EXPECT_EQ(p.process.startup.context_ns, 132 * MsInNs - 1180000);
}

TEST(StartUpFigures, CallsThatLoadCode) {
  for (const char *name : {"cuModuleLoadData", "cuModuleLoadDataEx", "cuLibraryLoadFromFile",
                           "cudaLibraryLoadData", "cuLinkAddData_v2", "cuLinkComplete"})
    EXPECT_TRUE(profile::loadsModule(name)) << name;
  for (const char *name : {"", "cuModuleUnload", "cuModuleGetFunction", "cudaMalloc", "myLoad"})
    EXPECT_FALSE(profile::loadsModule(name)) << name;
  Profile p = trainProfile();
  p.sites[1].callee = "cuModuleLoadData"; // 3 calls of 40 ms after one of 21
  p.sites[6].callee = "cuLinkComplete";   // the call that also made the context
  p.process.startup.context_site = p.sites[6].id;
  profile::fillStartUp(p, {});
  EXPECT_EQ(p.process.startup.modules, 4u);
  EXPECT_EQ(p.process.startup.modules_ns, 141 * MsInNs);
}

TEST(StartUpFigures, CuptiSeesLibrariesThatAreNotInstrumented) {
  Profile p = trainProfile();
  p.process.startup.method = profile::StartUpMethod::Cupti;
  p.process.startup.jit_ns = 9 * MsInNs;
  p.process.startup.loading_ns = 14 * MsInNs;
  profile::fillStartUp(p, {{"00000000000000a4", 1, 3 * MsInNs}});
  EXPECT_EQ(p.process.startup.method.text(), "cupti");
  EXPECT_EQ(p.process.startup.total_ns, 14 * MsInNs) << "the launches are in there";
}

TEST(StartUpLine, SaysWhatWasPaidOnce) {
  EXPECT_EQ(lineOf(started({{"00000000000000a4", 2, 14 * MsInNs}})),
            "START-UP  context 132 ms, modules and first launches 14 ms at most, first call at "
            "train.cu:88");
  Profile p = started({{"00000000000000a4", 2, 14 * MsInNs}});
  p.process.startup.method = profile::StartUpMethod::Cupti;
  p.process.startup.jit_ns = 9 * MsInNs;
  EXPECT_EQ(lineOf(p), "START-UP  context 132 ms, modules and first launches 14 ms (JIT 9 ms), "
                       "first call at train.cu:88");
  p.process.startup.jit_ns = 30 * MsInNs; // while the context was made: CUDA_MODULE_LOADING=EAGER
  EXPECT_NE(lineOf(p).find("14 ms, JIT 30 ms of all that"), std::string::npos) << lineOf(p);
  p.sites[0].file = "/src/" + std::string(60, 'x') + ".cu"; // rather no place than half of one
  EXPECT_EQ(lineOf(p).find("first call"), std::string::npos) << lineOf(p);
  p.process.first_site = "";
  EXPECT_EQ(lineOf(p).find("first call"), std::string::npos) << lineOf(p);
  EXPECT_EQ(lineOf(started({})), "START-UP  context 132 ms, first call at train.cu:88");
}

TEST(StartUpLine, NotBelowAMillisecondAndNotWhenNothingWasFound) {
  Profile p = trainProfile();
  p.process.startup.context_ns = 900000;
  profile::fillStartUp(p, {});
  EXPECT_EQ(lineOf(p), "");
  p = started({});
  p.findings.clear();
  EXPECT_EQ(lineOf(p), "");
  EXPECT_EQ(lineOf(Profile()), "");
}

TEST(StartUpLine, HeadingInBold) {
  ReportStyle style;
  style.color = true;
  EXPECT_NE(render(started({}), style).find("\033[1mSTART-UP\033[0m  context"), std::string::npos);
}

namespace {

Profile withAllocations() {
  Profile p = trainProfile();
  p.allocations = {
      {"00000000000000a2", "this->scratch", profile::Resource::Device, "00000000000000c1", 0, 400,
       2048000000, 512000000, 1, 4194304},
      {"00000000000000a1", "d_tmp", profile::Resource::Async, "", 0, 3, 12582912, 4194304, 0, 0},
      {"00000000000000a7", "", profile::Resource::Pinned, "", 0, 1, 1000, 1000, 0, 0}};
  return p;
}

} // namespace

TEST(MemoryTable, BySiteInTheVerboseReport) {
  ReportStyle verbose;
  verbose.verbose = true;
  std::string text = render(withAllocations(), verbose);
  expectFits(text, SIZE_MAX);
  EXPECT_NE(text.find(R"(
MEMORY   peak 1.24 GB of 150 GB at 1.88 s: d_act 512 MB buffer.h:31, d_grad 512 MB x2 train.cu:88
    Total    Count      Avg     Peak  At exit  Kind    Name           Where
  2.05 GB      400  5.12 MB   512 MB  4.19 MB  device  this->scratch  train.cu:140
  12.6 MB        3  4.19 MB  4.19 MB        0  async   d_tmp          train.cu:88
     1 kB        1     1 kB     1 kB        0  pinned                 tables.cu:12
SCOPE )"),
            std::string::npos)
      << text;
  EXPECT_EQ(render(withAllocations(), {}), render(trainProfile(), {})) << "nowhere else";
}

TEST(MemoryTable, OfSeveralDevicesAndLongNames) {
  Profile p = withAllocations();
  p.devices.push_back({1, "NVIDIA H200", 150000000000, 24000000, 0, false});
  p.allocations[1].device = 1;
  p.allocations[2].device = -1;
  p.allocations[0].variable = std::string(300, 'x') + "\x1b[31m";
  ReportStyle verbose;
  verbose.verbose = true;
  std::string text = render(p, verbose);
  expectFits(text, SIZE_MAX);
  EXPECT_NE(text.find("  async 1   d_tmp "), std::string::npos) << text;
  EXPECT_NE(text.find("  pinned   "), std::string::npos) << text;
}

TEST(MemoryTable, PinnedMemoryAlone) {
  Profile p = withAllocations();
  p.devices[0].peak_bytes = 0;
  p.peak_holders.clear();
  p.allocations.erase(p.allocations.begin(), p.allocations.begin() + 2);
  ReportStyle verbose;
  verbose.verbose = true;
  std::string text = render(p, verbose);
  expectFits(text, SIZE_MAX);
  EXPECT_EQ(lineWith(text, "MEMORY"), "MEMORY   none of a device");
  EXPECT_EQ(lineWith(render(p, {}), "MEMORY"), "");
}

} // namespace gpuinstr::report
