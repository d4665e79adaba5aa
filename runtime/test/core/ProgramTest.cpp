// The shared library in a program of its own: NVTX, late calls, exports, silence.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace {

struct Output {
  int code = -1;
  std::string text; ///< stdout and stderr
};

Output shell(const std::string &command) {
  Output o;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    return o;
  std::array<char, 4096> chunk;
  while (size_t n = fread(chunk.data(), 1, chunk.size(), pipe))
    o.text.append(chunk.data(), n);
  int status = pclose(pipe);
  o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return o;
}

Output program(const std::string &environment, const std::string &scenario) {
  return shell("env " + environment + " '" GPUINSTR_TEST_PROGRAM "' '" GPUINSTR_TEST_RUNTIME "' " +
               scenario);
}

bool contains(const Output &o, const std::string &text) {
  return o.text.find(text) != std::string::npos;
}

TEST(Program, RangesReachATool) {
  Output o = program("GPUINSTR_OPTIONS=report=off NVTX_INJECTION64_PATH='" GPUINSTR_TEST_NVTX "'",
                     "ranges");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.text, "string cudaMemcpy program.cu:10\n"
                    "push gpuinstr|cudaMemcpy program.cu:10|4096|2196f3|9\n"
                    "pop\n"
                    "push gpuinstr|phase two|0|000000|0\n"
                    "string cudaDeviceSynchronize program.cu:11\n"
                    "push gpuinstr|cudaDeviceSynchronize program.cu:11|0|f44336|22\n"
                    "pop\n"
                    "pop\n")
      << "phase one came before the first CUDA call, when no tool was loaded yet";
}

TEST(Program, CuptiAsAToolIsLeftAlone) {
  Output o =
      program("NVTX_INJECTION64_PATH=/nowhere/libcupti.so.13 GPUINSTR_OPTIONS=verbose=1", "ranges");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(contains(o, "NVTX ranges are off")) << o.text;
}

TEST(Program, CallsOfStaticDestructorsAreInTheReport) {
  Output o = program("GPUINSTR_OPTIONS='report=off json=/dev/stdout'", "late");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(contains(o, "\"calls\": 2")) << o.text;
}

TEST(Program, ClosingTheRuntimeDoesNotUnmapIt) {
  Output o = program("GPUINSTR_OPTIONS='report=off json=/dev/stdout'", "close");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(contains(o, "\"calls\": 2")) << o.text;
}

TEST(Program, WithoutACudaCallThereIsSilence) {
  Output o = program("GPUINSTR_OPTIONS='json=/dev/stdout nonsense=1'", "nothing");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.text, "");
}

TEST(Program, ABadOptionIsOneLine) {
  Output o = program("GPUINSTR_OPTIONS='report=off nonsense=1'", "late");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.text.find("gpuinstr: "), 0u) << o.text;
  EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1);
}

TEST(Program, DisabledMeansNoTrace) {
  Output o = program("GPUINSTR_OPTIONS='enabled=0 json=/dev/stdout'", "late");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.text, "");
}

TEST(Program, TheLibraryExportsOneSymbol) {
  Output o = shell("nm -D --defined-only '" GPUINSTR_TEST_RUNTIME "' | awk '{print $3}'");
  EXPECT_EQ(o.text, "gpuinstr_connect\n");
}

TEST(Program, TheLibraryNeedsNoCxxLibraryAndNoCuda) {
  Output o = shell("readelf -d '" GPUINSTR_TEST_RUNTIME "' | grep NEEDED");
  EXPECT_FALSE(contains(o, "libstdc++")) << o.text;
  EXPECT_FALSE(contains(o, "libcud")) << o.text;
}

} // namespace
