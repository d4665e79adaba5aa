// gpuinstr report: text, JSON round trip, CSV that reads back.
// SPDX-License-Identifier: Apache-2.0
#include "Samples.h"
#include "export/Csv.h"
#include "support/ParseCsv.h"
#include "support/Temporary.h"
#include <algorithm>

namespace gpuinstr::test {

TEST(Report, JsonIsTheProfileAgain) {
  Folder folder;
  std::string file = folder.write("a.json", trainProfile());
  EXPECT_EQ(gpuinstr({"report", "--json", file}).out, profile::toJson(trainProfile()));
  EXPECT_EQ(gpuinstr({"report", "--json", file, "-o", folder.file("b.json")}).code, 0);
  EXPECT_EQ(cli::readText(folder.file("b.json")), profile::toJson(trainProfile()));
}

TEST(Report, SeveralAsOneArray) {
  Folder folder;
  folder.write("r.10.json", trainProfile());
  profile::Profile second = trainProfile();
  second.process.pid = 7;
  folder.write("r.9.json", second);
  std::string out = gpuinstr({"report", "--json", folder.path()}).out;
  // 9 before 10.
  EXPECT_EQ(out, "[\n" + profile::toJson(second) + ",\n" + profile::toJson(trainProfile()) + "]\n");
}

TEST(Report, TextSortsAndCuts) {
  Folder folder;
  std::string file = folder.write("a.json", trainProfile());
  std::string time = gpuinstr({"report", file}).out;
  EXPECT_NE(time.find("2 leaks"), std::string::npos) << time;
  EXPECT_LT(time.find("cudaMalloc "), time.find("saxpy<float>"));
  std::string calls = gpuinstr({"report", "--sort", "calls", file}).out;
  EXPECT_LT(calls.find("saxpy<float>"), calls.find("cudaMalloc "));
  std::string one = gpuinstr({"report", "--sort", "name", "--top", "1", file}).out;
  EXPECT_EQ(one.find("saxpy<float>"), std::string::npos) << one;
}

TEST(Report, CsvHasTheColumnsOfNsysAndItsSums) {
  Folder folder;
  std::string file = folder.write("a.json", trainProfile());
  auto rows = parseCsv(gpuinstr({"report", "--csv", file}).out);
  ASSERT_EQ(rows.size(), 6u); // five functions
  EXPECT_EQ(rows[0], (std::vector<std::string>{"Time (%)", "Total Time (ns)", "Num Calls",
                                               "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)",
                                               "StdDev (ns)", "Name", "rank", "host", "pid"}));
  double percent = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size());
    percent += std::stod(rows[i][0]);
    if (rows[i][8] == "cudaMalloc") {
      // First calls of 412, 21 and 1 ms, and 3 x 40 ms.
      EXPECT_EQ(rows[i][1], "554000000");
      EXPECT_EQ(rows[i][2], "6");
      EXPECT_EQ(rows[i][3], "40000000.0");
      EXPECT_EQ(rows[i][5], "40000000");
      EXPECT_EQ(rows[i][6], "40000000");
    }
  }
  EXPECT_NEAR(percent, 100, 0.3);
}

/// One table of many processes.
TEST(Report, CsvOfSeveralFilesHasOneHeaderAndNamesTheProcess) {
  Folder folder;
  profile::Profile second = trainProfile();
  second.process.rank = 7;
  second.process.host = "node,8";
  second.sites[3].callee = "two\r\nlines";
  std::string a = folder.write("a.json", trainProfile()), b = folder.write("b.json", second);
  auto rows = parseCsv(gpuinstr({"report", "--csv", "--table", "sites", a, b}).out);
  ASSERT_EQ(rows.size(), 1 + 7 + 7u);
  std::size_t rank = rows[0].size() - 3;
  EXPECT_EQ(rows[0][rank], "rank");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size()) << i;
    EXPECT_EQ(rows[i][rank], i < 8 ? "" : "7");
    EXPECT_EQ(rows[i][rank + 1], i < 8 ? "node7" : "node,8");
    EXPECT_EQ(rows[i][rank + 2], "4242");
  }
}

