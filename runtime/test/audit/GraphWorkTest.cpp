// What a captured graph is known to do: whose launches went into it, and who saw it begin.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/Auditor.h"
#include "calls/CallHooks.h"
#include "cuda/Driver.h"
#include <map>

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

/// By stream, the driver's number of the capture that it is part of; how often it was asked.
std::map<uint64_t, unsigned long long> InCapture;
int Questions = 0;

struct Captured : TwoBuffers {
  void SetUp() override {
    TwoBuffers::SetUp();
    one = makeStream(false);
    two = makeStream(false);
    InCapture.clear();
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
  begin(one, 1);
  write(d, one);
  Questions = 0;
  for (int i = 0; i < 10; ++i)
    write(d, one);
  EXPECT_EQ(Questions, 0);
  const audit::GraphWork &work = end(one);
  ASSERT_EQ(work.touches.size(), 11u);
  EXPECT_EQ(work.touches[10].range->base, reinterpret_cast<uint64_t>(d));
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
  ASSERT_EQ(first.touches.size(), 4u);
  for (const audit::GraphTouch &touch : first.touches)
    EXPECT_EQ(touch.range->base, reinterpret_cast<uint64_t>(d));
  // The stream joins what the other one captures.
  InCapture[one] = 2;
  write(d, one);
  const audit::GraphWork &second = end(two);
  ASSERT_EQ(second.touches.size(), 4u);
  EXPECT_EQ(second.touches[3].range->base, reinterpret_cast<uint64_t>(d));
}

TEST_F(Captured, WhatIsNoPartOfItIsAskedEachTime) {
  begin(one, 1);
  Questions = 0;
  write(d, two);
  write(d, two);
  EXPECT_EQ(Questions, 2);
  InCapture[two] = 1; // it waited for an event of the first
  write(d, two);
  EXPECT_EQ(end(one).touches.size(), 1u);
}

} // namespace
