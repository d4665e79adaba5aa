// The inputs that tools/fuzz has left for good: each reader takes or refuses its own, and ends.
// SPDX-License-Identifier: Apache-2.0
#include "Readers.h"
#include "io/Files.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace gpuinstr::test {

namespace {

/// How many there were.
unsigned readAll(const std::string &reader, void (*read)(std::string_view)) {
  unsigned files = 0;
  for (const auto &file : std::filesystem::directory_iterator(
           GPUINSTR_SOURCE_DIR "/test/unharmed/Inputs/fuzz/" + reader)) {
    SCOPED_TRACE(file.path());
    // Without a byte behind them that a reader might look at unnoticed.
    std::string text = cli::readText(file.path());
    std::vector<char> exact(text.begin(), text.end());
    read({exact.data(), exact.size()});
    ++files;
  }
  return files;
}

} // namespace

TEST(KeptInputs, Options) { EXPECT_GT(readAll("options", fuzz::readOptions), 0u); }
TEST(KeptInputs, Suppressions) { EXPECT_GT(readAll("suppressions", fuzz::readSuppressions), 0u); }
TEST(KeptInputs, Profiles) { EXPECT_GT(readAll("profile", fuzz::readProfile), 0u); }
TEST(KeptInputs, Traces) { EXPECT_GT(readAll("trace", fuzz::readTrace), 0u); }
TEST(KeptInputs, EmbeddedSites) { EXPECT_GT(readAll("elf", fuzz::readElf), 0u); }

} // namespace gpuinstr::test
