// What a captured graph is known to do: whose launches went into it, and who saw it begin.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/Auditor.h"
#include "calls/CallHooks.h"
#include "cuda/CaptureTracker.h"
#include "cuda/Driver.h"
#include <map>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

TEST(GraphWork, ACaptureThatWasSeenToBeginIsKnown) {
  audit::GraphWorks works;
  works.captureBegun(1, true);
  works.captured(1).touches.push_back({nullptr, 0, 0});
  works.captureEnded(1, 100);
  ASSERT_TRUE(works.graph(100));
  EXPECT_FALSE(works.graph(100)->unknown);
  EXPECT_EQ(works.graph(100)->touches.size(), 1u);
  works.captureBegun(2, true);
  works.captureEnded(2, 101);
  ASSERT_TRUE(works.graph(101));
  EXPECT_FALSE(works.graph(101)->unknown) << "an empty capture";
}

TEST(GraphWork, OneThatNobodySawBeginMayDoAnything) {
  audit::GraphWorks works;
  works.captureEnded(1, 100);
  ASSERT_TRUE(works.graph(100));
  EXPECT_TRUE(works.graph(100)->unknown);
  works.captured(2).touches.push_back({nullptr, 0, 0});
  works.captureEnded(2, 101);
  ASSERT_TRUE(works.graph(101));
  EXPECT_TRUE(works.graph(101)->unknown);
  works.captureBegun(3, false);
  works.captureEnded(3, 102);
  ASSERT_TRUE(works.graph(102));
  EXPECT_TRUE(works.graph(102)->unknown) << "into a graph that held something before";
}

TEST(GraphWork, WhatAnExecutableDoesIsWhatItsGraphDidThen) {
  audit::GraphWorks works;
  works.captureBegun(1, true);
  works.captured(1).noteTouch({nullptr, 1, 0});
  works.captureEnded(1, 100);
  works.instantiated(7, 100);
  works.graph(100)->unknown = true; // a node was added
  EXPECT_FALSE(works.executable(7)->unknown);
  works.cloned(101, 100);
  works.instantiated(8, 101);
  works.nodeChanged(); // of the graphs
  EXPECT_EQ(works.executable(8)->touches.size(), 1u);
  EXPECT_FALSE(works.executable(7)->unknown);
  works.instantiated(7, 999); // of which nothing is known
  EXPECT_FALSE(works.executable(7));
}

/// As of a program that captures each step anew: what one used is the next one's.
TEST(GraphWork, NothingStaysOfTheOneBefore) {
  audit::GraphWorks works;
  for (unsigned step = 1; step <= 8; ++step) {
    works.captureBegun(step, true);
    audit::GraphWork &work = works.captured(step);
    EXPECT_TRUE(work.isPlain() && !work.unknown && !work.mayWait && !work.hostRuns) << step;
    work.noteTouch({nullptr, step, 0});
    work.follows = work.mayWait = work.hostRuns = work.unknown = true;
    work.keepsVariables = false;
    works.captureEnded(step, 100 + step % 2);
    works.instantiated(7, 100 + step % 2);
    works.destroyed(100 + step % 2);
    ASSERT_EQ(works.executable(7)->touches.size(), 1u);
    EXPECT_EQ(works.executable(7)->touches[0].serial, step);
  }
}

TEST(GraphWork, TouchesAreNotedOnceInALoop) {
  audit::GraphWork work;
  for (int i = 0; i < 100; ++i)
    for (uint64_t serial = 1; serial <= 3; ++serial)
      for (uint8_t access : {GPUINSTR_ACCESS_READ, GPUINSTR_ACCESS_WRITE})
        work.noteTouch({nullptr, serial, access});
  EXPECT_EQ(work.touches.size(), 6u);
}

/// By stream, the driver's number of the capture that it is part of; how often it was asked.
std::map<uint64_t, unsigned long long> InCapture;
int Questions = 0;

