// Which builds of Python are read, and which are left alone.
// SPDX-License-Identifier: Apache-2.0
#include "attach/python/PythonLayout.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace gpuinstr::attach;

namespace {

/// What 3.13 says of its own structs, word by word.
struct SaidOffsets {
  uint64_t words[64] = {};
  SaidOffsets() {
    std::memcpy(words, "xdebugpy", 8);
    words[23] = 72; // PyThreadState.current_frame
    words[29] = 8;  // of a frame: previous, code, instruction, owner
    words[31] = 56;
    words[33] = 70;
    words[35] = 112; // of code: file, qualified name, lines, first line, first instruction
    words[37] = 128;
    words[38] = 136;
    words[39] = 68;
    words[43] = 200;
  }
};

} // namespace

TEST(PythonLayout, ReleasesFrom39To312) {
  for (unsigned minor = 9; minor <= 12; ++minor) {
    std::string text = "3." + std::to_string(minor) + ".7 (main, Jan  1 2026) [GCC]";
    const PythonLayout *layout = layoutOf(text.c_str(), nullptr);
    ASSERT_NE(layout, nullptr) << text;
    EXPECT_EQ(layout->minor, minor);
  }
}

TEST(PythonLayout, NeitherOlderNorNewerNorUnfinished) {
  SaidOffsets said;
  for (const char *text :
       {"2.7.18 (default)", "3.8.18 (default)", "3.14.0 (main)", "3.12.0rc1 (main)",
        "3.12.1+ (heads/3.12)", "3.13.0a1 (main)", "4.0.0 (main)", ""})
    EXPECT_EQ(layoutOf(text, &said), nullptr) << text;
}

TEST(PythonLayout, From313OnABuildMustSayTheSame) {
  constexpr const char *Version = "3.13.0 (main) [GCC]";
  SaidOffsets said;
  EXPECT_NE(layoutOf(Version, &said), nullptr);
  EXPECT_EQ(layoutOf(Version, nullptr), nullptr);
  SaidOffsets freeThreaded;
  freeThreaded.words[2] = 1;
  EXPECT_EQ(layoutOf(Version, &freeThreaded), nullptr);
  SaidOffsets moved;
  moved.words[43] += 8;
  EXPECT_EQ(layoutOf(Version, &moved), nullptr);
  SaidOffsets silent;
  silent.words[0] = 0;
  EXPECT_EQ(layoutOf(Version, &silent), nullptr);
}

TEST(PythonLayout, ReadsThatCannotFault) {
  uint64_t word = 7, read = 0;
  EXPECT_TRUE(readSafely(reinterpret_cast<uint64_t>(&word), read));
  EXPECT_EQ(read, 7u);
  EXPECT_FALSE(readSafely(16, read));
}
