// GPUINSTR_OPTIONS: syntax, layers, every kind of error.
// SPDX-License-Identifier: Apache-2.0
#include "options/Options.h"
#include "options/FailOn.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gpuinstr::options {

using Strings = std::vector<std::string>;

static OptionSet parsed(std::string_view text) {
  OptionSet set;
  set.apply(text, Layer::Environment, "GPUINSTR_OPTIONS");
  return set;
}

static Strings problemsOf(std::string_view text) { return parsed(text).problems(); }

TEST(Options, TableDefaults) {
  Options o;
  EXPECT_TRUE(o.enabled);
  EXPECT_EQ(o.report, "stderr");
  EXPECT_EQ(o.json, "");
  EXPECT_TRUE(o.fail_on.empty());
  EXPECT_EQ(o.exitcode, 23u);
  EXPECT_EQ(o.suppressions, "");
  EXPECT_EQ(o.only, "");
  EXPECT_FALSE(o.verbose);
  EXPECT_EQ(o.report_top, 0u);
  EXPECT_EQ(o.color, ColorMode::Auto);
  EXPECT_FALSE(o.help);
  EXPECT_EQ(o.audit, AuditMode::Sampled);
  EXPECT_EQ(o.budget, 2u);
  EXPECT_EQ(o.device_memory, uint64_t(64) << 20);
}

TEST(Options, AuditAndItsBounds) {
  EXPECT_EQ(parsed("audit=off").values().audit, AuditMode::Off);
  EXPECT_EQ(parsed("audit=sampled").values().audit, AuditMode::Sampled);
  EXPECT_EQ(parsed("audit=full:budget=5").values().audit, AuditMode::Full);
  EXPECT_EQ(problemsOf("audit=all"),
            (Strings{"GPUINSTR_OPTIONS: audit=all: expected off, sampled or full; using sampled"}));
  EXPECT_EQ(parsed("device_memory=4096").values().device_memory, 4096u);
  EXPECT_EQ(parsed("device_memory=3K").values().device_memory, 3072u);
  EXPECT_EQ(parsed("device_memory=2G").values().device_memory, uint64_t(2) << 30);
  for (const char *bad : {"device_memory=", "device_memory=K", "device_memory=-1",
                          "device_memory=64m", "device_memory=999999999999T"})
    EXPECT_EQ(parsed(bad).values().device_memory, uint64_t(64) << 20) << bad;
  EXPECT_EQ(parsed("telemetry=off").values().telemetry, SwitchMode::Off);
  EXPECT_EQ(parsed("").values().telemetry, SwitchMode::On);
  EXPECT_EQ(problemsOf("telemetry=1"),
            (Strings{"GPUINSTR_OPTIONS: telemetry=1: expected off or on; using on"}));
  EXPECT_EQ(problemsOf("device_memory=x"),
            (Strings{"GPUINSTR_OPTIONS: device_memory=x: expected bytes, such as 64M; using 64M"}));
}

TEST(Options, EveryOptionIsRead) {
  OptionSet set = parsed("enabled=0:report=out.txt:json=a.json:fail_on=leak,bugs:exitcode=7 "
                         "suppressions=s.txt only=*solve* verbose=1 report_top=12 color=always "
                         "help=1");
  const Options &o = set.values();
  EXPECT_EQ(set.problems(), Strings());
  EXPECT_FALSE(o.enabled);
  EXPECT_EQ(o.report, "out.txt");
  EXPECT_EQ(o.json, "a.json");
  EXPECT_EQ(o.fail_on, (Strings{"leak", "bugs"}));
  EXPECT_EQ(o.exitcode, 7u);
  EXPECT_EQ(o.suppressions, "s.txt");
  EXPECT_EQ(o.only, "*solve*");
  EXPECT_TRUE(o.verbose);
  EXPECT_EQ(o.report_top, 12u);
  EXPECT_EQ(o.color, ColorMode::Always);
  EXPECT_TRUE(o.help);
}

TEST(Options, SeparatorsAndEmptyItems) {
  OptionSet set = parsed("::  verbose=1 :\t:exitcode=4\n:");
  EXPECT_EQ(set.problems(), Strings());
  EXPECT_TRUE(set.values().verbose);
  EXPECT_EQ(set.values().exitcode, 4u);
  EXPECT_EQ(problemsOf(""), Strings());
}

TEST(Options, CommasBetweenOptionsAreAnError) {
  OptionSet set = parsed("json=a.json,verbose=1:report=off");
  EXPECT_EQ(set.problems(), Strings{"GPUINSTR_OPTIONS: 'json=a.json,verbose=1': options are "
                                    "separated by ':', not by ','; ignored"});
  EXPECT_EQ(set.values().json, "");
  EXPECT_FALSE(set.values().verbose);
  EXPECT_EQ(set.values().report, "off");
  for (const char *fine :
       {"fail_on=leak,double-free", "json=a,b.json", "json='a,verbose=1'", "json=a,b=c.json"})
    EXPECT_EQ(problemsOf(fine), Strings{}) << fine;
}