struct Captured : TwoBuffers {
  void SetUp() override {
    TwoBuffers::SetUp();
    one = makeStream(false);
    two = makeStream(false);
    InCapture.clear();
    cuda::Captures.forget();
    Questions = 0;
    timed = TimedOperations.exchange(0); // no capture is looked at for device times: that asks, too
    DriverApi api = *driverApi();
    api.streamGetCaptureInfo = [](void *stream, int *status, unsigned long long *id, void **,
                                  void *const **, size_t *) {
      ++Questions;
      auto in = InCapture.find(reinterpret_cast<uint64_t>(stream));
      *status = in != InCapture.end();
      *id = in != InCapture.end() ? in->second : 0;
      return 0;
    };
    useDriver(api);
  }
  void TearDown() override {
    TimedOperations = timed;
    TwoBuffers::TearDown();
  }
  void begin(uint64_t stream, unsigned long long number) {
    InCapture[stream] = number;
    simple(GPUINSTR_OP_CAPTURE_BEGIN, "cudaStreamBeginCapture", 880, stream);
  }
  /// What the auditor knows of the graph.
  const audit::GraphWork &end(uint64_t stream) {
    static uint64_t graph = 0x9000;
    ++graph;
    simple(GPUINSTR_OP_CAPTURE_END, "cudaStreamEndCapture", 881, stream,
           reinterpret_cast<uint64_t>(&graph));
    InCapture.erase(stream);
    return *audit::auditor().graphs.graph(graph);
  }
  void write(char *memory, uint64_t stream) {
    launch("writer", {parameter(Writes)}, {memory}, stream);
  }
  uint64_t one = 0, two = 0; ///< streams
  uint64_t timed = 0;
};

TEST_F(Captured, TheDriverIsAskedOnceWhereItsLaunchesGo) {
  write(d, one); // the kernel is known from here on
  begin(one, 1);
  EXPECT_EQ(Questions, 1) << "when it began";
  for (int i = 0; i < 10; ++i)
    write(d, one);
  EXPECT_EQ(Questions, 1);
  const audit::GraphWork &work = end(one);
  ASSERT_EQ(work.touches.size(), 1u) << "again and again the same";
  EXPECT_EQ(work.touches[0].range->base, reinterpret_cast<uint64_t>(d));
  EXPECT_FALSE(work.unknown);
}

TEST_F(Captured, KernelsWithoutParametersAreNotedOnceInEach) {
  for (int round = 0; round < 2; ++round) {
    begin(one, 1 + unsigned(round));
    for (int i = 0; i < 5; ++i)
      launch("spinner", {}, {}, one);
    const audit::GraphWork &work = end(one);
    EXPECT_TRUE(work.mayWait) << "nobody knows that it ends";
    EXPECT_FALSE(work.unknown);
  }
}

TEST_F(Captured, OfTwoAtOnceEachHasItsOwn) {
  begin(one, 1);
  write(d, one);
  begin(two, 2);
  for (int i = 0; i < 3; ++i) {
    write(d, one);
    write(other, two);
  }
  const audit::GraphWork &first = end(one);
  ASSERT_EQ(first.touches.size(), 1u);
  EXPECT_EQ(first.touches[0].range->base, reinterpret_cast<uint64_t>(d));
  // The stream joins what the other one captures.
  InCapture[one] = 2;
  write(d, one);
  const audit::GraphWork &second = end(two);
  ASSERT_EQ(second.touches.size(), 2u);
  EXPECT_EQ(second.touches[0].range->base, reinterpret_cast<uint64_t>(other));
  EXPECT_EQ(second.touches[1].range->base, reinterpret_cast<uint64_t>(d));
}

TEST_F(Captured, WhatIsNoPartOfItIsAskedEachTime) {
  begin(one, 1);
  Questions = 0;
  write(other, two);
  write(other, two);
  EXPECT_EQ(Questions, 2);
  InCapture[two] = 1; // it waited for an event of the first
  write(d, two);
  const audit::GraphWork &work = end(one);
  ASSERT_EQ(work.touches.size(), 1u);
  EXPECT_EQ(work.touches[0].range->base, reinterpret_cast<uint64_t>(d));
}

