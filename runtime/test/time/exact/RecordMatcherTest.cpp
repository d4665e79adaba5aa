// Records joined to calls, on streams as CUPTI gives them (an H200's, shortened).
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/RecordMatcher.h"
#include "time/exact/NodeLines.h"
#include "time/exact/RecordStore.h"
#include <gtest/gtest.h>

namespace gpuinstr::timing {

namespace {

/// Of a thread: its calls, its records, and what becomes of both.
class ExactJoin : public testing::Test, public RecordSink {
protected:
  static std::string nameOf(uint64_t function) {
    return function == 1 ? "ns::add<float>" : function == 2 ? "scale" : "";
  }
  void call(SiteIndex site, Asked asked, uint64_t what = 0, uint32_t grid = 1) {
    LogEntry *entry = Log.next();
    ASSERT_NE(entry, nullptr);
    *entry = LogEntry();
    entry->site = site;
    entry->asked = asked;
    entry->startTicks = Now += 10000;
    entry->what = what;
    entry->shape = shape(grid);
    Last = entry;
    Log.publish();
  }
  static uint32_t shape(uint32_t x) {
    uint32_t grid[3] = {x, 1, 1}, block[3] = {32, 1, 1};
    return shapeOf(grid, block, 0);
  }
  DeviceRecord kernel(const char *name, uint32_t grid = 1) {
    DeviceRecord r;
    r.name = name;
    r.shape = shape(grid);
    r.correlation = ++Correlation;
    r.start = Now + 1000;
    r.end = r.start + 500;
    return r;
  }
  DeviceRecord copy(uint64_t bytes) {
    DeviceRecord r = kernel(nullptr);
    r.done = Done::Copy;
    r.copyKind = 1;
    r.bytes = bytes;
    return r;
  }
  DeviceRecord node(DeviceRecord r, uint64_t id, uint32_t correlation) {
    r.graphNode = id;
    r.correlation = correlation;
    return r;
  }
  void feed(const std::vector<DeviceRecord> &records) {
    Join.feed(records, Log, TickScale(), *this);
  }
  void finish() { Join.finish(Log, TickScale(), *this); }

  void joined(const LogEntry &entry, const DeviceRecord *, size_t count) override {
    Joined.push_back(entry.site);
    Sizes.push_back(count);
  }
  void foreign(const DeviceRecord *, size_t count) override { Foreign += count; }
  void lost(const LogEntry &entry) override { Lost.push_back(entry.site); }

