// Lines and inlined functions of compiled programs, compared with what llvm-symbolizer says.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/dwarf/SourceFrames.h"
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::attach;

namespace {

std::string outputOf(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  char part[4096];
  for (size_t n; pipe && (n = fread(part, 1, sizeof part, pipe)) > 0;)
    text.append(part, n);
  if (pipe)
    pclose(pipe);
  return text;
}

struct Built {
  std::string path;
  bool isThere = false;

  explicit Built(const std::string &command)
      : path("/tmp/gpuinstr-inlined-" + std::to_string(getpid())) {
    std::string line = command + " -o " + path + " '" GPUINSTR_TEST_INPUTS "/inlined.cpp' 2>&1";
    std::string said = outputOf(line);
    isThere = access(path.c_str(), X_OK) == 0;
    EXPECT_TRUE(isThere) << line << "\n" << said;
  }
  ~Built() { unlink(path.c_str()); }
};

using Frames = std::vector<SourceFrame>;

/// What llvm-symbolizer says of each address.
std::vector<Frames> symbolized(const std::string &program, const std::vector<uint64_t> &addresses) {
  std::string list = program + ".addresses";
  std::ofstream out(list);
  for (uint64_t address : addresses)
    out << "0x" << std::hex << address << "\n";
  out.close();
  std::istringstream said(outputOf(
      GPUINSTR_TEST_SYMBOLIZER " --inlines --functions=linkage --no-demangle --obj=" + program +
      " < " + list));
  unlink(list.c_str());
  std::vector<Frames> all;
  Frames frames;
  std::string function, place;
  while (std::getline(said, function)) {
    if (function.empty()) {
      all.push_back(frames);
      frames.clear();
      continue;
    }
    std::getline(said, place);
    size_t column = place.rfind(':'), line = place.rfind(':', column - 1);
    std::string file = place.substr(0, line);
    frames.push_back(
        {{file == "??" ? "" : file, uint32_t(std::stoul(place.substr(line + 1, column - line - 1))),
          uint32_t(std::stoul(place.substr(column + 1)))},
         function == "??" ? "" : function});
  }
  return all;
}

bool isNamed(const std::string &ours, const std::string &theirs) {
  std::string tail = "::" + theirs; // of names without linkage it says no namespace
  return ours == theirs || (ours.size() > tail.size() &&
                            ours.compare(ours.size() - tail.size(), tail.size(), tail) == 0);
}

std::string textOf(const Frames &frames) {
  std::string text;
  for (auto &frame : frames)
    text += "  " + frame.function + " " + frame.at.file + ":" + std::to_string(frame.at.line) +
            ":" + std::to_string(frame.at.column) + "\n";
  return text;
}

bool isSame(const Frames &ours, const Frames &theirs) {
  if (ours.empty()) // it has a frame for code that is unknown
    return theirs.size() == 1 && !theirs[0].at.line;
  if (ours.size() != theirs.size())
    return false;
  for (size_t i = 0; i < ours.size(); ++i) {
    bool isStack = i + 1 == ours.size(); // there the table of symbols speaks
    if (ours[i].at.line != theirs[i].at.line || ours[i].at.column != theirs[i].at.column ||
        ours[i].at.file != theirs[i].at.file ||
        (!isStack && !isNamed(ours[i].function, theirs[i].function)))
      return false;
  }
  return true;
}

/// Where a program's .text lies.
uint64_t codeOf(const std::string &program) {
  return std::stoull(
      outputOf("objdump -h -j .text " + program + " | awk '$2 == \".text\" {print $4}'"), nullptr,
      16);
}

class InlineFrames : public testing::TestWithParam<const char *> {};

TEST_P(InlineFrames, AreThoseOfTheSymbolizer) {
  if (std::string(GetParam()).find("NOTFOUND") != std::string::npos)
    GTEST_SKIP() << "no such compiler here";
  Built program(GetParam());
  ASSERT_TRUE(program.isThere);
  ElfFile file(program.path);
  Bytes code = file.section(".text");
  ASSERT_TRUE(code.size);
  ASSERT_FALSE(DwarfSections(file).info.size == 0);
  uint64_t begin = codeOf(program.path);
  std::vector<uint64_t> addresses;
  for (uint64_t at = begin; at < begin + code.size; at += 3)
    addresses.push_back(at);
  std::vector<Frames> expected = symbolized(program.path, addresses);
  ASSERT_EQ(expected.size(), addresses.size());
  DwarfSections sections(file);
  DebugModule module(sections), forgetful(sections, 0);
  size_t different = 0, inlined = 0, deepest = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    Frames found = module.at(sections, addresses[i]);
    if (i % 16 == 0)
      EXPECT_EQ(textOf(forgetful.at(sections, addresses[i])), textOf(found));
    deepest = std::max(deepest, found.size());
    inlined += found.size() > 1;
    if (!isSame(found, expected[i]) && ++different <= 5)
      ADD_FAILURE() << std::hex << "0x" << addresses[i] << "\nfound\n"
                    << textOf(found) << "expected\n"
                    << textOf(expected[i]);
  }
  EXPECT_EQ(different, 0u) << "of " << addresses.size();
  EXPECT_GT(addresses.size(), 1000u);
  EXPECT_GT(inlined, addresses.size() / 8);
  EXPECT_GE(deepest, 5u);
}

