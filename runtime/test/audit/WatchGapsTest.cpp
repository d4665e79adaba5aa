// Launches, events and changes of graphs in attached programs that went unseen: anything may have
// been done.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "calls/CallHooks.h"
#include "calls/budget/WatchWindows.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct WatchGaps : TwoBuffers {
  uint64_t stream = 0;
  void SetUp() override {
    TwoBuffers::SetUp();
    stream = makeStream(true);
  }
  void TearDown() override {
    if (goUnseen())
      turn();
    TwoBuffers::TearDown();
  }
  /// From now on they go unseen, or are seen again.
  static void turn() { WatchEpoch.fetch_add(1); }
  void repeatedSets() {
    for (int i = 0; i < 8; ++i)
      set(20, d, 7);
  }
  void freshUploads() {
    for (int i = 0; i < 8; ++i) {
      host[5] = char(i);
      upload(21, d, host.data());
    }
  }
  bool isProven(const char *pattern) {
    return !none(pattern) && finding(pattern).grade.text() == std::string("proven");
  }
};

TEST_F(WatchGaps, AllIsSeen) {
  repeatedSets();
  EXPECT_TRUE(isProven("noop-copy"));
  for (int i = 0; i < 4; ++i)
    syncStream(stream);
  EXPECT_FALSE(none("needless-sync"));
}

TEST_F(WatchGaps, MayWriteAnything) {
  turn();
  repeatedSets();
  EXPECT_FALSE(isProven("noop-copy"));
}

TEST_F(WatchGaps, MayReadAnything) {
  turn();
  freshUploads();
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(WatchGaps, BetweenTwoWindowsAsWell) {
  for (int i = 0; i < 8; ++i) {
    host[5] = char(i);
    upload(21, d, host.data());
    turn();
    turn();
  }
  EXPECT_TRUE(none("dead-copy"));
}

TEST_F(WatchGaps, MayUseWhatNothingElseUses) {
  turn();
  char *one = alloc(30);
  free(31, one);
  turn();
  char *other = alloc(32);
  turn();
  turn();
  free(33, other);
  EXPECT_TRUE(none("unused-allocation"));
}

TEST_F(WatchGaps, AreWorkToWaitFor) {
  turn();
  for (int i = 0; i < 8; ++i)
    syncStream(stream);
  turn();
  syncStream(stream);
  EXPECT_TRUE(none("needless-sync"));
  for (int i = 0; i < 4; ++i)
    syncStream(stream);
  EXPECT_EQ(finding("needless-sync").count, 4u);
}

TEST_F(WatchGaps, StandBetweenSmallCopies) {
  turn();
  for (int i = 0; i < 40; ++i)
    upload(22, d + 64 * i, host.data(), 64);
  EXPECT_TRUE(none("small-copies"));
}

TEST_F(WatchGaps, BesideAHashNoneMayGo) {
  EXPECT_TRUE(Hooks.mayGoUnseen());
  ++audit::Auditor::underWay;
  EXPECT_FALSE(Hooks.mayGoUnseen());
  --audit::Auditor::underWay;
}

TEST_F(WatchGaps, AnEventMayHaveBeenRecordedElsewhere) {
  auto &streams = audit::auditor().streams;
  auto &at = streams.of(stream, 0, nullptr);
  streams.recorded(0x77, at);
  EXPECT_TRUE(streams.waited(at, 0x77));
  turn();
  syncStream(stream);
  turn();
  EXPECT_FALSE(streams.waited(at, 0x77));
}

} // namespace