TEST(Options, QuotesKeepSeparators) {
  EXPECT_EQ(parsed("json='/a/b:c d.json':verbose").values().json, "/a/b:c d.json");
  EXPECT_EQ(parsed("json=/a/'b:c'/d.json").values().json, "/a/b:c/d.json");
  EXPECT_EQ(parsed("'json=a b'").problems().size(), 1u); // the key itself is quoted
  EXPECT_EQ(parsed("json=a=b").values().json, "a=b");
  EXPECT_TRUE(parsed("json='/a/b:c d.json':verbose").values().verbose);
}

TEST(Options, BareFlagMeansOne) {
  EXPECT_TRUE(parsed("verbose").values().verbose);
  EXPECT_TRUE(parsed("help").values().help);
  EXPECT_EQ(problemsOf("verbose help"), Strings());
}

TEST(Options, EmptyValueTakesAPathBack) {
  OptionSet set;
  set.apply("json=built-in.json:fail_on=leak", Layer::BuiltIn, "built-in defaults");
  set.apply("json=:fail_on=", Layer::Environment, "GPUINSTR_OPTIONS");
  EXPECT_EQ(set.problems(), Strings());
  EXPECT_EQ(set.values().json, "");
  EXPECT_TRUE(set.values().fail_on.empty());
}

TEST(Options, ErrorsAreOneLineEachAndKeepTheDefault) {
  struct Case {
    const char *text, *problem;
  };
  const Case cases[] = {
      {"verbose=maybe", "verbose=maybe: expected 0 or 1; using 0"},
      {"enabled=", "enabled=: expected 0 or 1; using 1"},
      {"enabled=2", "enabled=2: expected 0 or 1; using 1"},
      {"exitcode=0", "exitcode=0: expected a number from 1 to 255; using 23"},
      {"exitcode=256", "exitcode=256: expected a number from 1 to 255; using 23"},
      {"exitcode=-1", "exitcode=-1: expected a number from 1 to 255; using 23"},
      {"exitcode=0x10", "exitcode=0x10: expected a number from 1 to 255; using 23"},
      {"exitcode=99999999999999999999",
       "exitcode=99999999999999999999: expected a number from 1 to 255; using 23"},
      {"exitcode=", "exitcode=: expected a number from 1 to 255; using 23"},
      {"exitcode", "exitcode needs a value, exitcode=1..255"},
      {"json", "json needs a value, json=PATH"},
      {"report=", "report=: expected stderr, off or a path; using stderr"},
      {"color=pink", "color=pink: expected auto, always or never; using auto"},
      {"fail_on=leek",
       "fail_on=leek: 'leek' is no finding; expected finding ids, bugs, waste or proven; using "
       "none"},
      {"fail_on=leak,held-at-exit", "fail_on=leak,held-at-exit: 'held-at-exit' is information and "
                                    "never fails a run; using none"},
      {"fail_on='held-at-exit:likely'", "fail_on=held-at-exit:likely: 'held-at-exit:likely' is "
                                        "information and never fails a run; using none"},
      {"jsn=a", "unknown option 'jsn'; help=1 lists all"},
      {"=a", "unknown option ''; help=1 lists all"},
      {"c",
       "unknown option 'c' (a value with ':' or a blank needs single quotes); help=1 lists all"},
      {"json='abc", "a single quote is not closed after 'json=abc'; ignored"},
      {"VERBOSE=1", "unknown option 'VERBOSE'; help=1 lists all"},
  };
  for (const Case &c : cases) {
    OptionSet set = parsed(c.text);
    EXPECT_EQ(set.problems(), Strings{std::string("GPUINSTR_OPTIONS: ") + c.problem}) << c.text;
    EXPECT_TRUE(set.values().enabled);
    EXPECT_EQ(set.values().exitcode, 23u);
    EXPECT_EQ(set.values().report, "stderr");
    EXPECT_EQ(set.values().json, "");
    EXPECT_TRUE(set.values().fail_on.empty());
  }
}

TEST(Options, OneBadItemLeavesTheOthers) {
  OptionSet set = parsed("verbose=x:exitcode=9:nonsense:json=a.json");
  EXPECT_EQ(set.problems().size(), 2u);
  EXPECT_EQ(set.values().exitcode, 9u);
  EXPECT_EQ(set.values().json, "a.json");
}

TEST(Options, HostileTextIsPrintable) {
  std::string text = "\x1b[31m=\xff\n:exitcode=\x1b[0m" + std::string(100000, 'A');
  for (const std::string &problem : problemsOf(text)) {
    EXPECT_LT(problem.size(), 250u);
    for (char c : problem)
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F);
  }
  EXPECT_EQ(problemsOf(text).size(), 2u);
}

TEST(Options, RepeatedProblemIsKeptOnce) {
  OptionSet set;
  for (int i = 0; i < 1000; ++i)
    set.apply("nonsense=1", Layer::BuiltIn, "built-in defaults");
  EXPECT_EQ(set.problems().size(), 1u);
}