/// Launches into the capture, which run nothing, and what is known of them.
struct CapturedLaunches : Captured {
  audit::StreamState &state(uint64_t stream) {
    return audit::auditor().streams.of(stream, 1, nullptr);
  }
  static uint64_t launches() { return audit::Ranges::launches; }
  static uint64_t unknown() { return audit::Ranges::unknownWrites; }
  audit::Range &range(char *memory) {
    return *audit::auditor().ranges.find(reinterpret_cast<uint64_t>(memory));
  }
  void spin(uint64_t stream) { launch("spinner", {}, {}, stream); }
  void SetUp() override {
    Captured::SetUp();
    write(d, one); // kernels are known, allocations were used
    spin(two);
    syncDevice();
  }
};

TEST_F(CapturedLaunches, RunNothing) {
  const uint64_t before = launches(), writer = range(d).writer;
  begin(one, 1);
  for (int i = 0; i < 3; ++i) {
    write(d, one);
    spin(one);
  }
  EXPECT_EQ(launches(), before);
  EXPECT_EQ(range(d).writer, writer);
  EXPECT_TRUE(state(one).mayWait()) << "while it is not sure: no hash goes in";
  const audit::GraphWork &work = end(one);
  EXPECT_EQ(work.touches.size(), 1u);
  EXPECT_TRUE(work.mayWait);
  EXPECT_FALSE(state(one).mayWait()) << "it was there until its end";
  EXPECT_EQ(launches(), before);
  EXPECT_EQ(range(d).writer, writer);
}

TEST_F(CapturedLaunches, CountAsUsesThoughNoGraphIsLaunched) {
  begin(one, 1);
  launch("unseen", {parameter(Unseen)}, {other}, one);
  EXPECT_TRUE(range(other).used);
  EXPECT_TRUE(range(other).global) << "it may have handed the address on";
  EXPECT_NE(range(other).users.lastSite(), 0u);
  EXPECT_TRUE(end(one).follows);
}

TEST_F(CapturedLaunches, OfKernelsThatNobodyKnowsMayHandOnAnyAddress) {
  begin(one, 1);
  f.frame.slot[GPUINSTR_SLOT_FUNC] = 0xdead0;
  f.frame.slot[GPUINSTR_SLOT_STREAM] = one;
  f.call(
      site(GPUINSTR_OP_LAUNCH, "unknown", 801, bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM)),
      [] { return 0; });
  EXPECT_GE(audit::Ranges::lostUpTo, range(other).serial) << "to whatever runs later";
  EXPECT_TRUE(end(one).unknown);
}

/// Code without instrumentation ends the capture: what is launched from then on runs.
TEST_F(CapturedLaunches, MayHaveRunWhereItEndedUnseen) {
  begin(one, 1);
  spin(one);
  InCapture.erase(one);
  const uint64_t before = unknown();
  spin(one);
  EXPECT_EQ(unknown(), before) << "nobody has looked so far";
  uploadAsync(20, d, host.data(), one);
  EXPECT_GT(unknown(), before);
  EXPECT_TRUE(state(one).mayWait());
  EXPECT_GT(state(one).lastLaunch, state(one).done);
  const uint64_t counted = launches();
  spin(one);
  EXPECT_EQ(launches(), counted + 1) << "the driver is asked anew";
}

TEST_F(CapturedLaunches, MayHaveRunForWhoeverLooksBeside) {
  begin(one, 1);
  spin(one);
  const uint64_t before = unknown();
  uploadAsync(20, d, host.data(), two); // that stream is in no capture
  EXPECT_GT(unknown(), before);
  spin(one);
  EXPECT_FALSE(end(one).unknown);
}

TEST_F(CapturedLaunches, AreSureForWhatGoesThereAsWell) {
  begin(one, 1);
  spin(one);
  const uint64_t before = unknown(), counted = launches();
  uploadAsync(20, d, host.data(), one);
  spin(one);
  end(one);
  EXPECT_EQ(unknown(), before);
  EXPECT_EQ(launches(), counted);
}

