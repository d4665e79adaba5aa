// Which builds of Python are read, and which are left alone.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonLayout.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace gpuinstr::attach;

namespace {

/// What a build says of its own structs, word by word.
struct SaidOffsets {
  uint64_t words[128] = {};

  SaidOffsets(uint64_t version, unsigned thread, unsigned frame, unsigned code, unsigned bytes,
              unsigned string) {
    std::memcpy(words, "xdebugpy", 8);
    words[1] = version;
    words[thread] = 72;   // PyThreadState.current_frame
    words[frame + 1] = 8; // of a frame: previous, code, instruction, owner
    words[frame + 2] = 0;
    words[frame + 3] = 56;
    words[frame + 5] = 70;
    words[code + 1] = 112; // of code: file, qualified name, lines, first line, first instruction
    words[code + 3] = 128;
    words[code + 4] = 136;
    words[code + 5] = 68;
    words[code + 9] = 200;
    words[bytes + 1] = 16; // length, text
    words[bytes + 2] = 32;
    words[string + 1] = 32; // state, length, size
    words[string + 2] = 16;
    words[string + 3] = 40;
  }

  /// ... without the interpreter's lock: objects are larger by two words.
  void freeThreaded(unsigned frame, unsigned code, unsigned bytes, unsigned string) {
    words[2] = 1;
    words[frame + 7] = 72;
    words[code + 10] = 200;
    words[code + 9] = 216;
    words[bytes + 1] = words[string + 2] = 32;
    words[bytes + 2] = words[string + 1] = 48;
    words[string + 3] = 56;
  }
};

constexpr const char *Version313 = "3.13.7 (main) [GCC]", *Version314 = "3.14.4 (main) [GCC]",
                     *Version315 = "3.15.2 (main) [GCC]";

SaidOffsets said313() { return {0x030d07f0, 23, 28, 34, 64, 67}; }
SaidOffsets said314() { return {0x030e04f0, 26, 31, 39, 74, 77}; }
SaidOffsets said315() { return {0x030f02f0, 26, 39, 47, 86, 89}; }

void expectUsual(const std::optional<PythonLayout> &layout, unsigned minor) {
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->minor, minor);
  EXPECT_EQ(layout->frameHolder, -1);
  EXPECT_EQ(layout->current, 72u);
  EXPECT_EQ(layout->previous, 8u);
  EXPECT_EQ(layout->code, 0u);
  EXPECT_EQ(layout->instruction, 56u);
  EXPECT_EQ(layout->owner, 70u);
  EXPECT_EQ(layout->fileName, 112u);
  EXPECT_EQ(layout->qualName, 128u);
  EXPECT_EQ(layout->lineTable, 136u);
  EXPECT_EQ(layout->firstLine, 68u);
  EXPECT_EQ(layout->firstInstruction, 200u);
  EXPECT_EQ(layout->length, 16u);
  EXPECT_EQ(layout->bytesText, 32u);
  EXPECT_EQ(layout->stringState, 32u);
  EXPECT_EQ(layout->kindBit, 2u);
  EXPECT_EQ(layout->asciiText, 40u);
  EXPECT_EQ(layout->wideText, 56u);
  EXPECT_EQ(layout->copies, 0u);
}

} // namespace

TEST(PythonLayout, ReleasesFrom39To312) {
  for (unsigned minor = 9; minor <= 12; ++minor) {
    std::string text = "3." + std::to_string(minor) + ".7 (main, Jan  1 2026) [GCC]";
    auto layout = layoutOf(text.c_str(), nullptr);
    ASSERT_TRUE(layout) << text;
    EXPECT_EQ(layout->minor, minor);
    EXPECT_EQ(layout->length, 16u);
  }
}

TEST(PythonLayout, NeitherOlderNorNewerNorUnfinished) {
  SaidOffsets said = said314();
  for (const char *text :
       {"2.7.18 (default)", "3.8.18 (default)", "3.16.0 (main)", "3.12.0rc1 (main)",
        "3.12.1+ (heads/3.12)", "3.13.0a1 (main)", "3.14.4rc1 (main)", "4.0.0 (main)", ""})
    EXPECT_FALSE(layoutOf(text, &said)) << text;
}

TEST(PythonLayout, From313OnABuildSaysItself) {
  SaidOffsets said13 = said313(), said14 = said314(), said15 = said315();
  expectUsual(layoutOf(Version313, &said13), 13);
  expectUsual(layoutOf(Version314, &said14), 14);
  expectUsual(layoutOf(Version315, &said15), 15);
  EXPECT_FALSE(layoutOf(Version313, nullptr));
  EXPECT_FALSE(layoutOf(Version314, reinterpret_cast<void *>(16)));
}

TEST(PythonLayout, OfAnotherVersionNothingIsTaken) {
  SaidOffsets said = said314();
  EXPECT_FALSE(layoutOf("3.14.5 (main)", &said)); // another release than the one that is loaded
  EXPECT_FALSE(layoutOf(Version313, &said));
  said.words[1] = 0x030e04c1; // 3.14.4rc1
  EXPECT_FALSE(layoutOf(Version314, &said));
  SaidOffsets silent = said314();
  silent.words[0] = 0;
  EXPECT_FALSE(layoutOf(Version314, &silent));
}

TEST(PythonLayout, OffsetsBeyondAllStructsAreNone) {
  for (unsigned word : {26u, 32u, 33u, 34u, 36u, 40u, 42u, 43u, 44u, 48u, 75u, 76u, 78u, 80u}) {
    SaidOffsets said = said314();
    said.words[word] = 1 << 20;
    EXPECT_FALSE(layoutOf(Version314, &said)) << word;
  }
  SaidOffsets twoLengths = said314();
  twoLengths.words[79] += 8; // a string's length lies elsewhere than that of bytes
  EXPECT_FALSE(layoutOf(Version314, &twoLengths));
}

TEST(PythonLayout, FreeThreaded313HasOneSetOfInstructions) {
  SaidOffsets said = said313();
  said.words[2] = 1;
  said.words[65] = said.words[69] = 32;
  auto layout = layoutOf(Version313, &said);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->length, 32u);
  EXPECT_EQ(layout->kindBit, 2u);
  EXPECT_EQ(layout->copies, 0u);
}

TEST(PythonLayout, FreeThreaded314HasOneForEachThread) {
  SaidOffsets said = said314();
  said.freeThreaded(31, 39, 74, 77);
  auto layout = layoutOf(Version314, &said);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->length, 32u);
  EXPECT_EQ(layout->bytesText, 48u);
  EXPECT_EQ(layout->stringState, 48u);
  EXPECT_EQ(layout->kindBit, 8u);
  EXPECT_EQ(layout->asciiText, 56u);
  EXPECT_EQ(layout->wideText, 72u);
  EXPECT_EQ(layout->firstInstruction, 216u);
  EXPECT_EQ(layout->copies, 200u);
  EXPECT_EQ(layout->copyIndex, 72u);
  said.words[38] = 0; // which copy a frame runs is not said
  EXPECT_FALSE(layoutOf(Version314, &said));
}

TEST(PythonLayout, FreeThreaded315IsLeftAlone) {
  SaidOffsets said = said315();
  said.freeThreaded(39, 47, 86, 89);
  EXPECT_FALSE(layoutOf(Version315, &said));
}