TEST(Options, StrongerLayerWinsInAnyOrder) {
  OptionSet set;
  EXPECT_TRUE(set.apply("exitcode=5:verbose", Layer::Environment, "GPUINSTR_OPTIONS"));
  EXPECT_TRUE(set.apply("exitcode=6:json=b.json", Layer::BuiltIn, "built-in defaults"));
  EXPECT_EQ(set.values().exitcode, 5u);
  EXPECT_EQ(set.values().json, "b.json");
  EXPECT_TRUE(set.apply("exitcode=7", Layer::Api, "options"));
  EXPECT_FALSE(set.apply("exitcode=8", Layer::Environment, "GPUINSTR_OPTIONS"));
  EXPECT_EQ(set.values().exitcode, 7u);
  EXPECT_EQ(set.problems(), Strings());
}

TEST(Options, BadValueOfAStrongLayerLeavesTheWeakOne) {
  OptionSet set;
  set.apply("exitcode=6", Layer::BuiltIn, "built-in defaults");
  set.apply("exitcode=many", Layer::Environment, "GPUINSTR_OPTIONS");
  EXPECT_EQ(set.values().exitcode, 6u);
  EXPECT_EQ(set.problems(),
            Strings{"GPUINSTR_OPTIONS: exitcode=many: expected a number from 1 to 255; using 6"});
}

TEST(Options, HelpNamesEveryOptionIn100Columns) {
  std::string help = helpText();
  for (const OptionRow &row : optionRows())
    EXPECT_NE(help.find("  " + row.name + "=" + row.values), std::string::npos) << row.name;
  for (std::size_t at = 0; at < help.size();) {
    std::size_t end = help.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - at, 100u) << help.substr(at, end - at);
    at = end + 1;
  }
}

/// The process-wide state is read once: each case in a process of its own.
static void inChild(const char *environment, int (*body)()) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        if (environment)
          ::setenv("GPUINSTR_OPTIONS", environment, 1);
        else
          ::unsetenv("GPUINSTR_OPTIONS");
        ::_exit(body());
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessOptions, EnvironmentBuiltInAndApi) {
  inChild("exitcode=5:oops", [] {
    const Options &before = options();
    if (before.exitcode != 5 || optionProblems().size() != 1)
      return 1;
    addBuiltInDefaults("exitcode=6:json=x.json");
    addBuiltInDefaults(nullptr);
    addBuiltInDefaults("");
    if (options().exitcode != 5 || options().json != "x.json" || before.json != "")
      return 2;
    setFromApi("exitcode=8 bad");
    if (options().exitcode != 8 || optionProblems() != Strings{"options: unknown option 'bad' (a "
                                                               "value with ':' or a blank needs "
                                                               "single quotes); help=1 lists all"})
      return 3;
    return optionProblems().empty() ? 0 : 4;
  });
}

TEST(ProcessOptions, NoEnvironment) {
  inChild(nullptr, [] {
    return options().enabled && options().exitcode == 23 && optionProblems().empty() ? 0 : 1;
  });
}

static profile::Profile withFinding(const char *pattern, const char *grade,
                                    bool suppressed = false) {
  profile::Profile p;
  p.findings.emplace_back();
  p.findings[0].pattern = profile::Named<profile::Pattern>::fromText(pattern);
  p.findings[0].grade = profile::Named<profile::Grade>::fromText(grade);
  p.findings[0].suppressed = suppressed;
  return p;
}

TEST(FailOn, OnlyProvenAndNotSuppressed) {
  profile::Profile leak = withFinding("leak", "proven");
  for (const char *name : {"leak", "bugs", "proven"})
    EXPECT_TRUE(mustFail(leak, {name})) << name;
  EXPECT_TRUE(mustFail(leak, {"double-free", "leak"}));
  EXPECT_FALSE(mustFail(leak, {"waste"}));
  EXPECT_FALSE(mustFail(leak, {"double-free"}));
  EXPECT_FALSE(mustFail(leak, {}));
  EXPECT_FALSE(mustFail(withFinding("leak", "likely"), {"leak", "bugs", "proven"}));
  EXPECT_TRUE(mustFail(withFinding("leak", "likely"), {"leak:likely"}));
  EXPECT_TRUE(mustFail(leak, {"leak:likely"}));
  EXPECT_FALSE(mustFail(withFinding("noop-copy", "likely"), {"leak:likely"}));
  EXPECT_FALSE(mustFail(withFinding("noop-copy", "advice"), {"noop-copy:likely"}));
  EXPECT_FALSE(mustFail(withFinding("leak", "likely", true), {"leak:likely"}));
  EXPECT_FALSE(mustFail(withFinding("leak", "proven", true), {"leak", "bugs", "proven"}));
  EXPECT_FALSE(mustFail(withFinding("held-at-exit", "information"), {"bugs", "proven"}));
  EXPECT_FALSE(mustFail({}, {"bugs", "waste", "proven"}));
}

} // namespace gpuinstr::options