TEST_F(CapturedLaunches, MayHaveRunWhereAnotherThreadEndsIt) {
  begin(one, 1);
  std::thread([&] { spin(one); }).join();
  const uint64_t before = unknown();
  end(one);
  EXPECT_GT(unknown(), before) << "its launch may have come too late";
}

TEST_F(CapturedLaunches, MayHaveRunWhereTheProgramEndsMeanwhile) {
  begin(one, 1);
  spin(one);
  const uint64_t before = unknown();
  profileNow();
  EXPECT_GT(unknown(), before);
}

TEST_F(CapturedLaunches, AreNotedAsIfTheyRanWhileHashesWait) {
  audit::Auditor::underWay.fetch_add(1);
  begin(one, 1);
  const uint64_t before = launches();
  spin(one);
  EXPECT_EQ(launches(), before + 1) << "it may have to be put behind them";
  audit::Auditor::underWay.fetch_sub(1);
  spin(one);
  spin(one);
  EXPECT_EQ(launches(), before + 1);
  EXPECT_TRUE(end(one).mayWait);
}

TEST_F(CapturedLaunches, OfTwoCapturesInTurnsAreNotedAsIfTheyRan) {
  begin(one, 1);
  spin(one);
  begin(two, 2);
  const uint64_t before = launches();
  spin(one);
  spin(two);
  EXPECT_EQ(launches(), before + 2);
  EXPECT_TRUE(end(two).mayWait);
  EXPECT_TRUE(end(one).mayWait);
}

TEST_F(CapturedLaunches, BesideThemOthersRun) {
  begin(one, 1);
  spin(one);
  const uint64_t before = launches();
  spin(two);
  spin(0); // the legacy stream is never captured
  EXPECT_EQ(launches(), before + 2);
  end(one);
}

/// cudaGraphExecUpdate: the driver's numbers of graphs are end()'s.
struct WholeUpdate : CapturedLaunches {
  static constexpr uint64_t Executable = 0xe000;
  void update(uint64_t graph, int result) {
    f.frame.slot[GPUINSTR_SLOT_DST] = Executable;
    f.frame.slot[GPUINSTR_SLOT_SRC] = graph;
    f.call(site(GPUINSTR_OP_GRAPH_NODE, "cudaGraphExecUpdate", 882,
                bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_SRC), 0, GPUINSTR_SITE_CUDA_ERROR, 2),
           [&] { return result; });
  }
  void SetUp() override {
    CapturedLaunches::SetUp();
    audit::auditor().graphs.created(100);
    audit::auditor().graphs.graph(100)->noteTouch({&range(d), range(d).serial, Writes});
  }
};

TEST_F(WholeUpdate, DoesNothingButMakeItThatGraph) {
  const uint64_t before = unknown(), counted = launches();
  update(100, 0);
  EXPECT_EQ(unknown(), before);
  EXPECT_EQ(launches(), counted);
  ASSERT_TRUE(audit::auditor().graphs.executable(Executable));
  EXPECT_EQ(audit::auditor().graphs.executable(Executable)->touches.size(), 1u);
}

TEST_F(CapturedLaunches, BehindACopyAreNotThoseBeforeIt) {
  audit::GraphWork work;
  static gpuinstr_site *upload = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 883);
  f.frame.site = upload;
  cuda::CallOperands operands;
  operands.frame = &f.frame;
  const Call call{operands, *upload, *thisThread(), 0, 0};
  work.noteTouch({&range(d), range(d).serial, Reads});
  work.copies.emplace_back(call, operands);
  work.noteTouch({&range(d), range(d).serial, Reads});
  work.noteTouch({&range(d), range(d).serial, Reads});
  ASSERT_EQ(work.touches.size(), 2u);
  EXPECT_EQ(work.touches[0].copies, 0u);
  EXPECT_EQ(work.touches[1].copies, 1u);
}

TEST_F(WholeUpdate, ThatFailedLeavesOneOfWhichNothingIsKnown) {
  update(100, 0);
  update(100, 910);
  EXPECT_FALSE(audit::auditor().graphs.executable(Executable));
}

} // namespace
