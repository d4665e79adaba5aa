// The report's tables of device time.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "report/TextReport.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace gpuinstr::report {

using profile::DeviceRow;
using profile::Profile;
using test::expectFits;
using test::lineWith;

namespace {

DeviceRow row(const char *name, std::string_view operation, uint64_t samples, uint64_t operations,
              uint64_t total, uint64_t ci) {
  DeviceRow r;
  r.name = name;
  r.operation = profile::Named<profile::DeviceOperation>::fromText(operation);
  r.samples = samples;
  r.operations = operations;
  r.total_ns = total;
  r.ci_ns = ci;
  r.min_ns = r.max_ns = total / operations;
  return r;
}

/// Two kernels at one line, pinned and pageable copies at another.
Profile timedProfile() {
  Profile p = test::trainProfile();
  p.sites[3].device.method = profile::TimeMethod::Sampled;
  p.sites[3].device.rows = {row("saxpy<float>", "kernel", 64, 400, 582000000, 7000000),
                            row("reduce", "kernel", 400, 400, 372000000, 280000)};
  p.sites[5].device.method = profile::TimeMethod::Sampled;
  p.sites[5].device.rows = {row("", "[CUDA memcpy Host-to-Device]", 20, 100, 10000000, 100000)};
  p.sites[5].device.rows[0].memory = profile::HostSide::Pinned;
  p.sites[5].device.rows[0].bytes = 400000000;
  return p;
}

} // namespace

TEST(DeviceTables, KernelsAndTransfersWithTheNamesOfNsys) {
  std::string text = render(timedProfile(), {});
  expectFits(text);
  std::size_t at = text.find("KERNELS");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.substr(at, text.find("\nAPI ") + 1 - at),
            R"(KERNELS  device time
 Time (%) Total Time  Instances       Avg  Name          Where
     61.0    ~582 ms        400  ~1.46 ms  saxpy<float>  train.cu:133
     39.0     372 ms        400    930 us  reduce        train.cu:133
 ~ from 64 of 400 operations, total +-1.2 % (95 %); gpu_time=exact adds Med, Min, Max, StdDev
TRANSFERS  device time
 Time (%) Total Time      Count  Avg size   GB/s  Operation                            Where
    100.0     ~10 ms        100      4 MB     40  [CUDA memcpy Host-to-Device] pinned  train.cu:131
 ~ from 20 of 100 operations, total +-1.0 % (95 %)
)");
}

TEST(DeviceTables, NoNoteWhereAllWereTimed) {
  Profile p = timedProfile();
  p.sites[3].device.rows.erase(p.sites[3].device.rows.begin());
  p.sites[5].device.rows.clear();
  std::string text = render(p, {});
  EXPECT_NE(lineWith(text, "KERNELS"), "");
  EXPECT_EQ(lineWith(text, "TRANSFERS"), "");
  EXPECT_EQ(lineWith(text, " ~ from"), "");
}

TEST(DeviceTables, TotalsShorterThanTheirDoubtSaySo) {
  Profile p = timedProfile();
  p.sites[3].device.rows = {row("empty", "kernel", 64, 400, 1000, 300000)};
  EXPECT_EQ(
      lineWith(render(p, {}), " ~ from 64"),
      " ~ from 64 of 400 operations, too few to tell the total; gpu_time=exact adds Med, Min, "
      "Max, StdDev");
}

TEST(DeviceTables, WhatLeavesTheTotalOpenIsSaidOfPageableCopies) {
  Profile p = timedProfile();
  DeviceRow &copies = p.sites[5].device.rows[0];
  copies.memory = profile::HostSide::Pageable;
  copies.ci_ns = 8000000;
  EXPECT_EQ(lineWith(render(p, {}), " ~ from 20"),
            " ~ from 20 of 100 operations, total +-80.0 % (95 %): the host's share in pageable "
            "copies");
  copies.ci_ns = copies.total_ns;
  EXPECT_EQ(lineWith(render(p, {}), " ~ from 20"),
            " ~ from 20 of 100 operations, total not known: the host's share in pageable copies");
}

