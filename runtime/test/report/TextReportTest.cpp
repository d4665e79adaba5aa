// The text report's sections, as golden texts.
// SPDX-License-Identifier: Apache-2.0
#include "report/TextReport.h"
#include "ReportLines.h"
#include "Samples.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace gpuinstr::report {

using profile::Finding;
using profile::Profile;
using test::expectFits;
using test::linesOf;
using test::lineWith;
using test::makeFinding;
using test::trainProfile;

TEST(TextReport, Golden) {
  std::string text = render(trainProfile(), {});
  expectFits(text);
  EXPECT_EQ(
      text,
      R"(== gpuinstr: ./train (pid 4242)  1x NVIDIA H200  2.314 s ===========================================
RESULT  3 bugs | own cost 0.9 % + 14 ms start
BUGS [proven]
 leak           4.19 MB x1  d_tmp          float[1048576]  train.cu:88   Trainer::step
 leak           4.19 MB x1  this->scratch  float[1048576]  train.cu:140  Trainer::init
                            via buffer.h:31 Buffer<float>::Buffer
 ignored-error  x3          cudaErrorInvalidValue from cudaMemcpyAsync  train.cu:152  upload
LIKELY 0   SUPPRESSED 0   HELD AT EXIT 64 MB: g_table tables.cu:12
HOST     sync 22.7 % copies 20.4 % start-up 17.8 % allocation 6.1 % launch 0.1 % | your code 32.9 %
API      host time; each site's first call counts in Total Time and Num Calls only
 Time (%) Total Time Num Calls    Avg    Med  Name                   Where
     33.8     524 ms       400 1.31ms 1.31ms  cudaDeviceSynchronize  train.cu:134
     30.4     472 ms       399 1.18ms 1.18ms  cudaMemcpy             train.cu:131
     26.5     412 ms         1  412ms  412ms  cudaMalloc             train.cu:88
      9.1     141 ms         4   40ms   40ms  cudaMalloc             buffer.h:31
      0.1    2.32 ms       400 5.80us 5.80us  saxpy<float>           train.cu:133
      0.1       1 ms         1    1ms    1ms  cudaMalloc             tables.cu:12
      0.0     300 us         3   90us   90us  cudaMemcpyAsync        train.cu:152
MEMORY   peak 1.24 GB of 150 GB at 1.88 s: d_act 512 MB buffer.h:31, d_grad 512 MB x2 train.cu:88
SCOPE    instrumented: train, libsolver.so (38 of 41 sites ran)
         NOT instrumented: libmesh.so (its frees and copies are unseen)
         vendor: cuBLAS (charged to your calling line)
NEXT     explain: gpuinstr explain leak | suppress: leak:Trainer::step:d_tmp | profile: json=PATH
SUMMARY: gpuinstr: 2 leaks (8.39 MB), 1 ignored-error (x3)
)");
}

