// The same figure under the same name in text, JSON, CSV and the page.
// SPDX-License-Identifier: Apache-2.0
#include "Samples.h"
#include "base/text/Printable.h"
#include "export/Csv.h"
#include "html/HtmlPage.h"
#include "lookup/SiteIndex.h"
#include "profile/CallFigures.h"
#include "profile/Json.h"
#include "report/Sections.h"
#include "support/ParseCsv.h"
#include <nlohmann/json.hpp>

namespace gpuinstr::test {

using nlohmann::json;
using Rows = std::vector<std::map<std::string, std::string>>;

namespace {

/// Calls of several kinds, first calls alone among them; kernels and copies timed in part.
profile::Profile mixedProfile() {
  profile::Profile p = trainProfile();
  p.sites[4].host.min_ns = 1200000;
  p.sites[4].host.max_ns = 1900000;
  p.sites[4].host.median_ns = 1250000;
  p.sites[4].host.stddev_ns = 33000;
  for (int i : {3, 5}) {
    profile::DeviceRow row;
    row.name = i == 3 ? "saxpy<float>" : "";
    row.operation =
        i == 3 ? profile::DeviceOperation::Kernel : profile::DeviceOperation::HostToDevice;
    row.samples = 64;
    row.operations = 399;
    row.total_ns = 100000000u * unsigned(i);
    row.ci_ns = 1000000;
    row.bytes = i == 3 ? 0 : 399u * 4194304u;
    p.sites[i].device.method = profile::TimeMethod::Sampled;
    p.sites[i].device.rows.push_back(row);
    p.sites[i].device.samples = 64;
  }
  return p;
}

Rows csvOf(const profile::Profile &p, const char *table) {
  auto lines = parseCsv(cli::csvTable(p, table));
  Rows rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    rows.emplace_back();
    for (std::size_t c = 0; c < lines[0].size(); ++c)
      rows.back()[lines[0][c]] = lines[i][c];
  }
  return rows;
}

json pageOf(const profile::Profile &p) {
  cli::Sources sources("");
  std::string html = cli::html(p, sources, nullptr), open = "id=\"data\">";
  std::size_t begin = html.find(open) + open.size();
  return json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

/// The text's row at a place, without blanks at its front.
std::string textRow(const profile::Profile &p, report::Lines (*table)(const report::View &),
                    const std::string &place) {
  report::ReportStyle style;
  style.verbose = true;
  style.columns = 160;
  for (const report::Line &line : table(report::View(p, style)))
    if (line.text.size() > place.size() &&
        line.text.compare(line.text.size() - place.size(), place.size(), place) == 0)
      return line.text.substr(line.text.find_first_not_of(' '));
  return "";
}

std::string tenths(unsigned share) { return percentText(share); }

} // namespace

TEST(OneDefinition, CallsOfASite) {
  profile::Profile p = mixedProfile();
  json profile = json::parse(profile::toJson(p)), page = pageOf(p);
  unsigned compared = 0;
  for (const auto &row : csvOf(p, "sites")) {
    std::size_t at = 0;
    while (p.sites[at].id != row.at("id"))
      ++at;
    const json &site = profile["sites"][at], &shown = page["sites"][at];
    std::string place = cli::placeText(&p.sites[at]);
    SCOPED_TRACE(place);
    std::string text = textRow(p, report::callTable, place);
    ++compared;
    EXPECT_EQ(row.at("Time (%)"), tenths(shown["share"]));
    EXPECT_EQ(text.rfind(row.at("Time (%)") + " ", 0), 0u) << text;
    EXPECT_EQ(row.at("Num Calls"), std::to_string(site["calls"].get<uint64_t>()));
    EXPECT_EQ(row.at("Num Calls"), std::to_string(shown["calls"].get<uint64_t>()));
    uint64_t total =
        site["host"]["total_ns"].get<uint64_t>() + site["host"]["first_ns"].get<uint64_t>();
    EXPECT_EQ(row.at("Total Time (ns)"), std::to_string(total));
    EXPECT_EQ(shown["host"], total);
    EXPECT_NE(text.find(timeText(double(total))), std::string::npos) << text;
    bool firstOnly = site["host"]["count"] == 0;
    for (auto [csv, field, html] :
         {std::tuple{"Avg (ns)", "mean_ns", "mean"}, std::tuple{"Med (ns)", "median_ns", "median"},
          std::tuple{"Min (ns)", "min_ns", "min"}, std::tuple{"Max (ns)", "max_ns", "max"}}) {
      double value = site["host"][firstOnly ? "first_ns" : field].get<double>();
      EXPECT_EQ(std::stod(row.at(csv)), value) << csv;
      EXPECT_EQ(shown[html].get<double>(), value) << html;
      EXPECT_NE(text.find(report::compactTime(value)), std::string::npos) << csv << text;
    }
  }
  EXPECT_EQ(compared, 7u);
}

TEST(OneDefinition, KernelsAndTransfers) {
  profile::Profile p = mixedProfile();
  json page = pageOf(p);
  for (auto [table, at] : {std::pair{"kernels", 3}, std::pair{"transfers", 5}}) {
    SCOPED_TRACE(table);
    Rows rows = csvOf(p, table);
    ASSERT_EQ(rows.size(), 1u);
    const json &shown = page["sites"][at]["device"]["rows"][0];
    std::string text = textRow(p, at == 3 ? report::kernelTable : report::transferTable,
                               cli::placeText(&p.sites[at]));
    EXPECT_EQ(rows[0].at("Time (%)"), "100.0") << "of its table";
    EXPECT_EQ(tenths(shown["share"]), "100.0");
    EXPECT_EQ(text.rfind("100.0 ", 0), 0u) << text;
    EXPECT_EQ(rows[0].at("Total Time (ns)"), std::to_string(shown["total_ns"].get<uint64_t>()));
    EXPECT_NE(text.find("~" + timeText(shown["total_ns"].get<double>())), std::string::npos)
        << text;
    EXPECT_EQ(rows[0].at(at == 3 ? "Instances" : "Count"), "399");
    EXPECT_EQ(shown["operations"], 399);
    EXPECT_EQ(rows[0].at("ci_ns"), "1000000");
  }
}

TEST(OneDefinition, TheSharesOfATableAddUpTo100) {
  for (const char *table : {"api", "sites"}) {
    unsigned sum = 0;
    for (const auto &row : csvOf(mixedProfile(), table))
      sum += unsigned(std::lround(10 * std::stod(row.at("Time (%)"))));
    EXPECT_EQ(sum, 1000u) << table;
  }
}

/// As nsys names it.
TEST(OneDefinition, ALaunchIsACallOfCudaLaunchKernel) {
  bool found = false;
  for (const auto &row : csvOf(mixedProfile(), "cuda_api_sum")) {
    EXPECT_NE(row.at("Name"), "saxpy<float>");
    found |= row.at("Name") == "cudaLaunchKernel" && row.at("Num Calls") == "400";
  }
  EXPECT_TRUE(found);
}

TEST(OneDefinition, AFunctionIsNamedAsNsysNamesIt) {
  for (auto [callee, function] :
       {std::pair{"saxpy<float>", "cudaLaunchKernel"}, std::pair{"cull<4>", "cudaLaunchKernel"},
        std::pair{"cudaStep", "cudaLaunchKernel"},
        std::pair{"cudaLaunchKernel", "cudaLaunchKernel"},
        std::pair{"cudaLaunchKernelEx", "cudaLaunchKernelExC"},
        std::pair{"cuLaunchKernel", "cuLaunchKernel"}})
    EXPECT_EQ(profile::functionName(callee, true), function) << callee;
  EXPECT_EQ(profile::functionName("cudaMemcpy", false), "cudaMemcpy");
}

} // namespace gpuinstr::test