TEST(DeviceTables, CountsThatOnlySamplesTellAreMarked) {
  Profile p = timedProfile();
  p.sites[3].device.rows[0].operations_estimated = true;
  p.sites[5].device.rows[0].operations_estimated = true;
  std::string text = render(p, {});
  EXPECT_NE(text.find("    ~582 ms       ~400  ~1.46 ms  saxpy<float>"), std::string::npos) << text;
  EXPECT_NE(text.find("     372 ms        400    930 us  reduce "), std::string::npos) << text;
  EXPECT_NE(text.find("     ~10 ms       ~100      4 MB "), std::string::npos) << text;
}

TEST(DeviceTables, KernelsWithoutARowAreCounted) {
  Profile p = timedProfile();
  p.sites[3].kernels = {"saxpy<float>", "reduce", "scan", "sort"};
  EXPECT_EQ(lineWith(render(p, {}), " ~ from 64"),
            " ~ from 64 of 400 operations, total +-1.2 % (95 %); not timed: 2 kernels");
  p.sites[3].kernels.push_back(profile::OtherKernels);
  EXPECT_EQ(lineWith(render(p, {}), " ~ from 64"),
            " ~ from 64 of 400 operations, total +-1.2 % (95 %); not timed: 2 kernels or more");
  p.sites[3].device.method = profile::TimeMethod::Exact; // a kernel without a record did not run
  EXPECT_EQ(lineWith(render(p, {}), " ~ from 64").find("never timed"), std::string::npos);
}

TEST(DeviceTables, GraphsGoByTheirNameAndSayWhereTheirNodesAre) {
  Profile p = timedProfile();
  EXPECT_EQ(lineWith(render(p, {}), " a graph"), "");
  p.sites[3].device.rows.push_back(row("graph exec", "graph", 400, 400, 200000000, 1000));
  std::string text = render(p, {});
  EXPECT_NE(text.find("     200 ms        400    500 us  graph exec "), std::string::npos) << text;
  EXPECT_EQ(lineWith(text, " a graph"), " a graph is timed whole, copies included; gpu_time=exact "
                                        "charges its nodes to their lines");
  EXPECT_EQ(lineWith(text, " graph exec:"), "");
  expectFits(text);
}

TEST(DeviceTables, GraphsNameTheLinesThatTheyWereCapturedFrom) {
  Profile p = timedProfile();
  p.sites[3].device.rows = {row("graph exec", "graph", 400, 400, 200000000, 1000)};
  p.sites[3].device.captured_from = {p.sites[0].id, p.sites[1].id, p.sites[0].id};
  std::string text = render(p, {});
  EXPECT_EQ(lineWith(text, " graph exec:"), " graph exec: captured at train.cu:88, buffer.h:31");
  for (int i = 0; i < 4; ++i)
    p.sites[3].device.rows.push_back(
        row(("other" + std::to_string(i)).c_str(), "graph", 1, 1, 9, 1));
  EXPECT_EQ(lineWith(render(p, {}), " other2: captured"), "");
  ReportStyle verbose;
  verbose.verbose = true;
  EXPECT_NE(lineWith(render(p, verbose), " other2: captured"), "");
}

TEST(DeviceTables, NothingTimedChangesNothing) {
  std::string text = render(test::trainProfile(), {});
  EXPECT_EQ(text.find("KERNELS"), std::string::npos);
  EXPECT_EQ(text.find("TRANSFERS"), std::string::npos);
}

TEST(DeviceTables, ManyKernelsStayWithinTheLimitOfLines) {
  Profile p = timedProfile();
  for (int i = 0; i < 200; ++i)
    p.sites[3].device.rows.push_back(
        row(("kernel" + std::to_string(i) + std::string(200, 'x')).c_str(), "kernel", 1, 1 + i,
            1000 * i, 10));
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_NE(lineWith(text, "KERNELS"), "");
  EXPECT_NE(lineWith(text, "TRANSFERS"), "");
  EXPECT_NE(lineWith(text, "API "), "");
  EXPECT_NE(lineWith(text, "SUMMARY"), "");
}