TEST(Report, CsvQuotesWhatNeedsIt) {
  Folder folder;
  profile::Profile p = trainProfile();
  p.sites[3].callee = "map<int, \"x\">\r\nsecond";
  p.sites[3].kind = profile::SiteKind::Library;
  std::string file = folder.write("a.json", p);
  for (const char *table : {"api", "sites"}) {
    bool found = false;
    for (const auto &row : parseCsv(gpuinstr({"report", "--csv", "--table", table, file}).out))
      for (const std::string &field : row)
        found |= field == p.sites[3].callee;
    EXPECT_TRUE(found) << table;
  }
}

TEST(Report, CsvOfFindingsShowsTheCallersLine) {
  Folder folder;
  std::string file = folder.write("a.json", trainProfile());
  auto rows = parseCsv(gpuinstr({"report", "--csv", "--table", "findings", file}).out);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[2][0], "leak");
  EXPECT_EQ(rows[2][2], "/src/train.cu"); // the allocation stands in buffer.h
  EXPECT_EQ(rows[2][3], "140");
  EXPECT_EQ(rows[2][9], "4194304");
}

TEST(Report, CsvCountsTheCallsOfASite) {
  Folder folder;
  profile::Profile p = trainProfile();
  // Of 400 calls some were not timed: what is known of the others must not stand for the calls.
  p.sites[3].calls = 400;
  p.sites[3].host.count = 180;
  std::string file = folder.write("a.json", p);
  for (const char *table : {"api", "cuda_api_sum", "sites"}) {
    std::string calls;
    for (const auto &row : parseCsv(gpuinstr({"report", "--csv", "--table", table, file}).out))
      if (row[8] == p.sites[3].callee || row[8] == "cudaLaunchKernel") // as nsys has it
        calls = row[2];
    EXPECT_EQ(calls, "400") << table;
  }
}

namespace {

/// A kernel of several at a line, copies of two kinds at another.
profile::Profile timedProfile(const char *method) {
  profile::Profile p = trainProfile();
  p.sites[3].device.method = p.sites[5].device.method =
      profile::Named<profile::TimeMethod>::fromText(method);
  profile::DeviceRow kernel;
  kernel.name = "saxpy<float>";
  kernel.operation = profile::DeviceOperation::Kernel;
  kernel.samples = 64, kernel.operations = 400, kernel.total_ns = 600000, kernel.ci_ns = 7000;
  kernel.min_ns = 1000, kernel.max_ns = 3000, kernel.median_ns = 1400, kernel.stddev_ns = 12.5;
  kernel.operations_estimated = true;
  profile::DeviceRow graph = kernel;
  graph.name = "", graph.operation = profile::DeviceOperation::Graph, graph.total_ns = 200000;
  p.sites[3].device.rows = {kernel, graph};
  profile::DeviceRow up;
  up.operation = profile::DeviceOperation::HostToDevice, up.memory = profile::HostSide::Pinned;
  up.samples = up.operations = 100, up.total_ns = 10000, up.bytes = 4000000;
  profile::DeviceRow down = up;
  down.operation = profile::DeviceOperation::DeviceToHost,
  down.memory = profile::HostSide::Pageable;
  down.operations = 1, down.samples = 1, down.bytes = 1000;
  p.sites[5].device.rows = {down, up};
  return p;
}

std::vector<std::vector<std::string>> tableOf(const profile::Profile &p, const char *name) {
  return parseCsv(cli::csvTable(p, name));
}

using Fields = std::vector<std::string>;
Fields firstOf(const Fields &row, std::size_t n) { return Fields(row.begin(), row.begin() + n); }
/// The field under a column's name.
std::string at(const std::vector<Fields> &rows, std::size_t row, const std::string &column) {
  auto found = std::find(rows[0].begin(), rows[0].end(), column);
  return found == rows[0].end() ? "no column " + column : rows[row][found - rows[0].begin()];
}

} // namespace

TEST(Report, CsvOfKernels) {
  auto rows = tableOf(timedProfile("exact"), "cuda_gpu_kern_sum");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(firstOf(rows[0], 9),
            (Fields{"Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Med (ns)", "Min (ns)",
                    "Max (ns)", "StdDev (ns)", "Name"}));
  EXPECT_EQ(firstOf(rows[1], 11), (Fields{"75.0", "600000", "400", "1500.0", "1400.0", "1000",
                                          "3000", "12.5", "saxpy<float>", "/src/train.cu", "133"}));
  EXPECT_EQ(at(rows, 2, "Name"), "CUDA graph");
  EXPECT_EQ(at(rows, 2, "operation"), "graph");
  rows = tableOf(timedProfile("sampled"), "kernels");
  EXPECT_EQ(at(rows, 1, "Med (ns)"), "") << "not known";
  EXPECT_EQ(at(rows, 1, "StdDev (ns)"), "");
  EXPECT_EQ(at(rows, 1, "method"), "sampled");
  EXPECT_EQ(at(rows, 1, "samples"), "64");
  EXPECT_EQ(at(rows, 1, "operations_estimated"), "true");
  EXPECT_EQ(at(rows, 1, "ci_ns"), "7000");
}

