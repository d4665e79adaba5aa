// Patterns of names and files.
// SPDX-License-Identifier: Apache-2.0
#include "base/text/Glob.h"
#include <ctime>
#include <gtest/gtest.h>
#include <string>

namespace gpuinstr {

TEST(Glob, Matches) {
  EXPECT_TRUE(globMatch("", ""));
  EXPECT_TRUE(globMatch("*", ""));
  EXPECT_TRUE(globMatch("a*c", "abbbc"));
  EXPECT_TRUE(globMatch("a*b*c", "aXbXbYc"));
  EXPECT_TRUE(globMatch("?b?", "abc"));
  EXPECT_TRUE(globMatch("Trainer::*", "Trainer::step"));
  EXPECT_TRUE(globMatch("*::operator[]", "Buf::operator[]"));
  EXPECT_TRUE(globMatch("**", "x"));
  EXPECT_FALSE(globMatch("a*c", "abbb"));
  EXPECT_FALSE(globMatch("?", ""));
  EXPECT_FALSE(globMatch("", "a"));
  EXPECT_FALSE(globMatch("abc", "abcd"));
  EXPECT_FALSE(globMatch("[ab]", "a"));
}

TEST(Glob, HostilePatternIsQuick) {
  std::string pattern, text(20000, 'a');
  for (int i = 0; i < 200; ++i)
    pattern += "*a";
  std::clock_t start = std::clock(); // the processor's time: the machine may be busy
  EXPECT_FALSE(globMatch(pattern + "b", text));
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

TEST(Glob, Files) {
  EXPECT_TRUE(globMatchFile("a.cu", "/home/x/src/a.cu"));
  EXPECT_TRUE(globMatchFile("src/a.cu", "/home/x/src/a.cu"));
  EXPECT_TRUE(globMatchFile("/home/*", "/home/x/src/a.cu"));
  EXPECT_FALSE(globMatchFile("a.c", "/home/x/src/a.cu"));
  EXPECT_FALSE(globMatchFile("rc/a.cu", "/home/x/src/a.cu"));
  EXPECT_TRUE(onlyMatches("", "f", "a.cu"));
  EXPECT_TRUE(onlyMatches("Solver::*", "Solver::run", "/x/a.cu"));
  EXPECT_TRUE(onlyMatches("a.cu", "Solver::run", "/x/a.cu"));
  EXPECT_FALSE(onlyMatches("b.cu", "Solver::run", "/x/a.cu"));
}

} // namespace gpuinstr
