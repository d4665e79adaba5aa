// Suppression rules.
// SPDX-License-Identifier: Apache-2.0
#include "options/Suppressions.h"
#include "Samples.h"
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gpuinstr::options {

using Strings = std::vector<std::string>;

static Suppressions rules(std::string_view text, Strings *problems = nullptr) {
  Suppressions s;
  Strings found;
  s.parse(text, "sup.txt", found);
  if (problems)
    *problems = found;
  else
    EXPECT_EQ(found, Strings());
  return s;
}

TEST(Suppressions, CommentsBlanksAndOptions) {
  Suppressions s = rules("\xEF\xBB\xBF# head\n\n  leak:Trainer::*  # known\r\n"
                         "double-free : f<int, A<B> > max=3\nleak:a#b\n\tleak:x   max=0");
  ASSERT_EQ(s.rules().size(), 4u);
  EXPECT_EQ(profile::textOf(s.rules()[0].finding), "leak");
  EXPECT_EQ(s.rules()[0].pattern, "Trainer::*");
  EXPECT_EQ(s.rules()[0].text, "leak:Trainer::*");
  EXPECT_EQ(s.rules()[0].origin, "sup.txt:3");
  EXPECT_EQ(s.rules()[0].max, UINT64_MAX);
  EXPECT_EQ(profile::textOf(s.rules()[1].finding), "double-free");
  EXPECT_EQ(s.rules()[1].pattern, "f<int, A<B> >");
  EXPECT_EQ(s.rules()[1].max, 3u);
  EXPECT_EQ(s.rules()[2].pattern, "a#b");
  EXPECT_EQ(s.rules()[3].max, 0u);
  EXPECT_EQ(s.rules()[3].origin, "sup.txt:6");
}

TEST(Suppressions, MalformedLinesAreNamedAndTheOthersStand) {
  Strings problems;
  Suppressions s = rules("leak\nleek:x\nleak:\nleak:x max=\nleak:x max=-1\nleak:max=2\n"
                         "leak:x max=9999999999999999999\nleak:good\n\x1b[2J\n:\n",
                         &problems);
  ASSERT_EQ(s.rules().size(), 1u);
  EXPECT_EQ(s.rules()[0].pattern, "good");
  EXPECT_EQ(problems,
            (Strings{"sup.txt:1: expected finding-id:pattern [max=N]: 'leak'; ignored",
                     "sup.txt:2: 'leek' is no finding: 'leek:x'; ignored",
                     "sup.txt:3: the pattern is empty: 'leak:'; ignored",
                     "sup.txt:4: max= needs a number: 'leak:x max='; ignored",
                     "sup.txt:5: max= needs a number: 'leak:x max=-1'; ignored",
                     "sup.txt:6: the pattern is empty: 'leak:max=2'; ignored",
                     "sup.txt:7: max= needs a number: 'leak:x max=9999999999999999999'; ignored",
                     "sup.txt:9: expected finding-id:pattern [max=N]: '\\x1B[2J'; ignored",
                     "sup.txt:10: '' is no finding: ':'; ignored"}));
}

TEST(Suppressions, MatchesFunctionFileVariableAndCaller) {
  // Finding 0: d_tmp in Trainer::step; 1: this->scratch in Buffer<float>::Buffer, caller
  // Trainer::init; 2: ignored-error in upload; 3: held-at-exit g_table.
  struct Case {
    const char *rule;
    Strings variables;
  };
  const Case cases[] = {{"leak:Trainer::step", {"d_tmp"}},
                        {"leak:Buffer*", {"this->scratch"}},
                        {"leak:Trainer::init", {"this->scratch"}},
                        {"leak:Trainer::*", {"d_tmp", "this->scratch"}},
                        {"leak:train.cu", {"d_tmp", "this->scratch"}},
                        {"leak:/src/buffer.h", {"this->scratch"}},
                        {"leak:d_tmp", {"d_tmp"}},
                        {"leak:*", {"d_tmp", "this->scratch"}},
                        {"ignored-error:upload", {"d_w"}},
                        {"held-at-exit:g_*", {"g_table"}},
                        {"leak:upload", {}},
                        {"double-free:*", {}},
                        {"leak:trainer::step", {}}};
  for (const Case &c : cases) {
    profile::Profile p = test::trainProfile();
    rules(c.rule).apply(p);
    Strings suppressed;
    for (const profile::Finding &f : p.findings)
      if (f.suppressed) {
        suppressed.push_back(f.variable);
        EXPECT_EQ(f.suppression, c.rule);
      }
    EXPECT_EQ(suppressed, c.variables) << c.rule;
    ASSERT_EQ(p.suppressions.size(), 1u);
    EXPECT_EQ(p.suppressions[0].used, c.variables.size());
    EXPECT_EQ(unusedSuppressions(p).size(), c.variables.empty() ? 1u : 0u) << c.rule;
  }
}

TEST(Suppressions, MaxLimitsTheCount) {
  for (auto [rule, suppressed] : {std::pair("ignored-error:upload max=3", true),
                                  std::pair("ignored-error:upload max=2", false)}) {
    profile::Profile p = test::trainProfile(); // the ignored error happens three times
    rules(rule).apply(p);
    EXPECT_EQ(p.findings[2].suppressed, suppressed) << rule;
    EXPECT_EQ(p.suppressions[0].used, suppressed ? 1u : 0u);
    EXPECT_EQ(p.suppressions[0].exceeded, suppressed ? 0u : 1u);
    EXPECT_TRUE(unusedSuppressions(p).empty()); // it did match
  }
}

TEST(Suppressions, KeysOfASite) {
  for (auto [rule, variables] :
       {std::pair("leak:Trainer::step:d_tmp", Strings{"d_tmp"}),
        std::pair("leak:Trainer::step:d_other", Strings{}),
        std::pair("leak:Trainer::*:d_*", Strings{"d_tmp"}),
        std::pair("leak:Buffer<float>::Buffer:this->scratch from Trainer::init",
                  Strings{"this->scratch"}),
        std::pair("leak:Buffer<float>::Buffer:this->scratch from Trainer::step", Strings{})}) {
    profile::Profile p = test::trainProfile();
    rules(rule).apply(p);
    Strings suppressed;
    for (const profile::Finding &f : p.findings)
      if (f.suppressed)
        suppressed.push_back(f.variable);
    EXPECT_EQ(suppressed, variables) << rule;
  }
}

/// A second leak in a function whose leak is known is a new one.
TEST(Suppressions, MaxCountsOverAllFindings) {
  for (auto [rule, suppressed] :
       {std::pair("leak:Trainer::* max=2", 2u), std::pair("leak:Trainer::* max=1", 1u)}) {
    profile::Profile p = test::trainProfile(); // two leaks, one each
    rules(rule).apply(p);
    EXPECT_EQ(p.suppressions[0].used, suppressed) << rule;
    EXPECT_EQ(p.suppressions[0].exceeded, 2 - suppressed) << rule;
  }
}

TEST(Suppressions, FirstRuleWinsAndSourceCommentsStay) {
  profile::Profile p = test::trainProfile();
  p.findings[0].suppressed = true;
  p.findings[0].suppression = "gpuinstr-ignore: leak on purpose";
  rules("leak:d_tmp\nleak:*\nleak:this*").apply(p);
  EXPECT_EQ(p.findings[0].suppression, "gpuinstr-ignore: leak on purpose");
  EXPECT_EQ(p.findings[1].suppression, "leak:*");
  std::vector<profile::Suppression> unused = unusedSuppressions(p);
  ASSERT_EQ(unused.size(), 2u);
  EXPECT_EQ(unused[0].rule, "leak:d_tmp");
  EXPECT_EQ(unused[0].origin, "sup.txt:1");
  EXPECT_EQ(unused[1].rule, "leak:this*");
}

TEST(Suppressions, FindingsWithoutSitesOrNames) {
  profile::Profile p;
  p.findings.push_back(test::makeFinding("leak", "proven", "ffffffffffffffff", "", 1, 1));
  rules("leak:f").apply(p);
  EXPECT_FALSE(p.findings[0].suppressed); // an unknown site has no name that "f" could match
  rules("leak:*").apply(p);
  EXPECT_FALSE(p.findings[0].suppressed);
}

TEST(Suppressions, Load) {
  char name[] = "/tmp/gpuinstr-sup-XXXXXX";
  int fd = ::mkstemp(name);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(::write(fd, "leak:a\nbad\n", 11), 11);
  ::close(fd);
  Suppressions s;
  Strings problems;
  EXPECT_TRUE(s.load(name, problems));
  EXPECT_EQ(s.rules().size(), 1u);
  EXPECT_EQ(problems,
            Strings{std::string(name) + ":2: expected finding-id:pattern [max=N]: 'bad'; ignored"});
  ::unlink(name);
  problems.clear();
  EXPECT_FALSE(s.load(name, problems));
  EXPECT_EQ(problems,
            Strings{"suppressions='" + std::string(name) + "': No such file or directory"});
  problems.clear();
  EXPECT_FALSE(s.load("/tmp", problems));
  EXPECT_EQ(problems.size(), 1u);
}

} // namespace gpuinstr::options