  using Sites = std::vector<SiteIndex>;
  CallLog Log;
  RecordMatcher Join{nameOf};
  LogEntry *Last = nullptr;
  uint64_t Now = 1000000;
  uint32_t Correlation = 0;
  Sites Joined, Lost;
  std::vector<size_t> Sizes;
  size_t Foreign = 0;
};

constexpr const char *Add = "_ZN2ns3addIfEEvPT_", *Scale = "_Z5scalePf", *Sgemm = "sgemm_128x64_nn";

TEST(KernelNames, MangledAndSpelled) {
  EXPECT_TRUE(namesKernel(Add, "ns::add<float>"));
  EXPECT_FALSE(namesKernel(Scale, "ns::add<float>"));
  EXPECT_TRUE(namesKernel("plain", "plain"));
  EXPECT_FALSE(namesKernel("plainer", "plain"));
  EXPECT_TRUE(namesKernel(Scale, "")) << "unknown";
}

TEST_F(ExactJoin, OneByOneInTheOrderOfTheCalls) {
  call(1, Asked::Kernel, 1);
  call(2, Asked::Kernel, 1);
  call(3, Asked::Copy, 4096);
  call(1, Asked::Kernel, 1);
  feed({kernel(Add), kernel(Add), copy(4096)});
  feed({kernel(Add)});
  finish();
  EXPECT_EQ(Joined, (Sites{1, 2, 3, 1}));
  EXPECT_EQ(Foreign, 0u);
  EXPECT_TRUE(Lost.empty());
}

TEST_F(ExactJoin, KernelsOfALibraryThatIsNotInstrumented) {
  call(1, Asked::Kernel, 1);
  call(2, Asked::Kernel, 2);
  feed({kernel(Add), kernel(Sgemm), kernel(Sgemm, 2), kernel(Scale)});
  EXPECT_EQ(Joined, (Sites{1, 2}));
  EXPECT_EQ(Foreign, 2u);
}

TEST_F(ExactJoin, TheSameKernelLaunchedByUnseenCodeBefore) {
  DeviceRecord unseen = kernel(Add);
  Now += 100000; // the call came later than that
  call(1, Asked::Kernel, 1);
  feed({unseen, kernel(Add)});
  EXPECT_EQ(Joined, (Sites{1}));
  EXPECT_EQ(Foreign, 1u);
}

TEST_F(ExactJoin, AVendorCallGetsAllThatItLaunches) {
  call(1, Asked::Kernel, 1);
  call(7, Asked::Library);
  call(2, Asked::Kernel, 2);
  feed({kernel(Add), kernel(Sgemm), kernel(Sgemm, 4), copy(64), kernel(Scale)});
  EXPECT_EQ(Joined, (Sites{1, 7, 7, 7, 2}));
  EXPECT_EQ(Foreign, 0u);
  call(8, Asked::Library);
  feed({kernel(Sgemm)});
  EXPECT_EQ(Joined.back(), 8u) << "the last call of the program, with nothing behind it";
}

TEST_F(ExactJoin, AVendorCallThatLaunchesNothing) {
  call(7, Asked::Library);
  call(8, Asked::Library);
  Now += 100000;
  call(1, Asked::Kernel, 1);
  feed({kernel(Add)});
  EXPECT_EQ(Joined, (Sites{1}));
}

TEST_F(ExactJoin, ACallThatFailedHasNoRecord) {
  call(1, Asked::Kernel, 1);
  Last->dead = 1;
  call(2, Asked::Kernel, 1);
  feed({kernel(Add)});
  finish();
  EXPECT_EQ(Joined, (Sites{2}));
  EXPECT_TRUE(Lost.empty());
}

TEST_F(ExactJoin, ACallWithoutARecordIsPassedOver) {
  call(1, Asked::Copy, 77);
  call(2, Asked::Kernel, 2);
  call(3, Asked::Kernel, 1);
  feed({kernel(Scale)});
  finish();
  EXPECT_EQ(Joined, (Sites{2}));
  EXPECT_EQ(Lost, (Sites{1, 3}));
}

TEST_F(ExactJoin, SizesMayDifferWhereTheNextInLineIsOfTheKind) {
  call(1, Asked::Copy, 100);
  call(2, Asked::Copy, 200);
  feed({copy(128), copy(200)});
  EXPECT_EQ(Joined, (Sites{1, 2}));
}

TEST_F(ExactJoin, AGraphIsOneCallEvenAcrossBuffers) {
  call(1, Asked::Graph);
  call(2, Asked::Graph);
  call(3, Asked::Kernel, 1);
  DeviceRecord a = node(kernel(Add), 10, 5), b = node(kernel(Scale), 11, 5);
  DeviceRecord c = node(kernel(Add), 10, 6), d = node(kernel(Scale), 11, 6);
  Correlation = 6;
  feed({a, b, c});
  feed({d, kernel(Add)});
  EXPECT_EQ(Joined, (Sites{1, 2, 3}));
  EXPECT_EQ(Sizes, (std::vector<size_t>{2, 2, 1}));
}

TEST_F(ExactJoin, WhatHadNotFinishedTakesItsEntryAlong) {
  call(1, Asked::Kernel, 1);
  call(2, Asked::Kernel, 1);
  DeviceRecord cut = kernel(Add);
  cut.start = cut.end = 0;
  feed({cut, kernel(Add)});
  EXPECT_EQ(Joined, (Sites{2}));
  EXPECT_EQ(Join.unfinished(), 1u);
}

TEST_F(ExactJoin, TheLogGivesItsBlocksBack) {
  for (int round = 0; round < 50; ++round) {
    std::vector<DeviceRecord> records;
    for (int i = 0; i < 700; ++i) {
      call(SiteIndex(1 + i % 3), Asked::Kernel, 1);
      records.push_back(kernel(Add));
    }
    feed(records);
  }
  EXPECT_EQ(Joined.size(), 35000u);
  EXPECT_EQ(Foreign, 0u);
  EXPECT_EQ(Log.dropped(), 0u);
}

TEST_F(ExactJoin, ALogThatNobodyReadsStopsGrowing) {
  for (uint64_t i = 0; i < CallLog::Most + 5000; ++i)
    if (LogEntry *entry = Log.next()) {
      *entry = LogEntry();
      Log.publish();
    }
  EXPECT_GT(Log.dropped(), 0u);
}

class ExactGraph : public ExactJoin {
protected:
  NodeLines Graphs{nameOf};
  CapturedOp op(SiteIndex site, Asked asked, uint64_t what, uint32_t grid = 1) {
    return {site, asked, shape(grid), what};
  }
};

TEST_F(ExactGraph, ReplaysAreChargedToTheCapturingLines) {
  uint64_t first = Graphs.begin();
  for (CapturedOp o : {op(1, Asked::Kernel, 1), op(2, Asked::Kernel, 1), op(3, Asked::Copy, 64)})
    Graphs.add(first, o);
  uint64_t second = Graphs.begin();
  for (CapturedOp o : {op(4, Asked::Kernel, 1), op(5, Asked::Kernel, 2)})
    Graphs.add(second, o);
  // Nodes run in another order than they were made in.
  std::vector<DeviceRecord> replay = {node(copy(64), 12, 9), node(kernel(Add), 10, 9),
                                      node(kernel(Add), 11, 9)};
  EXPECT_EQ(Graphs.sitesOf(replay.data(), 3), (Sites{3, 1, 2}));
  EXPECT_EQ(Graphs.sitesOf(replay.data(), 3), (Sites{3, 1, 2})) << "from memory";
  std::vector<DeviceRecord> other = {node(kernel(Add), 20, 9), node(kernel(Scale), 21, 9)};
  EXPECT_EQ(Graphs.sitesOf(other.data(), 2), (Sites{4, 5}));
}

TEST_F(ExactGraph, NodesThatWereNeverCapturedStayWithTheLaunch) {
  Graphs.add(Graphs.begin(), op(5, Asked::Kernel, 2, 8));
  std::vector<DeviceRecord> replay = {node(kernel(Sgemm), 30, 9), node(kernel(Scale, 8), 31, 9)};
  EXPECT_EQ(Graphs.sitesOf(replay.data(), 2), (Sites{0, 5}));
}

TEST_F(ExactJoin, KernelsBeyondTheRowsHaveOneTogetherAtEachSite) {
  RecordStore store(nameOf, 0);
  std::vector<std::string> names;
  for (size_t i = 0; i < MostRecordRows + 10; ++i)
    names.push_back("k" + std::to_string(i));
  LogEntry entry = LogEntry();
  entry.asked = Asked::Library;
  auto launch = [&](SiteIndex site, const char *name) {
    entry.site = site;
    DeviceRecord record = kernel(name);
    store.joined(entry, &record, 1);
  };
  for (const std::string &name : names)
    launch(1, name.c_str());
  launch(1, names[0].c_str());
  launch(2, names[0].c_str());
  DeviceRecord set = kernel(nullptr);
  set.done = Done::Set;
  entry.site = 2;
  store.joined(entry, &set, 1);
  const auto &first = *store.rowsOf(1), &second = *store.rowsOf(2);
  ASSERT_EQ(first.size(), MostRecordRows + 1);
  EXPECT_EQ(first[0]->device.figures().count, 2u);
  EXPECT_EQ(first[MostRecordRows - 1]->device.figures().count, 1u);
  EXPECT_EQ(first.back()->name, profile::OtherKernels);
  EXPECT_EQ(first.back()->device.figures().count, 10u);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second[0]->name, profile::OtherKernels);
  EXPECT_EQ(second[1]->work, DeviceWorkKind::Set);
}

} // namespace
} // namespace gpuinstr::timing