#define GCC GPUINSTR_TEST_GCC " -std=c++17 -g "
#define CLANG GPUINSTR_TEST_CLANG " -std=c++17 -g "
INSTANTIATE_TEST_SUITE_P(Compilers, InlineFrames,
                         testing::Values(GCC "-O2 -gdwarf-4", GCC "-O2 -gdwarf-5",
                                         GCC "-O3 -gdwarf-5 -gdwarf64 -ffunction-sections -no-pie",
                                         GCC "-O1 -gdwarf-4 -fdebug-types-section", GCC "-O2 -flto",
                                         CLANG "-O2 -gdwarf-4", CLANG "-O2 -gdwarf-5",
                                         CLANG "-O1 -gdwarf-5 -gdwarf64 -fuse-ld=lld"));

/// A copy of sections that may be broken.
struct Broken {
  std::vector<std::vector<uint8_t>> copies;
  DwarfSections sections;

  explicit Broken(const DwarfSections &from) : sections(from) {
    for (Bytes *one : all(sections))
      copies.emplace_back(one->data, one->data + one->size);
    point();
  }
  static std::vector<Bytes *> all(DwarfSections &s) {
    return {&s.info,      &s.abbreviations, &s.texts,  &s.lineTexts, &s.textOffsets,
            &s.addresses, &s.rangeLists,    &s.ranges, &s.lines};
  }
  void point() {
    size_t i = 0;
    for (Bytes *one : all(sections)) {
      copies[i].shrink_to_fit(); // a sanitizer sees what is read behind
      *one = {copies[i].data(), copies[i].size()};
      ++i;
    }
  }
};

class BrokenSections : public testing::TestWithParam<const char *> {};

TEST_P(BrokenSections, AreSurvived) {
  if (std::string(GetParam()).find("NOTFOUND") != std::string::npos)
    GTEST_SKIP() << "no such compiler here";
  Built program(GetParam());
  ASSERT_TRUE(program.isThere);
  ElfFile file(program.path);
  DwarfSections whole(file);
  std::vector<uint64_t> addresses;
  for (uint64_t at = codeOf(program.path); addresses.size() < 40; at += 333)
    addresses.push_back(at);
  std::mt19937 random(20261125);
  size_t known = 0;
  for (int round = 0; round < GPUINSTR_TEST_ROUNDS; ++round) {
    Broken broken(whole);
    for (int i = 0; i < 1 + round % 20; ++i) {
      auto &section = broken.copies[random() % broken.copies.size()];
      if (section.empty())
        continue;
      size_t at = random() % (round % 3 ? section.size() : std::min<size_t>(section.size(), 64));
      if (random() % 8 == 0)
        section.resize(at);
      else
        section[at] = random() % 4 ? uint8_t(random()) : random() % 2 ? 0xff : 0x80;
    }
    broken.point();
    DebugModule module(broken.sections);
    for (uint64_t address : addresses)
      known += !module.at(broken.sections, address).empty();
  }
  EXPECT_GT(known, 0u);
}

INSTANTIATE_TEST_SUITE_P(Compilers, BrokenSections,
                         testing::Values(GCC "-O2 -gdwarf-4", GCC "-O2 -gdwarf-5",
                                         CLANG "-O2 -gdwarf-5"));

/// Of an address well inside.
std::string textInside(const std::string &program) {
  return textOf(framesAt(program, codeOf(program) + 0x800));
}

TEST(SourceFrames, OfAFileThatWasBuiltAnewAreItsNewOnes) {
  std::string first, path;
  {
    Built program(GCC "-O2");
    path = program.path;
    first = textInside(path);
    EXPECT_NE(first, "");
    EXPECT_EQ(first, textInside(path));
  }
  EXPECT_TRUE(framesAt(path, 0x1500).empty());
  Built program(GCC "-O0");
  EXPECT_NE(textInside(path), "");
  EXPECT_NE(first, textInside(path));
}

double processorMs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

/// What places in a program cost: GPUINSTR_TEST_MODULE names one, else it is this test.
TEST(SourceFrames, OfPlacesAllOverAProgramAreFoundAgain) {
  const char *named = std::getenv("GPUINSTR_TEST_MODULE");
  std::string path = named ? named : "/proc/self/exe";
  ElfFile file(path);
  uint64_t begin = codeOf(path) - file.lowestAddress(), size = file.section(".text").size;
  std::vector<std::string> first;
  for (int round = 0; round < 2; ++round) {
    double start = processorMs(), longest = 0;
    size_t inlined = 0;
    for (uint64_t i = 0; i < 100; ++i) {
      double before = processorMs();
      Frames frames = framesAt(path, begin + size / 100 * i);
      longest = std::max(longest, processorMs() - before);
      inlined += frames.size() > 1;
      if (!round)
        first.push_back(textOf(frames));
      EXPECT_EQ(textOf(frames), first[i]);
    }
    std::printf("%s: 100 places, %zu in inlined functions: %.1f ms, longest %.1f ms\n",
                round ? "again" : "first", inlined, processorMs() - start, longest);
  }
}

TEST(SourceFrames, OfNoProgramAreNone) {
  EXPECT_TRUE(framesAt("/dev/null", 0x1000).empty());
  EXPECT_TRUE(framesAt("/no such file", 0x1000).empty());
}

} // namespace
