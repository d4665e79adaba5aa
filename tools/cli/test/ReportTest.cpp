// gpuinstr report: text, JSON round trip, CSV that reads back.
// SPDX-License-Identifier: Apache-2.0
#include "Csv.h"
#include "Samples.h"
#include "Temporary.h"

namespace gpuinstr::test {

/// Rows of RFC 4180.
static std::vector<std::vector<std::string>> parseCsv(const std::string &text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      rows.back().push_back(std::exchange(field, ""));
      if (c == '\n')
        rows.emplace_back();
    } else if (quoted || c != '\r') {
      field += c;
    }
  }
  rows.pop_back();
  return rows;
}

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
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"Time (%)", "Total Time (ns)", "Num Calls", "Avg (ns)",
                                      "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)", "Name"}));
  double percent = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size());
    percent += std::stod(rows[i][0]);
    if (rows[i][8] == "cudaMalloc") {
      // 412, 21, 3 x 40 and 1 ms.
      EXPECT_EQ(rows[i][1], "554000000");
      EXPECT_EQ(rows[i][2], "6");
      EXPECT_EQ(rows[i][5], "1000000");
      EXPECT_EQ(rows[i][6], "412000000");
    }
  }
  EXPECT_NEAR(percent, 100, 0.3);
}

TEST(Report, CsvQuotesWhatNeedsIt) {
  Folder folder;
  profile::Profile p = trainProfile();
  p.sites[3].callee = "map<int, \"x\">\r\nsecond";
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

TEST(Report, CsvOfAllocations) {
  Folder folder;
  profile::Profile p = trainProfile();
  p.allocations = {{"00000000000000a2", "this->scratch", "device", "00000000000000c1", 0, 4,
                    6000000, 3000000, 1, 1500000}};
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
