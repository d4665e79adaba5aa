// The report's lines about the devices' time: what is known of it, and what is not.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "report/TextReport.h"
#include <gtest/gtest.h>

namespace gpuinstr::report {

using profile::GpuShare;
using profile::Profile;
using test::expectFits;
using test::lineWith;

namespace {

GpuShare sampled() {
  GpuShare g;
  g.method = profile::TimeMethod::Sampled;
  g.wall_ns = 1000000000;
  g.kernels_ns = g.sum_ns = 400000000;
  g.idle_unknown_ns = 600000000;
  return g;
}

std::string rendered(const GpuShare &g, const Profile &from = test::trainProfile(),
                     const ReportStyle &style = {}) {
  Profile p = from;
  p.breakdown.gpus = {g};
  std::string text = render(p, style);
  expectFits(text, style.verbose ? 400 : 40);
  return text;
}

/// The line after the one that starts with `head`.
std::string after(const std::string &text, const std::string &head) {
  std::vector<std::string> lines = test::linesOf(text);
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    if (lines[i].rfind(head, 0) == 0)
      return lines[i + 1];
  return "";
}

/// 412 + 183 + ... in tenths, of the busy line and the idle total; the causes of the second line.
unsigned tenths(const std::string &text) {
  unsigned sum = 0;
  for (std::size_t dot = text.find('.'); dot != std::string::npos; dot = text.find('.', dot + 1)) {
    std::size_t from = text.find_last_not_of("0123456789", dot - 1) + 1;
    sum += unsigned(std::stoul(text.substr(from, dot - from))) * 10 + unsigned(text[dot + 1] - '0');
  }
  return sum;
}

} // namespace

TEST(GpuLine, SampledWithoutACause) {
  std::string text = rendered(sampled());
  EXPECT_EQ(lineWith(text, "GPU 0"),
            "GPU 0    kernels ~40.0 % | idle ~60.0 %; gpu_time=exact tells why");
  EXPECT_NE(lineWith(text, "RESULT").find("| GPU busy ~40.0 % |"), std::string::npos);
}

TEST(GpuLine, SampledWithProvenCauses) {
  GpuShare g = sampled();
  g.idle_unknown_ns = 100000000;
  g.idle_startup_ns = 200000000;
  g.idle_host_ns = 300000000;
  std::string text = rendered(g);
  EXPECT_EQ(lineWith(text, "GPU 0"), "GPU 0    kernels ~40.0 %");
  EXPECT_EQ(after(text, "GPU 0"), "         idle ~60.0 %: host ~30.0 start-up ~20.0 unknown ~10.0; "
                                  "gpu_time=exact tells why");
}

TEST(GpuLine, NoHintWhereExactTimesCannotBeHad) {
  Profile p = test::trainProfile();
  p.devices[0].simulated = true;
  EXPECT_EQ(lineWith(rendered(sampled(), p), "GPU 0"), "GPU 0    kernels ~40.0 % | idle ~60.0 %");
  p = test::trainProfile();
  p.coverage.notes = {"gpu_time=exact: libcupti.so was not found: device time is sampled"};
  EXPECT_EQ(lineWith(rendered(sampled(), p), "GPU 0"), "GPU 0    kernels ~40.0 % | idle ~60.0 %");
}

TEST(GpuLine, TheIntervalWhereItIsWorthAWord) {
  GpuShare g = sampled();
  g.ci_ns = 19000000;
  EXPECT_EQ(lineWith(rendered(g), "GPU 0").find("+-"), std::string::npos);
  g.ci_ns = 32000000;
  std::string text = rendered(g);
  EXPECT_NE(lineWith(text, "GPU 0").find("| idle ~60.0 +-3.2 %;"), std::string::npos) << text;
  EXPECT_NE(lineWith(text, "RESULT").find("| GPU busy ~40.0 +-3.2 % |"), std::string::npos) << text;
  g.ci_ns = 380000000;
  text = rendered(g);
  EXPECT_EQ(lineWith(text, "GPU 0"), "GPU 0    shares not known: too few operations were timed to "
                                     "tell; gpu_time=exact tells");
  EXPECT_EQ(lineWith(text, "RESULT").find("busy"), std::string::npos);
}

TEST(GpuLine, OfASmallShareASmallIntervalIsWorthIt) {
  GpuShare g = sampled();
  g.kernels_ns = g.sum_ns = 12000000;
  g.idle_unknown_ns = 988000000;
  g.ci_ns = 2000000;
  EXPECT_EQ(rendered(g).find("+-"), std::string::npos);
  g.ci_ns = 11000000;
  std::string text = rendered(g);
  EXPECT_NE(lineWith(text, "GPU 0").find("| idle ~98.8 +-1.1 %"), std::string::npos) << text;
  EXPECT_NE(lineWith(text, "RESULT").find("| GPU busy ~1.2 +-1.1 % |"), std::string::npos) << text;
}

TEST(GpuLine, WorkThatOverlappedHasNoShares) {
  GpuShare g;
  g.method = profile::TimeMethod::Sampled;
  g.wall_ns = 1110000000;
  g.sum_ns = 5190000000;
  g.overlapped = g.at_most = true;
  std::string text = rendered(g);
  EXPECT_EQ(lineWith(text, "GPU 0"), "GPU 0    shares not known: work overlapped, its times add up "
                                     "to 5.19 s in 1.11 s; gpu_time=exact");
  EXPECT_EQ(lineWith(text, "RESULT").find("busy"), std::string::npos);
  g.at_most = false; // on one stream: no reason is known
  EXPECT_EQ(rendered(g).find("overlapped"), std::string::npos);
}

TEST(GpuLine, SeveralStreamsMakeItABound) {
  GpuShare g = sampled();
  g.at_most = true;
  std::string text = rendered(g);
  EXPECT_EQ(lineWith(text, "GPU 0"), "GPU 0    kernels <=~40.0 % | idle >=~60.0 %");
  EXPECT_EQ(after(text, "GPU 0"),
            "         <= and >=: work on several streams may have overlapped; "
            "gpu_time=exact tells");
  EXPECT_NE(lineWith(text, "RESULT").find("| GPU busy <=~40.0 % |"), std::string::npos) << text;
}

TEST(GpuLine, WhatWasNotTimedIsNamed) {
  Profile p = test::trainProfile();
  p.sites[3].device.untimed = 200;
  p.sites[5].device.untimed = 1;
  GpuShare g = sampled();
  g.untimed = 208;
  std::string text = rendered(g, p);
  EXPECT_EQ(lineWith(text, "GPU 0"),
            "GPU 0    kernels ~40.0 % | idle or not timed ~60.0 %; gpu_time=exact tells why");
  EXPECT_EQ(
      after(text, "GPU 0"),
      "         not timed: 200 launches at train.cu:133, 1 copy at train.cu:131, 7 elsewhere");
  EXPECT_NE(lineWith(text, "RESULT").find("| GPU busy >=~40.0 % |"), std::string::npos) << text;
  g.at_most = true; // neither bound holds
  EXPECT_EQ(lineWith(rendered(g, p), "RESULT").find("busy"), std::string::npos);
}

TEST(GpuLine, WhatMayHaveBeenOnAnyOfSeveralDevicesIsNamedOnce) {
  Profile p = test::trainProfile();
  p.sites[3].device.untimed = 200;
  GpuShare g = sampled();
  g.untimed = 207;
  p.breakdown.gpus = {g, g};
  p.breakdown.gpus[1].device = 1;
  std::string text = render(p, {});
  EXPECT_EQ(lineWith(text, "GPU 1"),
            "GPU 1    kernels ~40.0 % | idle or not timed ~60.0 %; gpu_time=exact tells why");
  EXPECT_EQ(after(text, "GPU 1"), "         not timed: 200 launches at train.cu:133, 7 elsewhere");
}

TEST(GpuLine, CopiesInNoPartAreNamedWithTheirLine) {
  Profile p = test::trainProfile();
  p.sites[3].device.untimed = 200;
  profile::DeviceRow row;
  row.operation = profile::DeviceOperation::Copy;
  row.samples = 4, row.operations = 9;
  row.devices = {{0, 4, 4000, 40}, {1, 5, 5000, 50}};
  p.sites[5].device.method = profile::TimeMethod::Sampled;
  p.sites[5].device.rows = {row};
  GpuShare g = sampled();
  g.untimed = 200 + 4 + 7; // its own and what was left out
  p.breakdown.gpus = {g, g};
  p.breakdown.gpus[1].device = 1;
  p.breakdown.gpus[1].untimed = 200 + 5 + 7;
  EXPECT_EQ(
      after(render(p, {}), "GPU 1"),
      "         not timed: 200 launches at train.cu:133, 9 copies at train.cu:131, 7 elsewhere");
}

TEST(GpuLine, KernelsThatWereNotTimedAreNotInTheTablesShares) {
  Profile p = test::trainProfile();
  p.sites[3].device.method = profile::TimeMethod::Sampled;
  profile::DeviceRow row;
  row.name = "saxpy";
  row.operation = profile::DeviceOperation::Kernel;
  row.samples = 4, row.operations = 400, row.total_ns = 400000000, row.ci_ns = 4000000;
  p.sites[3].device.rows = {row};
  p.sites[4].kind = profile::SiteKind::Launch;
  p.sites[4].device.untimed = 20;
  GpuShare g = sampled();
  g.untimed = 20;
  std::string text = rendered(g, p);
  std::string note = " ~ from 4 of 400 operations, total +-1.0 % (95 %)";
  EXPECT_EQ(lineWith(text, note), note + "; gpu_time=exact adds Med, Min, Max, StdDev");
  EXPECT_EQ(after(text, note).rfind(" not timed, in no share: 20 launches at train.cu:", 0), 0u)
      << text;
}

TEST(GpuLine, AllPartsOfALongLineStay) {
  GpuShare g{0,        profile::TimeMethod::Exact,
             1000,     212,
             123,      101,
             33,       21,
             178,      45,
             61,       32,
             23,       171,
             50000000, 183000000};
  std::string text = rendered(g), first = lineWith(text, "GPU 0"), second = after(text, "GPU 0");
  EXPECT_EQ(first, "GPU 0    kernels 21.2 %  H2D 12.3 %  D2H 10.1 %  D2D 3.3 %  sets 2.1 %");
  EXPECT_EQ(second,
            "         idle 51.0 %: start-up 17.8 host 17.1 allocation 6.1 copies 4.5 launch "
            "3.2 sync 2.3");
  g.method = profile::TimeMethod::Sampled;
  g.idle_unknown_ns = 100;
  g.wall_ns = 1100;
  g.at_most = true;
  g.ci_ns = 55;
  g.untimed = 1;
  text = rendered(g), first = lineWith(text, "GPU 0"), second = after(text, "GPU 0");
  EXPECT_NE(second.find("other ~"), std::string::npos) << second;
  std::size_t causes = second.find(": ");
  ASSERT_NE(causes, std::string::npos);
  std::string total = second.substr(second.find(">=~"), 7);
  EXPECT_EQ(tenths(first) + tenths(total), 1000u) << text;
  EXPECT_EQ(tenths(second.substr(causes)), tenths(total)) << text;
}

TEST(Result, ALongOneGoesOnOnTheNextLine) {
  Profile p = test::trainProfile();
  p.process.own_cost_percent = 12.3;
  p.process.startup_ns = 123400000;
  p.process.ending_ns = 234500000;
  p.process.own_host_bytes = 123000000;
  p.process.own_device_bytes = 456000000;
  p.process.ended = "quick_exit";
  p.paused = true;
  ReportStyle style;
  style.verbose = true;
  std::string text = rendered(sampled(), p, style), all;
  EXPECT_EQ(lineWith(text, "RESULT").find("..."), std::string::npos) << text;
  all = lineWith(text, "RESULT") + after(text, "RESULT");
  for (const char *part : {"GPU busy ~40.0 %",
                           "own cost 12.3 % + 123 ms start + 234 ms end, 123 MB host, 456 MB "
                           "device memory",
                           "paused"})
    EXPECT_NE(all.find(part), std::string::npos) << part << '\n' << text;
}

} // namespace gpuinstr::report
