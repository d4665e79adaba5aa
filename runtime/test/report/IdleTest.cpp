// The sentence that says why the device was idle.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "report/TextReport.h"
#include <regex>

namespace gpuinstr::report {

using profile::IdleCause;
using profile::Profile;
using test::expectFits;
using test::lineWith;

/// 2314 ms, of which 600 ms between the synchronize and the upload.
static Profile gapsProfile() {
  Profile p = test::trainProfile();
  p.breakdown.idle = {{IdleCause::Host, "00000000000000a5", "00000000000000a6", 398, 600000000},
                      {IdleCause::Allocation, "00000000000000a2", "00000000000000a2", 4, 141000000},
                      {IdleCause::Host, "00000000000000a5", "00000000000000a2", 4, 90000}};
  return p;
}

TEST(Idle, NothingKnownNoLine) {
  EXPECT_EQ(lineWith(render(test::trainProfile(), {}), "IDLE"), "");
  Profile p = gapsProfile();
  p.breakdown.idle.erase(p.breakdown.idle.begin(), p.breakdown.idle.begin() + 2);
  EXPECT_EQ(lineWith(render(p, {}), "IDLE"), "") << "not worth a word";
}

TEST(Idle, GapsAreBoundsWithPlaces) {
  std::string text = render(gapsProfile(), {});
  expectFits(text);
  EXPECT_EQ(lineWith(text, "IDLE"),
            "IDLE     at least 32.0 % of the run: 25.9 % your code between train.cu:134 and :131; "
            "6.1 %");
  EXPECT_NE(text.find("\n         cudaMalloc at buffer.h:31\n"), std::string::npos) << text;
}

TEST(Idle, CallsOfOneLineAreOneCause) {
  Profile p = gapsProfile();
  profile::Site second = p.sites[0];
  for (const profile::Site &site : p.sites)
    if (site.id == "00000000000000a6")
      second = site;
  second.id = "00000000000000b6";
  p.sites.push_back(second);
  p.breakdown.idle.push_back(
      {IdleCause::Host, "00000000000000a5", "00000000000000b6", 398, 200000000});
  p.breakdown.idle.push_back(
      {IdleCause::Host, "00000000000000a6", "00000000000000b6", 398, 100000000});
  std::string text = render(p, {});
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  EXPECT_NE(
      text.find("45.0 % of the run: 34.6 % your code between train.cu:134 and :131; "
                "6.1 % cudaMalloc at buffer.h:31; 4.3 % your code between calls at train.cu:131 "),
      std::string::npos)
      << text;
}

TEST(Idle, TheStartIsToldApart) {
  Profile p = gapsProfile();
  p.process.startup.context_ns = 412000000;
  std::string text = render(p, {});
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  EXPECT_NE(text.find("17.8 % CUDA's start"), std::string::npos) << text;
}

TEST(Idle, ExactTimesAreNoBounds) {
  Profile p = gapsProfile();
  profile::GpuShare gpu;
  gpu.method = profile::TimeMethod::Exact;
  gpu.wall_ns = 2314000000;
  gpu.kernels_ns = 1500000000;
  gpu.idle_copies_ns = 73000000;
  gpu.idle_host_ns = 600000000;
  gpu.idle_allocation_ns = 141000000;
  p.breakdown.gpus = {gpu};
  std::string line = lineWith(render(p, {}), "IDLE");
  EXPECT_EQ(line.find("at least"), std::string::npos) << line;
  EXPECT_EQ(
      line.rfind("IDLE     25.9 % your code between train.cu:134 and :131; 6.1 % cudaMalloc", 0),
      0u)
      << line;
}

TEST(Idle, CopiesAreNamedByWhatMakesThemBlock) {
  for (const char *callee : {"cudaMemcpy", "cudaMemcpyAsync"}) {
    Profile p = gapsProfile();
    p.breakdown.idle.clear();
    profile::GpuShare gpu;
    gpu.method = profile::TimeMethod::Exact;
    gpu.wall_ns = gpu.kernels_ns = 2314000000;
    gpu.idle_copies_ns = 730000000;
    p.breakdown.gpus = {gpu};
    for (profile::Site &site : p.sites)
      if (site.kind == profile::SiteKind::Copy) {
        site.callee = callee;
        site.device.rows.resize(1);
        site.device.rows[0].memory = profile::HostSide::Pageable;
      }
    std::string line = lineWith(render(p, {}), "IDLE");
    bool async = std::string(callee) == "cudaMemcpyAsync";
    EXPECT_NE(line.find(async ? "31.5 % copies of pageable memory, which block, most at train.cu:"
                              : "31.5 % blocking copies, most at train.cu:"),
              std::string::npos)
        << line;
  }
}

TEST(Idle, OfSeveralDevicesNothingIsSaid) {
  Profile p = gapsProfile();
  p.breakdown.gpus.resize(2);
  EXPECT_EQ(lineWith(render(p, {}), "IDLE"), "");
}

} // namespace gpuinstr::report