namespace {

/// The same program with exact times.
Profile exactProfile() {
  Profile p = timedProfile();
  p.sites[3].device.method = profile::TimeMethod::Exact;
  p.sites[3].device.rows.erase(p.sites[3].device.rows.begin());
  DeviceRow &r = p.sites[3].device.rows[0];
  r.median_ns = 925000, r.stddev_ns = 1300, r.max_ns = 990000, r.min_ns = 910000;
  r.api_ns = 400 * 4000, r.queue_ns = 400 * 2000, r.span_ns = 400 * 936000;
  r.grid = {4096, 1, 1}, r.block = {16, 16, 1};
  r.static_shared = 1024, r.registers = 32, r.occupancy_percent = 100;
  p.breakdown.gpus = {{0, profile::TimeMethod::Exact, 1000, 412, 183, 21, 0, 0, 178, 0, 61, 0, 0,
                       145, 50000000, 183000000}};
  return p;
}

} // namespace

TEST(DeviceTables, ExactTimesHaveAllColumns) {
  std::string text = render(exactProfile(), {});
  expectFits(text);
  EXPECT_EQ(lineWith(text, " Time (%) Total Time Instances"),
            " Time (%) Total Time Instances    Avg    Med    Min    Max StdDev  Name    Where");
  EXPECT_EQ(
      lineWith(text, "    100.0     372 ms"),
      "    100.0     372 ms       400  930us  925us  910us  990us 1.30us  reduce  train.cu:133");
  EXPECT_EQ(text.find("LAUNCHES"), std::string::npos);
}

TEST(DeviceTables, ExactTransfersHaveAllColumnsWithVerbose) {
  Profile p = exactProfile();
  p.sites[5].device.method = profile::TimeMethod::Exact;
  DeviceRow &r = p.sites[5].device.rows[0];
  r.samples = 100, r.ci_ns = 0;
  r.median_ns = 98000, r.stddev_ns = 1500, r.min_ns = 91000, r.max_ns = 130000;
  std::string text = render(p, {});
  EXPECT_EQ(lineWith(text, "    100.0      10 ms"), "    100.0      10 ms        100      4 MB"
                                                    "     40  [CUDA memcpy Host-to-Device] pinned"
                                                    "  train.cu:131");
  ReportStyle style;
  style.verbose = true;
  text = render(p, style);
  expectFits(text, 1000);
  EXPECT_NE(text.find(" Time (%) Total Time   Count    Avg    Med    Min    Max StdDev   GB/s"
                      "  Operation   Where\n"
                      "    100.0      10 ms     100  100us   98us   91us  130us 1.50us     40"
                      "  H2D pinned  train.cu:131\n"),
            std::string::npos)
      << text;
}

TEST(DeviceTables, LaunchesWithVerbose) {
  ReportStyle style;
  style.verbose = true;
  std::string text = render(exactProfile(), style);
  EXPECT_NE(lineWith(text, "LAUNCHES"), "");
  EXPECT_NE(
      text.find("   936us    4us    2us  930us         4096    16x16    1024    32   100  reduce"),
      std::string::npos)
      << text;
}

TEST(GpuLine, SharesAddUpAndIdleTimeHasItsCauses) {
  std::string text = render(exactProfile(), {});
  EXPECT_EQ(lineWith(text, "GPU 0"),
            "GPU 0    kernels 41.2 %  H2D 18.3 %  D2H 2.1 % | idle 38.4 %: start-up "
            "17.8 host 14.5 allocation 6.1");
  EXPECT_NE(lineWith(text, "RESULT").find(" | GPU busy 61.6 % | "), std::string::npos);
}

TEST(GpuLine, ACleanProgramHasFourLines) {
  Profile p = exactProfile();
  p.findings.clear();
  p.coverage.images.clear();
  p.coverage.addresses_taken.clear();
  std::string text = render(p, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
  EXPECT_EQ(lineWith(text, "HOST"), "");
}

} // namespace gpuinstr::report
