// gpuinstr annotate, suppress and run's options.
// SPDX-License-Identifier: Apache-2.0
#include "Samples.h"
#include "export/Baseline.h"
#include "io/Failure.h"
#include "io/Files.h"
#include "launch/Compare.h"
#include "launch/RunEnvironment.h"
#include "lookup/SourceFiles.h"
#include "options/Suppressions.h"
#include "support/Temporary.h"
#include "support/TraceMaker.h"

namespace gpuinstr::test {

TEST(Annotate, FiguresStandBesideTheirLines) {
  Folder folder;
  std::string source;
  for (int line = 1; line <= 160; ++line)
    source += "line" + std::to_string(line) + "();\n";
  folder.write("deep/src/train.cu", source);
  std::string file = folder.write("a.json", trainProfile());
  std::string text = gpuinstr({"annotate", file, "--source", folder.file("deep")}).out;
  EXPECT_NE(text.find("    88 | line88();\n"), std::string::npos) << text;
  EXPECT_NE(text.find("^ leak: 4.19 MB x1 d_tmp float[1048576]"), std::string::npos) << text;
  EXPECT_NE(text.find("     400               2.32 ms   133 | line133();"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("line84()"), std::string::npos) << "not within 3 lines of a call";
  EXPECT_NE(text.find("source not found"), std::string::npos) << "tables.cu is not there";
  std::string only = gpuinstr({"annotate", file, "--source", folder.file("deep"), "--file",
                               "*train.cu", "--whole"})
                         .out;
  EXPECT_NE(only.find("line84()"), std::string::npos);
  EXPECT_EQ(only.find("tables.cu"), std::string::npos);
  EXPECT_EQ(gpuinstr({"annotate", file, "--file", "none.cu"}).code, 2);
}

TEST(Annotate, TabsAreSpacesAndCallersTellFindingsOfOneLineApart) {
  Folder folder;
  std::string source;
  for (int line = 1; line <= 160; ++line)
    source += line == 88 ? "\tif\t(x)\n" : "\n";
  folder.write("train.cu", source);
  profile::Profile p = trainProfile();
  profile::Finding leak = p.findings[0];
  p.findings = {leak, leak};
  p.findings[0].caller = p.sites[3].id, p.findings[1].caller = p.sites[5].id;
  std::string text =
      gpuinstr({"annotate", folder.write("a.json", p), "--source", folder.path()}).out;
  EXPECT_NE(text.find("    88 |     if  (x)\n"), std::string::npos) << text;
  const std::size_t first = text.find("called from train.cu:133 ");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find("called from train.cu:131 ", first), std::string::npos) << text;
}

namespace {

profile::Profile timedProfile() {
  profile::Profile p = trainProfile();
  profile::DeviceTime &kernel = p.sites[3].device, &copy = p.sites[5].device;
  kernel.method = copy.method = profile::TimeMethod::Sampled;
  kernel.samples = 64, kernel.operations = 400, kernel.total_ns = 582000000, kernel.ci_ns = 6984000;
  copy.samples = 20, copy.operations = 399, copy.total_ns = 70000000, copy.untimed = 3;
  p.sites[2].device.untimed = 3;
  return p;
}

std::string lineWith(const std::string &text, const std::string &words) {
  std::size_t at = text.find(words), begin = text.rfind('\n', at) + 1;
  return at == std::string::npos ? "" : text.substr(begin, text.find('\n', at) - begin);
}

} // namespace

TEST(Annotate, DeviceTimeStandsBesideHostTime) {
  Folder folder;
  std::string source;
  for (int line = 1; line <= 160; ++line)
    source += "line" + std::to_string(line) + ";\n";
  folder.write("train.cu", source);
  std::string file = folder.write("a.json", timedProfile());
  std::string text = gpuinstr({"annotate", file, "--source", folder.path()}).out;
  EXPECT_NE(text.find("calls      bytes  host time device time           line\n"),
            std::string::npos)
      << text;
  EXPECT_NE(lineWith(text, "line133;").find("~582 ms +-1.2 %    133 | "), std::string::npos)
      << text;
  EXPECT_NE(lineWith(text, "line131;").find(" >=~70 ms "), std::string::npos) << text;
  EXPECT_NE(lineWith(text, "line152;").find(" not timed "), std::string::npos) << text;
  EXPECT_EQ(lineWith(text, "line134;").find("~"), std::string::npos) << "a call on the host alone";
  EXPECT_NE(text.find("\n~ an estimate from the operations that were timed"), std::string::npos);
  EXPECT_NE(text.find("\n>= at least: "), std::string::npos);
}

TEST(Annotate, WithoutDeviceTimesThereIsNoColumnOfThem) {
  Folder folder;
  std::string text = gpuinstr({"annotate", folder.write("a.json", trainProfile())}).out;
  EXPECT_NE(text.find("host time  line\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("device time"), std::string::npos);
  EXPECT_EQ(text.find("an estimate"), std::string::npos);
}

TEST(Annotate, ExactTimesHaveNoMarks) {
  Folder folder;
  profile::Profile p = trainProfile();
  profile::DeviceTime &kernel = p.sites[3].device;
  kernel.method = profile::TimeMethod::Exact;
  kernel.samples = kernel.operations = 400, kernel.total_ns = 582000000;
  std::string text = gpuinstr({"annotate", folder.write("a.json", p)}).out;
  EXPECT_NE(text.find("     582 ms "), std::string::npos) << text;
  EXPECT_EQ(text.find('~'), std::string::npos) << text;
}

TEST(Annotate, ReadsOnlyBelowTheSources) {
  Folder folder;
  folder.write("secret.txt", "do-not-embed\n");
  std::string inside = folder.write("src/inside.txt", "inside\n");
  folder.write("other/secret.txt", "do-not-embed\n");
  std::filesystem::create_symlink(folder.file("other"), folder.file("src/link"));
  profile::Profile p = trainProfile();
  for (const std::string &name :
       {folder.file("secret.txt"), std::string("../secret.txt"), std::string("link/secret.txt")}) {
    for (profile::Site &site : p.sites)
      site.file = name;
    std::string file = folder.write("a.json", p);
    for (const char *command : {"annotate", "html"}) {
      std::string out = folder.file("out");
      EXPECT_EQ(gpuinstr({command, file, "--source", folder.file("src"), "-o", out}).code, 0);
      EXPECT_EQ(cli::readText(out).find("do-not-embed"), std::string::npos) << command << name;
      cli::forgetInputs();
    }
    EXPECT_EQ(cli::Sources("").find(name), "") << "not below the working folder: " << name;
    EXPECT_EQ(cli::Sources(folder.file("src")).find(name), "") << name;
  }
  EXPECT_EQ(cli::Sources(folder.file("src")).find("/somewhere/src/inside.txt"), inside);
  Result none = gpuinstr({"annotate", folder.file("a.json"), "--source", "/nonexistent"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--source /nonexistent: no such folder"), std::string::npos);
}

TEST(Outputs, NeverReplaceAnInput) {
  Folder folder;
  std::string file = folder.write("a.json", trainProfile()), before = cli::readText(file);
  std::filesystem::create_hard_link(file, folder.file("same"));
  cli::forgetInputs();
  for (const char *command : {"merge", "html", "report", "sarif", "suppress", "annotate"})
    for (const std::string &out : {file, folder.file("same")}) {
      Result result = gpuinstr({command, file, "-o", out});
      EXPECT_EQ(result.code, 2) << command;
      EXPECT_NE(result.err.find("is an input as well"), std::string::npos) << result.err;
      EXPECT_EQ(cli::readText(file), before) << command;
      cli::forgetInputs();
    }
  EXPECT_EQ(gpuinstr({"merge", file, "-o", folder.file("b.json")}).code, 0);
  EXPECT_EQ(gpuinstr({"merge", file, "-o", folder.file("b.json")}).code, 0) << "an old output";
}

TEST(Outputs, NeverReplaceATrace) {
  Folder folder;
  std::string file = folder.write("in.trace", smallTrace().end(3000).bytes);
  std::string before = cli::readText(file);
  std::filesystem::create_hard_link(file, folder.file("same"));
  for (const char *format : {"chrome", "perfetto", "sqlite", "csv", "parquet"})
    for (const std::string &out : {file, folder.file("same")}) {
      cli::forgetInputs();
      Result result = gpuinstr({"trace", file, "-o", out, "--format", format});
      EXPECT_EQ(result.code, 2) << format;
      EXPECT_NE(result.err.find("is an input as well"), std::string::npos) << result.err;
      EXPECT_EQ(cli::readText(file), before) << format;
    }
  cli::forgetInputs();
  EXPECT_EQ(gpuinstr({"trace", file, "-o", folder.file("b"), "--format", "csv"}).code, 0);
}

TEST(Inputs, WithoutAnEndAreRefused) {
  Result zero = gpuinstr({"report", "/dev/zero"});
  EXPECT_EQ(zero.code, 2);
  EXPECT_NE(zero.err.find("/dev/zero: no end within 256 MiB"), std::string::npos) << zero.err;
  Folder folder;
  for (const char *command : {"merge", "trace", "html"}) {
    Result result = gpuinstr({command, "/dev/zero", "-o", folder.file("out.csv")});
    EXPECT_EQ(result.code, 2) << command;
    EXPECT_FALSE(std::filesystem::exists(folder.file("out.csv"))) << command;
  }
  EXPECT_EQ(gpuinstr({"sites", "/dev/zero"}).code, 2);
  EXPECT_EQ(gpuinstr({"diff", "/dev/zero", "/dev/zero"}).code, 2);
}

TEST(Suppress, CoversTodayAndNotMore) {
  profile::Profile p = trainProfile();
  options::Suppressions rules;
  std::vector<std::string> problems;
  rules.parse(cli::baseline(p), "baseline", problems);
  EXPECT_TRUE(problems.empty()) << problems[0];
  p.findings[2].count = 4; // was 3
  p.findings.push_back(makeFinding("leak", "proven", "00000000000000a6", "d_new", 8, 1));
  // In a function whose leak is known.
  p.findings.push_back(makeFinding("leak", "proven", p.findings[0].site, "d_second", 8, 1));
  rules.apply(p);
  EXPECT_FALSE(p.findings[5].suppressed) << "another variable";
  EXPECT_TRUE(p.findings[0].suppressed);
  EXPECT_TRUE(p.findings[1].suppressed);
  EXPECT_FALSE(p.findings[2].suppressed) << "more of it than before";
  EXPECT_FALSE(p.findings[3].suppressed) << "information was never in the baseline";
  EXPECT_FALSE(p.findings[4].suppressed) << "a new one elsewhere";
}

TEST(Suppress, NamesThatWouldBreakALineAreNotWritten) {
  profile::Profile p = trainProfile();
  p.sites[0].function = "f<\n>";
  p.findings[0].variable = "x # y";
  options::Suppressions rules;
  std::vector<std::string> problems;
  rules.parse(cli::baseline(p), "baseline", problems);
  EXPECT_TRUE(problems.empty());
  rules.apply(p);
  EXPECT_TRUE(p.findings[0].suppressed) << "by its file";
}

TEST(Run, OptionsStandBehindThoseOfTheEnvironment) {
  cli::RunOptions options;
  EXPECT_EQ(cli::optionsText(options, ""), "");
  EXPECT_EQ(cli::optionsText(options, "verbose=1"), "verbose=1");
  options.json = "out dir/%r:a.json";
  options.failOn = "leak,double-free";
  options.top = 5;
  options.settings = {"color=never", "verbose"};
  EXPECT_THROW(cli::optionsText(options, "json='x"), cli::Failure) << "would swallow the rest";
  EXPECT_EQ(cli::optionsText(options, "json=x"),
            "json=x:json='out dir/%r:a.json':fail_on=leak,double-free:report_top=5:color=never:"
            "verbose");
}

TEST(Run, CompareTakesPairsInTurnsAndSaysTheDifference) {
  Folder folder;
  std::string log = folder.file("log");
  auto script = [&](const std::string &name, const std::string &seconds) {
    std::string path = folder.write(name, "#!/bin/sh\necho " + name + " $1 >>" + log + "\nsleep " +
                                              seconds + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  };
  std::string plain = script("plain", "0.05"), slow = script("slow", "0.2");
  Result result = gpuinstr({"run", "--compare", plain, "--pairs", "2", "--", slow, "7"});
  EXPECT_EQ(result.code, 0) << result.err;
  // The first pair warms up.
  EXPECT_EQ(cli::readText(log), "plain 7\nslow 7\nslow 7\nplain 7\nplain 7\nslow 7\n");
  EXPECT_NE(result.out.find("2 pairs"), std::string::npos) << result.out;
  EXPECT_EQ(cli::comparisonText({{1e9, 2e9, 4e9}, {1.1e9, 2.4e9, 4e9}}),
            "plain         2 s\ninstrumented  2.40 s\n"
            "difference    +10.00 % (all: +0.00 to +20.00 %; 3 pairs)\n");
  std::string noisy = cli::comparisonText(
      {std::vector<double>(7, 1e9), {.8e9, .9e9, .95e9, 1e9, 1.1e9, 1.2e9, 1.3e9}});
  EXPECT_NE(noisy.find("\ntoo noisy to tell"), std::string::npos) << noisy;
  std::string quiet =
      cli::comparisonText({std::vector<double>(7, 1e9), std::vector<double>(7, 1.05e9)});
  EXPECT_EQ(quiet.find("noisy"), std::string::npos) << quiet;
  EXPECT_EQ(gpuinstr({"run", "--compare", "/bin/false", "--", slow}).code, 2);
  EXPECT_EQ(gpuinstr({"run", "--compare", folder.file("none"), "--", slow}).code, 2);
}

TEST(Run, CompareWithoutAPlainProgramSwitchesThisOneOff) {
  Folder folder;
  std::string log = folder.file("log"), path = folder.file("app");
  auto script = [&](const std::string &ending) {
    folder.write("app", "#!/bin/sh\necho \"$1 $GPUINSTR_OPTIONS\" >>" + log + "\n" + ending + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  };
  script("exit 3");
  Result result = gpuinstr({"run", "--compare=5", "--set", "audit=off", "--", path, "7"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("5 pairs"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("exit code     3 in all runs"), std::string::npos) << result.out;
  std::string off = "7 audit=off:enabled=0\n", on = "7 audit=off\n";
  EXPECT_EQ(cli::readText(log).substr(0, 2 * (off.size() + on.size())), off + on + on + off);
  EXPECT_EQ(gpuinstr({"run", "--compare=4", "--", path, "7"}).code, 2);
  EXPECT_EQ(gpuinstr({"run", "--compare", "--pairs", "3", "--", path, "7"}).code, 2);
  // What ends otherwise when it is watched did not do the same.
  script("case \"$GPUINSTR_OPTIONS\" in *enabled=0) exit 0;; *) exit 23;; esac");
  result = gpuinstr({"run", "--compare", "--pairs", "5", "--set", "audit=off", "--", path});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("exit code 0 plain, 23 instrumented"), std::string::npos) << result.err;
}

TEST(Run, WhatTheRuntimeWouldRefuseIsRefusedHere) {
  cli::RunOptions options;
  options.json = "it's.json";
  EXPECT_THROW(cli::optionsText(options, ""), cli::Failure);
  options = {};
  options.failOn = "leek";
  EXPECT_THROW(cli::optionsText(options, ""), cli::Failure);
  options = {};
  options.settings = {"colour=never"};
  EXPECT_THROW(cli::optionsText(options, ""), cli::Failure);
}

} // namespace gpuinstr::test