/// Each caller has its row; what is wrong is the line.
TEST(TextReport, OneLineIsOneBugWhoeverCallsIt) {
  Profile p = trainProfile();
  p.findings[1].site = p.findings[0].site;
  p.findings[1].caller = "elsewhere";
  std::string text = render(p, {});
  EXPECT_NE(text.find("RESULT  2 bugs in 3 rows |"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY: gpuinstr: 1 leak (8.39 MB, x2), 1 ignored-error (x3)"),
            std::string::npos)
      << text;
}

/// `Buffer a(n), b(n);`: by nvcc, one place.
TEST(TextReport, TwoNamesAtOneLineAreTwoBugs) {
  Profile p = trainProfile();
  p.findings[1].site = p.findings[0].site;
  p.findings[1].caller = p.findings[0].caller;
  ASSERT_NE(p.findings[1].variable, p.findings[0].variable);
  std::string text = render(p, {});
  EXPECT_NE(text.find("RESULT  3 bugs |"), std::string::npos) << text;
  EXPECT_NE(text.find("SUMMARY: gpuinstr: 2 leaks (8.39 MB)"), std::string::npos) << text;
  p.findings[1].variable = p.findings[0].variable;
  text = render(p, {});
  EXPECT_NE(text.find("RESULT  2 bugs"), std::string::npos) << text;
}

TEST(TextReport, CleanIsFourLines) {
  Profile p = trainProfile();
  p.findings.clear();
  p.coverage.images.pop_back();
  p.devices[0].simulated = true;
  p.devices[0].kernels_not_run = 3;
  EXPECT_EQ(
      render(p, {}),
      R"(== gpuinstr: ./train (pid 4242)  simulated device, kernels not run  2.314 s ========================
RESULT  clean | own cost 0.9 % + 14 ms start
HOST     sync 22.7 % copies 20.4 % start-up 17.8 % allocation 6.1 % launch 0.1 % | your code 32.9 %
SUMMARY: gpuinstr: clean
)");
}

TEST(TextReport, SimulatedKernelsThatRanAreNoNews) {
  Profile p = trainProfile();
  p.devices[0].simulated = true;
  std::string header = linesOf(render(p, {}))[0];
  EXPECT_NE(header.find("  simulated device  "), std::string::npos) << header;
}

TEST(TextReport, CleanStillSaysWhatWasNotSeen) {
  Profile p = trainProfile();
  p.findings.clear();
  p.coverage.notes = {"NVTX is off: no header"};
  std::string text = render(p, {});
  EXPECT_EQ(linesOf(text).size(), 6u);
  EXPECT_NE(text.find("SCOPE    NOT instrumented: libmesh.so (its frees and copies are unseen)\n"
                      "         NVTX is off: no header\n"),
            std::string::npos)
      << text;
}

TEST(TextReport, MemoryOfOthersIsNeverClean) {
  Profile p = trainProfile();
  p.findings.clear();
  p.coverage.foreign_operations = 12;
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_EQ(text.find("clean"), std::string::npos) << text;
  EXPECT_NE(text.find("\nRESULT  nothing found in what was seen; 12 operations used memory that "
                      "instrumented code did"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("\n         12 operations used memory that instrumented code did not allocate"),
      std::string::npos)
      << text;
  p.coverage.foreign_operations = 1;
  EXPECT_NE(render(p, {}).find(" 1 operation used memory "), std::string::npos);
}

TEST(TextReport, NoCudaCallNoReport) {
  Profile p = trainProfile();
  p.cuda_used = false;
  EXPECT_EQ(render(p, {}), "");
}

TEST(TextReport, EmptyProfileThatUsedCuda) {
  Profile p;
  p.cuda_used = true;
  p.process.pid = 1;
  p.process.exe = "a";
  std::string text = render(p, {});
  expectFits(text);
  std::vector<std::string> lines = linesOf(text);
  ASSERT_EQ(lines.size(), 3u); // no time was measured: no HOST line
  EXPECT_EQ(lines[0].substr(0, 41), "== gpuinstr: a (pid 1)  no GPU used  0 ns");
  Profile without = p;
  without.sites.emplace_back();
  without.sites[0].failed = 1;
  EXPECT_EQ(linesOf(render(without, {}))[0].substr(0, 36), "== gpuinstr: a (pid 1)  no GPU  0 ns");
  EXPECT_EQ(lines[1], "RESULT  clean");
  EXPECT_EQ(lines[2], "SUMMARY: gpuinstr: clean");
  ReportStyle all;
  all.verbose = true;
  expectFits(render(p, all));
}

TEST(TextReport, EstimatedHostTimesAreMarked) {
  Profile p = trainProfile();
  for (profile::Site &site : p.sites)
    site.host.samples = site.host.count;
  EXPECT_EQ(render(p, {}).find('~'), std::string::npos);
  p.sites[3].host.samples = 80;
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_NE(lineWith(text, "API ").find("; ~ estimate"), std::string::npos);
  EXPECT_NE(text.find(" ~2.32 ms       400"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '~'), 2) << "the head's and this row's";
}

TEST(TextReport, OwnMemoryInTheVerboseReport) {
  Profile p = trainProfile();
  p.process.own_host_bytes = 3100000;
  p.process.own_device_bytes = 2097152;
  p.process.ending_ns = 2100000;
  EXPECT_EQ(render(p, {}).find("device memory"), std::string::npos);
  ReportStyle all;
  all.verbose = true;
  std::string text = render(p, all);
  expectFits(text);
  EXPECT_EQ(
      lineWith(text, "RESULT"),
      "RESULT  3 bugs | own cost 0.9 % + 14 ms start + 2.10 ms end, 3.10 MB host, 2.10 MB device "
      "memory");
}

static Profile oneFinding(Finding finding) {
  Profile p = trainProfile();
  p.findings = {std::move(finding)};
  return p;
}

TEST(TextReport, SingularAndPlural) {
  Profile p = oneFinding(makeFinding("leak", "proven", "00000000000000a1", "d", 8, 1));
  EXPECT_EQ(lineWith(render(p, {}), "RESULT"), "RESULT  1 bug | own cost 0.9 % + 14 ms start");
  EXPECT_EQ(lineWith(render(p, {}), "SUMMARY"), "SUMMARY: gpuinstr: 1 leak (8 B)");
  p.findings[0].count = 400;
  p.coverage.sites = p.coverage.sites_run = 1;
  EXPECT_EQ(lineWith(render(p, {}), "SUMMARY"), "SUMMARY: gpuinstr: 1 leak (8 B, x400)");
  EXPECT_NE(render(p, {}).find("(1 of 1 site ran)"), std::string::npos);
  p.findings.push_back(makeFinding("double-free", "proven", "00000000000000a1", "d", 0, 1));
  p.findings.push_back(makeFinding("double-free", "proven", "00000000000000a2", "e", 0, 1));
  EXPECT_EQ(lineWith(render(p, {}), "SUMMARY"),
            "SUMMARY: gpuinstr: 2 double-frees, 1 leak (8 B, x400)");
}

TEST(TextReport, OnlyProvenOnesCount) {
  Profile p = oneFinding(makeFinding("leak", "likely", "00000000000000a1", "d_x", 4096, 2));
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_EQ(lineWith(text, "RESULT"), "RESULT  clean, 1 likely | own cost 0.9 % + 14 ms start");
  EXPECT_EQ(lineWith(text, "SUMMARY"), "SUMMARY: gpuinstr: clean, 1 likely");
  EXPECT_EQ(text.find("BUGS"), std::string::npos);
  EXPECT_EQ(lineWith(text, "LIKELY"),
            "LIKELY 1  not counted: true unless kernels or unseen code had "
            "a hand in it");
  EXPECT_EQ(lineWith(text, " leak"),
            " leak           4.10 kB x2  d_x    train.cu:88  Trainer::step");
}

TEST(TextReport, HeldStreamsHaveNoBytes) {
  Profile p =
      oneFinding(makeFinding("held-at-exit", "information", "00000000000000a1", "streams", 0, 5));
  EXPECT_EQ(lineWith(render(p, {}), "LIKELY"),
            "LIKELY 0   SUPPRESSED 0   HELD AT EXIT streams x5 train.cu:88");
}

TEST(TextReport, SuppressedOnesAreOnlyCounted) {
  Profile p = trainProfile();
  for (Finding &finding : p.findings)
    finding.suppressed = true;
  p.suppressions = {{"leak:*", "s.txt:1", 4, 0},
                    {"leak:gone", "s.txt:2", 0, 0},
                    {"leak:more max=1", "s.txt:3", 0, 1}};
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_EQ(lineWith(text, "SUMMARY"), "SUMMARY: gpuinstr: clean");
  EXPECT_EQ(lineWith(text, "LIKELY"), "LIKELY 0   SUPPRESSED 4 (72.4 MB)   HELD AT EXIT 0");
  EXPECT_EQ(lineWith(text, "UNUSED"), "UNUSED suppressions: leak:gone (s.txt:2)");
  EXPECT_EQ(lineWith(text, "EXCEEDED"), "EXCEEDED suppressions: leak:more max=1 (s.txt:3)");
}

TEST(TextReport, RowsOfEveryPattern) {
  Profile p = trainProfile();
  Finding twice = makeFinding("double-free", "proven", "00000000000000a1", "d_b", 0, 1);
  twice.error = "cudaErrorInvalidValue";
  twice.related = "00000000000000a2";
  Finding past = makeFinding("out-of-bounds-copy", "proven", "00000000000000a6", "d_w", 4100, 1);
  past.related = "00000000000000a1";
  past.message = "4100 bytes into an allocation of 4096 bytes";
  past.fix = "copy n * sizeof(float) bytes";
  Finding launch = makeFinding("failed-launch", "proven", "00000000000000a4", "", 0, 2);
  launch.error = "cudaErrorInvalidConfiguration";
  Finding stream = makeFinding("leak", "proven", "00000000000000a1", "stream", 0, 3);
  stream.memory = profile::Resource::Stream;
  stream.type = "CUstream_st";
  Finding pinned = makeFinding("leak", "proven", "00000000000000a1", "h_x", 64, 1);
  pinned.memory = profile::Resource::Pinned;
  pinned.type = "double";
  Finding bare = makeFinding("leak", "proven", "00000000000000a1", "", 32, 1);
  bare.memory = profile::Resource::Async;
  p.findings = {twice, past, launch, stream, pinned, bare};
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_NE(text.find(
                R"(BUGS [proven]
 out-of-bounds-copy  4.10 kB x1  d_w            cudaMemcpy     train.cu:131  upload
                            4100 bytes into an allocation of 4096 bytes
 double-free         x1          d_b            cudaMalloc     train.cu:88   Trainer::step
                            first freed at buffer.h:31 Buffer<float>::Buffer
 failed-launch       x2          cudaErrorInvalidConfiguration from saxpy<float>  train.cu:133  step
)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("h_x            double pinned"), std::string::npos) << text;
  EXPECT_NE(text.find("(no variable)  async"), std::string::npos) << text;
  EXPECT_NE(text.find("stream         stream "), std::string::npos) << text;
  EXPECT_EQ(text.find("fix:"), std::string::npos);
  EXPECT_EQ(lineWith(text, "SUMMARY"),
            "SUMMARY: gpuinstr: 1 out-of-bounds-copy, 1 double-free, 1 failed-launch, 3 leaks");
  ReportStyle all;
  all.verbose = true;
  EXPECT_NE(render(p, all).find("fix: copy n * sizeof(float) bytes"), std::string::npos);
  p.findings[1].message = "";
  EXPECT_NE(render(p, {}).find("allocated at train.cu:88 Trainer::step\n"), std::string::npos);
}

TEST(TextReport, OutOfMemoryComesFirst) {
  Profile p = trainProfile();
  Finding oom =
      makeFinding("out-of-memory", "information", "00000000000000a1", "d_big", 8000000000, 1);
  oom.message = "2.1 GB were free";
  oom.holders = {{"00000000000000a2", "00000000000000c1", "this->scratch",
                  profile::Resource::Device, 512000000, 1},
                 {"00000000000000a1", "", "d_grad", profile::Resource::Device, 900000000, 2}};
  p.findings.push_back(oom);
  std::vector<std::string> lines = linesOf(render(p, {}));
  ASSERT_GT(lines.size(), 5u);
  EXPECT_EQ(lines[1],
            "OUT OF MEMORY  8 GB asked by cudaMalloc for d_big  train.cu:88  Trainer::step");
  EXPECT_EQ(lines[2], "               2.1 GB were free");
  EXPECT_EQ(
      lines[3],
      "               held then: d_grad 900 MB x2 train.cu:88, this->scratch 512 MB train.cu:140");
  EXPECT_EQ(lines[4], "RESULT  3 bugs, out of memory | own cost 0.9 % + 14 ms start");
}

TEST(TextReport, HowTheProcessEnded) {
  Profile p = trainProfile();
  p.findings.clear();
  p.process.own_cost_percent = 0;
  p.process.startup_ns = 0;
  p.process.ended = "signal 15";
  EXPECT_EQ(lineWith(render(p, {}), "RESULT"),
            "RESULT  nothing found up to there | ended by SIGTERM: live memory is no leak then");
  p.process.ended = "killed"; // and nobody saw how
  EXPECT_EQ(lineWith(render(p, {}), "RESULT"),
            "RESULT  nothing found up to there | was killed: live memory is no leak then");
  p.process.ended = "report_now";
  p.paused = true;
  EXPECT_EQ(lineWith(render(p, {}), "RESULT"), "RESULT  clean | so far | paused");
}

TEST(TextReport, Ranks) {
  Profile p = trainProfile();
  p.process.rank = 0;
  ReportStyle style;
  EXPECT_EQ(lineWith(render(p, style), "RANKS"),
            "RANKS    only rank 0 prints; json=PATH with %r in it keeps a profile of every rank");
  style.jsonPattern = "out/prof.%r.json";
  style.jsonPath = "/home/ada/out/prof.0.json";
  EXPECT_EQ(lineWith(render(p, style), "RANKS"),
            "RANKS    only rank 0 prints; each rank writes json=out/prof.%r.json");
  EXPECT_NE(lineWith(render(p, style), "NEXT").find("profile: /home/ada/out/prof.0.json"),
            std::string::npos);
  style.jsonPattern = "prof.json";
  style.reportPattern = "report.%p";
  EXPECT_EQ(lineWith(render(p, style), "RANKS"),
            "RANKS    only rank 0 prints; each rank writes json=prof.json (.PID where taken), "
            "report=report.%p");
  EXPECT_EQ(render(p, style).substr(0, 42), "== gpuinstr: ./train (pid 4242, rank 0)  1");
  expectFits(render(p, style));
}

TEST(TextReport, SeveralDevices) {
  Profile p = trainProfile();
  p.devices.push_back({1, "NVIDIA H200", 150000000000, 24000000, 0, false});
  p.devices.push_back({2, "NVIDIA L4", 24000000000, 0, 0, false});
  std::string text = render(p, {});
  expectFits(text);
  EXPECT_NE(text.find("2x NVIDIA H200, 1x NVIDIA L4"), std::string::npos);
  EXPECT_NE(
      text.find("MEMORY   peak 1.24 GB of 150 GB at 1.88 s (GPU 0), peak 24 MB of 150 GB (GPU "
                "1)\n         held: d_act 512 MB buffer.h:31, "),
      std::string::npos)
      << text;
}

} // namespace gpuinstr::report
