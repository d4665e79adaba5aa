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

const char *const Tool =
    "GPUINSTR_OPTIONS=report=off NVTX_INJECTION64_PATH='" GPUINSTR_TEST_NVTX "'";

TEST(Program, RangesReachATool) {
  Output o = program(Tool, "ranges");
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.text,
            "string cudaMemcpy d_x <- h_x H2D  program.cu:10\n"
            "string /src/program.cu\n"
            "push gpuinstr|cudaMemcpy d_x <- h_x H2D  program.cu:10|direction=H2D bytes=4096 "
            "file=/src/program.cu line=10|2196f3|copy\n"
            "pop\n"
            "push gpuinstr|phase two|-|ffeb3b|user\n"
            "string cudaDeviceSynchronize  program.cu:11\n"
            "string /src/program.cu\n"
            "push gpuinstr|cudaDeviceSynchronize  program.cu:11|file=/src/program.cu line=11|"
            "f44336|sync\n"
            "pop\n"
            "pop\n")
      << "phase one came before the first CUDA call, when no tool was loaded yet";
}

TEST(Program, RangesAreNamedByWhatTheCallDoes) {
  Output o = program(Tool, "names");
  EXPECT_EQ(o.code, 0);
  std::string pushes, strings;
  for (size_t at = 0, end; (end = o.text.find('\n', at)) != std::string::npos; at = end + 1) {
    std::string line = o.text.substr(at, end - at);
    if (line.rfind("push ", 0) == 0)
      pushes += line.substr(14) + "\n";
    else if (line.rfind("string ", 0) == 0 && line != "string /src/program.cu")
      strings += line.substr(7) + "\n";
  }
  EXPECT_EQ(pushes,
            "cudaMalloc d_x  program.cu:20|bytes=256 file=/src/program.cu line=20|ff9800|"
            "allocation\n"
            "cudaMemcpy d_x <- h_x D2H  program.cu:10|direction=D2H bytes=64 file=/src/program.cu "
            "line=10|2196f3|copy\n"
            "cudaMemcpy d_x <- h_x  program.cu:10|direction=by the pointers bytes=64 "
            "file=/src/program.cu line=10|2196f3|copy\n"
            "saxpy<float>  program.cu:13|file=/src/program.cu line=13|4caf50|kernel\n"
            "scale<double>  program.cu:12|file=/src/program.cu line=12|4caf50|kernel\n"
            "sum  program.cu:12|file=/src/program.cu line=12|4caf50|kernel\n"
            "scale<double>  program.cu:12|file=/src/program.cu line=12|4caf50|kernel\n"
            "cudaMemcpy d_x <- h_x H2D  program.cu:31|direction=H2D bytes=8 file=/src/program.cu "
            "line=31|2196f3|copy\n");
  EXPECT_EQ(std::count(strings.begin(), strings.end(), '\n'), 7) << strings; // each but once
}

TEST(Program, KernelsBeyondTheNamesOfALineHaveOneTogether) {
  Output o = program(Tool, "kernels");
  EXPECT_EQ(o.code, 0);
  auto pushes = [&](const std::string &name) {
    std::string text = "push gpuinstr|" + name + "  program.cu:12|";
    size_t n = 0;
    for (size_t at = 0; (at = o.text.find(text, at)) != std::string::npos; ++at)
      ++n;
    return n;
  };
  EXPECT_EQ(pushes("kernel0"), 2u);
  EXPECT_EQ(pushes("kernel63"), 2u);
  EXPECT_EQ(pushes("kernel64"), 0u);
  EXPECT_EQ(pushes("other kernels"), 32u);
  size_t first = o.text.find("string other kernels  program.cu:12\n");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(o.text.find("string other kernels", first + 1), std::string::npos) << "made once";
}

TEST(Program, AToolWithoutExtendedPayloadsGetsTheBytes) {
  Output o = program("NVTX_TEST_PLAIN=1 " + std::string(Tool), "ranges");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(contains(o, "|cudaMemcpy d_x <- h_x H2D  program.cu:10|4096|2196f3|copy\n"))
      << o.text;
  EXPECT_TRUE(contains(o, "|cudaDeviceSynchronize  program.cu:11|-|f44336|sync\n")) << o.text;
}

TEST(Program, CuptiAsAToolIsLeftAlone) {
  Output o =
      program("NVTX_INJECTION64_PATH=/nowhere/libcupti.so.13 GPUINSTR_OPTIONS=verbose=1", "ranges");
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(contains(o, "NVTX ranges are off")) << o.text;
}

uint64_t numberOf(const Output &o, const std::string &key) {
  size_t at = o.text.find("\"" + key + "\": ");
  return at == std::string::npos ? 0
                                 : std::strtoull(o.text.c_str() + at + key.size() + 4, nullptr, 10);
}

TEST(Program, WhatTheEndTakesIsTold) {
  Output o = program("GPUINSTR_OPTIONS='report=off json=/dev/stdout'", "ranges");
  uint64_t ns = numberOf(o, "ending_ns");
  EXPECT_GT(ns, 1000u) << o.text;
  EXPECT_LT(ns, numberOf(o, "wall_ns") + 1000000000);
}

uint64_t startupWhenLoaded(const std::string &before) {
  Output o = program("GPUINSTR_TEST_LOADED='" + before +
                         "' GPUINSTR_OPTIONS='report=off json=/dev/stdout'",
                     "late");
  return numberOf(o, "startup_ns");
}

TEST(Program, LoadingTheRuntimeIsPartOfItsStart) {
  constexpr uint64_t Most = 1000000000;
  EXPECT_GE(startupWhenLoaded("2000000000 ago"), 2000000000u);
  // No moment just passed.
  for (const char *before : {"0", "1", "3600000000000 ago", "18446744073709551615"}) {
    uint64_t ns = startupWhenLoaded(before);
    EXPECT_GT(ns, 0u) << before;
    EXPECT_LT(ns, Most) << before;
  }
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