TEST(Report, CsvOfTransfers) {
  auto rows = tableOf(timedProfile("exact"), "cuda_gpu_mem_time_sum");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(firstOf(rows[0], 9),
            (Fields{"Time (%)", "Total Time (ns)", "Count", "Avg (ns)", "Med (ns)", "Min (ns)",
                    "Max (ns)", "StdDev (ns)", "Operation"}));
  EXPECT_EQ(rows[2][2], "100");
  EXPECT_EQ(rows[2][8], "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(at(rows, 2, "line"), "131");
  EXPECT_EQ(at(rows, 2, "memory"), "pinned");
  EXPECT_EQ(at(rows, 2, "bytes"), "4000000");
  EXPECT_EQ(at(rows, 2, "operations_estimated"), "false");
}

TEST(Report, CsvOfMemoryHasTransfersOnly) {
  profile::Profile p = timedProfile("exact");
  auto rows = tableOf(p, "cuda_gpu_mem_size_sum");
  EXPECT_EQ(firstOf(rows[0], 8), (Fields{"Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)",
                                         "Max (MB)", "StdDev (MB)", "Operation"}));
  ASSERT_EQ(rows.size(), 3u) << "allocations have a table of their own";
  EXPECT_EQ(firstOf(rows[1], 8),
            (Fields{"4.000", "100", "0.040", "", "", "", "", "[CUDA memcpy Host-to-Device]"}));
  EXPECT_EQ(firstOf(rows[2], 8), (Fields{"0.001", "1", "0.001", "0.001", "0.001", "0.001", "0.000",
                                         "[CUDA memcpy Device-to-Host]"}));
  // Without device times the calls say it.
  profile::Site &site = p.sites[5];
  site.device = {};
  site.kind = profile::SiteKind::Copy, site.bytes = 5000000, site.calls = 6, site.failed = 1;
  site.arguments = {"d", "h", "n", "cudaMemcpyDeviceToDevice"};
  rows = tableOf(p, "memory");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(firstOf(rows[1], 3), (Fields{"5.000", "5", "1.000"}));
  EXPECT_EQ(rows[1][7], "[CUDA memcpy Device-to-Device]");
  EXPECT_EQ(at(rows, 1, "estimated"), "false");
}

TEST(Report, CsvOfTheProgramsRanges) {
  Folder folder;
  profile::Profile p = trainProfile();
  p.phases = {{"epoch, first", 4, 1157000000, 4, 500000000, 400000000, true, 620000000, true},
              {"step", 400, 1200, 80, 900, 0, false, 0, false}};
  std::string file = folder.write("a.json", p);
  auto rows = parseCsv(gpuinstr({"report", "--csv", "--table", "phases", file}).out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][0], "50.0");
  EXPECT_EQ(rows[1][4], "epoch, first");
  EXPECT_EQ(rows[1][6], "400000000");
  EXPECT_EQ(rows[2][6], "") << "not known";
  EXPECT_EQ(rows[2][7], "");
}

TEST(Report, CsvOfAllocations) {
  Folder folder;
  profile::Profile p = trainProfile();
  p.allocations = {{"00000000000000a2", "this->scratch", profile::Resource::Device,
                    "00000000000000c1", 0, 4, 6000000, 3000000, 1, 1500000}};
  std::string file = folder.write("a.json", p);
  auto rows = parseCsv(gpuinstr({"report", "--csv", "--table", "allocations", file}).out);
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_EQ(rows[0].size(), rows[1].size());
  EXPECT_EQ(rows[0][2], "Avg (MB)");
  EXPECT_EQ(rows[1][0], "6.000");
  EXPECT_EQ(rows[1][2], "1.500");
  EXPECT_EQ(rows[1][3], "3.000");
  EXPECT_EQ(rows[1][7], "1500000");
  EXPECT_EQ(rows[1][11], "/src/train.cu") << "the line that named it";
  EXPECT_EQ(rows[1][12], "140");
}

} // namespace gpuinstr::test
