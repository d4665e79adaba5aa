// The text report's limits: lines, columns, sums of shares, hostile names, colours.
// SPDX-License-Identifier: Apache-2.0
#include "ReportLines.h"
#include "Samples.h"
#include "base/text/CodeName.h"
#include "base/text/Printable.h"
#include "process/output/ReportLook.h"
#include "report/Sections.h"
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <regex>
#include <set>
#include <unistd.h>

namespace gpuinstr::report {

using profile::Finding;
using profile::Profile;
using profile::Site;
using test::expectFits;
using test::linesOf;
using test::lineWith;
using test::makeFinding;
using test::makeSite;
using test::timed;
using test::trainProfile;

static unsigned tenthsIn(const std::string &line) {
  unsigned sum = 0;
  std::regex number("([0-9]+)\\.([0-9])(?![0-9])");
  for (std::sregex_iterator it(line.begin(), line.end(), number), end; it != end; ++it)
    sum += static_cast<unsigned>(std::stoul((*it)[1]) * 10 + std::stoul((*it)[2]));
  return sum;
}

TEST(TextReportLimits, ShortenedPlacesOfDifferentFilesStayDifferent) {
  Profile p;
  p.sites.push_back(makeSite("0000000000000001", "sync", "f", "kernel_gpu_wrapper.cu", 181, "g"));
  p.sites.push_back(makeSite("0000000000000002", "sync", "f", "kernel_gpu_wrapper_2.cu", 181, "g"));
  p.sites.push_back(makeSite("0000000000000003", "sync", "f", "main.cu", 181, "g"));
  const ReportStyle style;
  const View view(p, style);
  const std::string first = view.place(&p.sites[0]), second = view.place(&p.sites[1]);
  EXPECT_EQ(view.shortened(first, 17), "kernel...r.cu:181");
  EXPECT_EQ(view.shortened(second, 17), "kernel...2.cu:181");
  EXPECT_EQ(view.shortened(first, 40), first);
  EXPECT_EQ(view.shortened(view.place(&p.sites[2]), 9), "mai...181"); // nothing like it
  for (std::size_t columns = 0; columns < 30; ++columns) {
    EXPECT_LE(view.shortened(second, columns).size(), columns);
    EXPECT_EQ(view.shortened("Solver::step(int):181", columns),
              shortenName("Solver::step(int):181", columns)); // no place
  }
}

TEST(TextReportLimits, HostSharesSumTo100) {
  Profile p;
  p.cuda_used = true;
  p.process.wall_ns = 100000000;
  for (const char *kind : {"sync", "copy", "set", "alloc", "launch", "library", "query", "free"})
    p.sites.push_back(timed(
        makeSite("00000000000000b" + std::to_string(p.sites.size()), kind, "f", "a.cu", 1, "g"), 3,
        1000000 + 77777 * p.sites.size(), 10));
  p.process.first_site = p.sites[0].id;
  std::string line = lineWith(render(p, {}), "HOST");
  EXPECT_EQ(tenthsIn(line), 1000u) << line;
  EXPECT_NE(line.find(" | your code "), std::string::npos);
  EXPECT_LE(line.size(), 100u);
  // Threads side by side: more time in calls than the clock saw.
  p.process.wall_ns = 10000000;
  line = lineWith(render(p, {}), "HOST");
  EXPECT_EQ(line.rfind("HOST     (30.5 ms in calls of all threads)  ", 0), 0u) << line;
  EXPECT_EQ(tenthsIn(line.substr(line.find(')'))), 1000u) << line;
  EXPECT_EQ(line.find("your code"), std::string::npos);
  EXPECT_LE(line.size(), 100u);
}

TEST(TextReportLimits, CallSharesSumTo100) {
  Profile p = trainProfile();
  ReportStyle all;
  all.verbose = true;
  unsigned sum = 0, rows = 0;
  for (const std::string &line : linesOf(render(p, all)))
    if (std::regex_search(line, std::regex("^ +[0-9]+\\.[0-9]  +[0-9]"))) {
      sum += tenthsIn(line.substr(0, 9));
      ++rows;
    }
  EXPECT_EQ(rows, 7u);
  EXPECT_EQ(sum, 1000u);
}

/// Many findings and sites.
static Profile manyProfile(int count) {
  Profile p = trainProfile();
  for (int i = 0; i < count; ++i) {
    char id[17];
    std::snprintf(id, sizeof(id), "%016x", 0xb0000 + i);
    p.sites.push_back(timed(makeSite(id, "copy", "cudaMemcpy", "/src/f" + std::to_string(i) + ".cu",
                                     static_cast<uint32_t>(i), "f" + std::to_string(i)),
                            10, 1000, 1000));
    for (const char *grade : {"proven", "likely"}) {
      p.findings.push_back(makeFinding("leak", grade, id, "v" + std::to_string(i),
                                       100 + static_cast<uint64_t>(i), 1));
      p.findings.back().caller = "00000000000000c1";
    }
    p.coverage.images.push_back({"/usr/lib/lib" + std::to_string(i) + ".so", i % 2 == 0, 1, 1});
    p.coverage.notes.push_back("note " + std::to_string(i));
    p.coverage.addresses_taken.push_back("cuFunction" + std::to_string(i));
    p.coverage.vendor.push_back("cuLib" + std::to_string(i));
    p.peak_holders.push_back({id, "", "v" + std::to_string(i), profile::Resource::Device, 1000, 1});
    p.suppressions.push_back({"leak:unused" + std::to_string(i), "s:1", 0, 0});
  }
  return p;
}

TEST(TextReportLimits, LimitOfLinesHolds) {
  for (int count : {0, 1, 2, 3, 5, 8, 13, 16, 100, 1000}) {
    Profile p = manyProfile(count);
    std::string text = render(p, {});
    expectFits(text, static_cast<std::size_t>(std::max(40, count + 24)));
    EXPECT_NE(text.find("BUGS [proven]\n leak "), std::string::npos);
    EXPECT_EQ(text.find("API ") != std::string::npos, count < 5) << text;
    EXPECT_EQ(lineWith(text, "LIKELY").rfind("LIKELY " + std::to_string(count), 0), 0u) << text;
  }
}

TEST(TextReportLimits, VerboseShowsEverything) {
  ReportStyle all;
  all.verbose = true;
  std::string text = render(manyProfile(100), all);
  expectFits(text, SIZE_MAX);
  for (const char *part :
       {" v99 ", "lib99.so", "note 99", "cuFunction99", "cuLib99", "leak:unused99", "f99.cu:99"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  EXPECT_EQ(text.find(" more"), std::string::npos);
}

TEST(TextReportLimits, TopLimitsEachTable) {
  ReportStyle style;
  style.top = 3;
  std::string text = render(manyProfile(100), style);
  unsigned leaks = 0, calls = 0;
  for (const std::string &line : linesOf(text)) {
    leaks += line.rfind(" leak ", 0) == 0;
    calls += std::regex_search(line, std::regex("^ +[0-9]+\\.[0-9]  +[0-9]"));
  }
  EXPECT_EQ(leaks, 102u + 3u) << "proven ones are never left out\n" << text;
  EXPECT_EQ(calls, 3u) << text;
  EXPECT_NE(text.find(" ... 97 more (verbose=1)\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" ... 104 more (verbose=1)\n"), std::string::npos) << text;
  style.top = 60;
  EXPECT_GT(linesOf(render(manyProfile(100), style)).size(), 150u);
}

/// Lines of findings below BUGS and WASTE.
static unsigned provenLines(const std::string &text) {
  unsigned named = 0;
  bool inside = false;
  for (const std::string &line : linesOf(text)) {
    inside = line.rfind("BUGS", 0) == 0 || line.rfind("WASTE", 0) == 0 ||
             (inside && line.rfind(" ", 0) == 0);
    named += inside && line.size() > 2 && line[0] == ' ' && line[1] != ' ' && line[1] != '.';
  }
  return named;
}

static unsigned provenIn(const Profile &p) {
  unsigned proven = 0;
  for (const Finding &finding : p.findings)
    proven += finding.grade == profile::Grade::Proven && !finding.suppressed &&
              finding.pattern != profile::Pattern::HeldAtExit;
  return proven;
}

TEST(TextReportLimits, EachProvenFindingHasItsLine) {
  ReportStyle small;
  small.maxLines = 24;
  EXPECT_EQ(provenLines(render(manyProfile(3), small)), provenIn(manyProfile(3)));
  for (int count : {37, 40, 300}) {
    std::string text = render(manyProfile(count), {});
    EXPECT_EQ(provenLines(text), provenIn(manyProfile(count))) << text;
    EXPECT_EQ(text.find("API "), std::string::npos) << "tables go first\n" << text;
    EXPECT_NE(text.find("\nLIKELY " + std::to_string(count) + "  not counted"), std::string::npos)
        << text;
    if (text.find("had a hand in it\n ") == std::string::npos)
      EXPECT_NE(text.find("had a hand in it (verbose=1)\n"), std::string::npos)
          << "none has room, and they are somewhere\n"
          << text;
    EXPECT_NE(text.find("\nSUMMARY: "), std::string::npos) << text;
  }
}

TEST(TextReportLimits, TablesShareWhatFindingsLeave) {
  std::string few = render(manyProfile(1), {}), more = render(manyProfile(6), {});
  auto rows = [](const std::string &text) {
    unsigned count = 0;
    for (const std::string &line : linesOf(text))
      count += std::regex_search(line, std::regex("^ +[0-9]+\\.[0-9]  +[0-9]"));
    return count;
  };
  expectFits(few);
  expectFits(more);
  EXPECT_GT(rows(few), rows(more)) << few << more;
}

/// A sentence is wrapped; only names lose their middle.
TEST(TextReportLimits, SentencesAreNeverCut) {
  Profile p = trainProfile();
  p.findings.push_back(makeFinding("dead-copy", "proven", p.sites[0].id, "d_grad", 2048, 1));
  Finding &finding = p.findings.back();
  finding.message = "2.05 kB written to an_array_with_a_long_name, and never read before "
                    "a_file_with_a_long_name.cu:102 overwrote or freed it";
  finding.fix = "drop the first write, or read what it wrote before the second one";
  p.coverage.notes = {
      "a note that is much too long for one line of the report, as it says what was "
      "not seen, and why, and what there is to do about it"};
  std::string text = render(p, {}), words;
  for (const std::string &line : linesOf(text)) {
    EXPECT_LE(displayWidth(line), 100u) << line;
    words += line.substr(std::min(line.find_first_not_of(' '), line.size())) + " ";
  }
  for (const std::string &sentence : {finding.message, "fix: " + finding.fix, p.coverage.notes[0]})
    EXPECT_NE(words.find(sentence), std::string::npos) << sentence << '\n' << text;
}

TEST(TextReportLimits, NamesOfATransferGiveWay) {
  Profile p = trainProfile();
  p.findings.push_back(makeFinding("noop-copy", "proven", p.sites[0].id, "", 1000000, 399));
  Finding &finding = p.findings.back();
  finding.variable = "conductivity_of_the_plate.get()";
  finding.source = "hostConductivityOfThePlate.data()";
  finding.direction = profile::TransferDirection::HostToDevice;
  finding.cost_ns = 152000000;
  std::string line = lineWith(render(p, {}), " noop-copy");
  EXPECT_LE(displayWidth(line), 100u);
  EXPECT_NE(line.find(" <- "), std::string::npos) << line;
  EXPECT_NE(line.find(" H2D  "), std::string::npos) << line;
  EXPECT_NE(line.find("  <=152 ms"), std::string::npos) << line;
  finding.variable = "(conductivity_of_the_plate).get()";
  EXPECT_EQ(lineWith(render(p, {}), " noop-copy"), line) << "as nvcc spells it";
  finding.variable = "this->conductivity_of_the_plate.get()";
  EXPECT_EQ(lineWith(render(p, {}), " noop-copy"), line) << "a member";
}

TEST(TextReportLimits, NumbersAreWholeAndLongNamesDiffer) {
  Profile p = trainProfile();
  p.sites[0].function = "physics::solvers::TemperatureSolver::advanceByOneStepOnTheDevice";
  p.sites[0].callee = "thrust::device_vector<double>::device_vector";
  const char *ends[] = {"MU_INDEX]", "EPSILON_INDEX]", "SIGMA_INDEX]", "SIGMA_STAR_INDEX]"};
  for (unsigned i = 0; i < 4; ++i) {
    p.findings.push_back(makeFinding("alloc-churn", "advice", p.sites[0].id, "", 2510000, 314098));
    p.findings.back().variable = std::string("data->constantsOfTheMaterial[") + ends[i];
  }
  ReportStyle style;
  style.verbose = true;
  std::string text = render(p, style);
  std::set<std::string> rows;
  std::size_t at = 0;
  while ((at = text.find(" alloc-churn", at)) != std::string::npos) {
    std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_LE(displayWidth(line), 100u);
    EXPECT_NE(line.find("2.51 MB x314098"), std::string::npos) << line;
    EXPECT_TRUE(rows.insert(line).second) << line;
    ++at;
  }
  EXPECT_GE(rows.size(), 4u);
}

TEST(TextReportLimits, OperatorsKeepTheirClass) {
  Profile p = trainProfile();
  p.sites[0].function = "physics::particles::heating::Spot::operator()";
  p.findings.push_back(makeFinding("leak", "proven", p.sites[0].id, "", 96, 2));
  p.findings.back().variable = "bounds";
  const std::string text = render(p, {});
  EXPECT_NE(text.find("  Spot::operator()\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("physics::"), std::string::npos) << text;
}

TEST(TextReportLimits, VeryLongNames) {
  Profile p = trainProfile();
  std::string longName;
  for (int i = 0; i < 2000; ++i)
    longName += "std::vector<Type" + std::to_string(i) + ">, ";
  p.process.args[0] = "/" + longName;
  p.devices[0].name = longName;
  for (Site &site : p.sites) {
    site.function = site.callee = longName;
    site.file = "/src/" + longName + ".cu";
  }
  for (Finding &finding : p.findings)
    finding.variable = finding.type = finding.message = finding.fix = longName;
  for (profile::Holder &holder : p.peak_holders)
    holder.variable = longName;
  for (profile::Image &image : p.coverage.images)
    image.path += longName;
  p.coverage.notes = p.coverage.vendor = p.coverage.addresses_taken = {longName};
  p.suppressions = {{longName, longName, 0, 0}};
  p.process.rank = 1;
  ReportStyle style;
  style.jsonPath = style.jsonPattern = style.reportPattern = longName;
  expectFits(render(p, style));
  style.verbose = true;
  expectFits(render(p, style), SIZE_MAX);
  // The end of a long name is what tells functions apart: the middle goes.
  EXPECT_NE(render(p, {}).find("..."), std::string::npos);
}

TEST(TextReportLimits, HostileNames) {
  const std::string bad =
      "\x1b]0;pwned\x07\x1b[2J\nSUMMARY: gpuinstr: clean\r\xff\xc2\x9b\xe2\x80\xae";
  Profile p = trainProfile();
  p.process.exe = p.process.args[0] = bad;
  p.process.ended = bad;
  p.devices[0].name = bad;
  auto badMemory = profile::Named<profile::Resource>::fromText(bad);
  for (Site &site : p.sites) {
    site.function = site.callee = site.file = bad;
    site.kind = profile::Named<profile::SiteKind>::fromText(bad);
  }
  for (Finding &f : p.findings) {
    f.variable = f.type = f.message = f.fix = f.error = bad;
    f.memory = badMemory;
    f.related = f.site;
  }
  p.findings.push_back(makeFinding(bad, "proven", bad, bad, 1, 1));
  p.findings.push_back(makeFinding("out-of-memory", "information", "00000000000000a1", bad, 1, 1));
  p.findings.back().message = bad;
  p.findings.back().holders = {{"", "", bad, badMemory, 1, 1}};
  p.peak_holders[0].variable = bad;
  p.coverage.images[0].path = p.coverage.images[2].path = bad;
  p.coverage.vendor = p.coverage.notes = p.coverage.addresses_taken = {bad};
  p.suppressions = {{bad, bad, 0, 0}, {bad, bad, 0, 1}};
  p.process.rank = 0;
  ReportStyle style;
  style.jsonPattern = style.jsonPath = style.reportPattern = bad;
  for (bool verbose : {false, true}) {
    style.verbose = verbose;
    std::string text = render(p, style);
    expectFits(text, verbose ? SIZE_MAX : 40);
    unsigned summaries = 0;
    for (const std::string &line : linesOf(text))
      summaries += line.rfind("SUMMARY:", 0) == 0;
    EXPECT_EQ(summaries, 1u);
  }
}

TEST(TextReportLimits, FilesOfOneNameShowTheirFolder) {
  Profile p = trainProfile();
  p.sites[0].file = "/src/a/main.cu";
  p.sites[1].file = "/src/b/main.cu";
  std::string text = render(p, {});
  EXPECT_NE(text.find("a/main.cu:88"), std::string::npos);
  EXPECT_NE(text.find("via b/main.cu:31"), std::string::npos);
}

TEST(TextReportLimits, UnknownSitesAndCallers) {
  Profile p = trainProfile();
  p.findings = {makeFinding("leak", "proven", "nowhere", "", 4, 1),
                makeFinding("double-free", "proven", "", "", 0, 1)};
  p.findings[0].caller = p.findings[0].related = "gone";
  p.peak_holders = {{"gone", "gone", "", {}, 5, 1}};
  expectFits(render(p, {}));
  EXPECT_NE(render(p, {}).find(" leak           4 B x1      (no variable)    ?"), std::string::npos)
      << render(p, {});
}

TEST(TextReportLimits, ColorsOnlyWhenAsked) {
  ReportStyle style;
  EXPECT_EQ(render(trainProfile(), style).find('\033'), std::string::npos);
  style.color = true;
  std::string colored = render(trainProfile(), style);
  EXPECT_NE(colored.find("\033[1;31mBUGS [proven]\033[0m\n"), std::string::npos);
  EXPECT_NE(colored.find("\033[1mSUMMARY\033[0m: gpuinstr: 2 leaks"), std::string::npos);
  // Colours change nothing else.
  EXPECT_EQ(std::regex_replace(colored, std::regex("\033\\[[0-9;]*m"), ""),
            render(trainProfile(), ReportStyle()));
}

TEST(TextReportLimits, ColorsOfANarrowHeader) {
  // A header cut to the width ends with a blank, which goes: fewer bytes are coloured then.
  ReportStyle plain, colored;
  plain.columns = colored.columns = 60;
  colored.color = true;
  Profile p = trainProfile();
  for (std::size_t length = 1; length <= 30; ++length) {
    p.devices[0].name.assign(length, 'H');
    EXPECT_EQ(std::regex_replace(render(p, colored), std::regex("\033\\[[0-9;]*m"), ""),
              render(p, plain));
  }
}

TEST(TextReportLimits, WidthsThatFit) {
  EXPECT_EQ(fitWidths({3, 4}, 20), (std::vector<std::size_t>{3, 4}));
  EXPECT_EQ(fitWidths({3, 400000}, 20), (std::vector<std::size_t>{3, 15}));
  EXPECT_EQ(fitWidths({100, 100}, 20), (std::vector<std::size_t>{9, 9}));
  EXPECT_EQ(fitWidths({}, 20), std::vector<std::size_t>());
  EXPECT_EQ(fitWidths({5, 5}, 0), (std::vector<std::size_t>{1, 1})); // as narrow as it gets
}

TEST(TextReportLimits, ThousandSitesAreQuick) {
  Profile p = manyProfile(1000);
  ReportStyle all;
  all.verbose = true;
  std::clock_t start = std::clock(); // the processor's time: the machine may be busy
  std::string text = render(p, all);
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
  EXPECT_GT(linesOf(text).size(), 5000u);
}

TEST(Style, ColorModes) {
  options::Options o;
  int null = ::open("/dev/null", O_WRONLY);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_FALSE(detectStyle(null, o).color); // no terminal
  o.color = options::ColorMode::Always;
  EXPECT_TRUE(detectStyle(null, o).color);
  ::close(null);

  int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0)
    GTEST_SKIP() << "no pseudo-terminal here";
  o.color = options::ColorMode::Auto;
  EXPECT_TRUE(detectStyle(terminal, o).color);
  ::setenv("NO_COLOR", "", 1); // empty: as if it were not set
  EXPECT_TRUE(detectStyle(terminal, o).color);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(detectStyle(terminal, o).color);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(detectStyle(terminal, o).color);
  o.color = options::ColorMode::Never;
  ::setenv("TERM", "xterm", 1);
  EXPECT_FALSE(detectStyle(terminal, o).color);
  ::close(terminal);
}

TEST(Style, TakesTheOptions) {
  options::Options o;
  EXPECT_EQ(detectStyle(2, o).reportPattern, "");
  o.report = "off";
  EXPECT_EQ(detectStyle(2, o).reportPattern, "");
  o.report = "r.%r.txt";
  o.json = "p.json";
  o.verbose = true;
  o.report_top = 9;
  ReportStyle style = detectStyle(2, o);
  EXPECT_EQ(style.reportPattern, "r.%r.txt");
  EXPECT_EQ(style.jsonPattern, "p.json");
  EXPECT_TRUE(style.verbose);
  EXPECT_EQ(style.top, 9u);
}

} // namespace gpuinstr::report
