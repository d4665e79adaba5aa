// What events and host functions show of what is under way in streams.
// SPDX-License-Identifier: Apache-2.0
#include "audit/ordering/Streams.h"
#include "audit/ordering/Ranges.h"
#include <gtest/gtest.h>

using namespace gpuinstr;

namespace {

TEST(Streams, AnEventShowsTheEndOfWhatWasPutInBeforeIt) {
  audit::Streams streams;
  audit::StreamState &copies = streams.of(1, 1, nullptr), &other = streams.of(2, 1, nullptr);
  streams.recorded(0x50, copies);
  uint64_t put = audit::Streams::Puts.load();
  streams.put(copies);
  EXPECT_FALSE(streams.shows(0x50, copies.index, put)) << "recorded before it";
  EXPECT_FALSE(streams.shows(0x51, copies.index, put)) << "never recorded";
  streams.recorded(0x51, other);
  EXPECT_FALSE(streams.shows(0x51, copies.index, put)) << "in another stream";
  streams.recorded(0x50, copies);
  EXPECT_TRUE(streams.shows(0x50, copies.index, put));
  EXPECT_FALSE(streams.shows(0x50, copies.index, audit::Streams::Puts.load())) << "of the next one";
}

TEST(Streams, AHostFunctionMayRunBeforeWhatWaitsForIt) {
  audit::Streams streams;
  for (uint64_t handle : {0x10, 0x20})
    streams.created(handle, 1, false);
  audit::StreamState &copies = streams.of(0x10, 1, nullptr), &other = streams.of(0x20, 1, nullptr);
  other.hold = audit::Ranges::launches.fetch_add(1) + 1;
  EXPECT_FALSE(streams.hostMayRunBefore(copies)) << "nothing orders the two";
  EXPECT_TRUE(streams.hostMayRunBefore(other)) << "in the same stream";
  streams.recorded(0x50, other);
  streams.waited(copies, 0x50);
  EXPECT_TRUE(streams.hostMayRunBefore(copies)) << "behind its event";
  streams.idle(copies, audit::Ranges::launches.load());
  EXPECT_FALSE(streams.hostMayRunBefore(copies)) << "all that was waited for has ended";
  other.hold = audit::Ranges::launches.fetch_add(1) + 1;
  EXPECT_FALSE(streams.hostMayRunBefore(copies)) << "put in behind the event";
  streams.of(0, 1, nullptr);
  EXPECT_TRUE(streams.hostMayRunBefore(copies)) << "what the default stream got may stand between";
  copies.blocking = false;
  EXPECT_FALSE(streams.hostMayRunBefore(copies)) << "not where it is not waited for";
}

TEST(Streams, WhatADestroyedStreamGotIsUnderWayWhenAnotherOneIsMade) {
  audit::Streams streams;
  constexpr uint64_t Context = 1;
  streams.created(0x10, Context, true);
  audit::StreamState &copies = streams.of(0x10, Context, nullptr);
  streams.put(copies);
  streams.destroyed(0x10);
  streams.created(0x10, Context, true); // the driver hands out the same handle
  audit::StreamState &other = streams.of(0x10, Context, nullptr);
  EXPECT_NE(&copies, &other);
  EXPECT_FALSE(streams.anyWork(other));
  EXPECT_TRUE(streams.anyWorkIn(Context));
  EXPECT_TRUE(audit::Streams::mayOvertake(copies, other));
  streams.syncedContext(Context, audit::Ranges::launches.load());
  EXPECT_FALSE(streams.anyWorkIn(Context));
  streams.created(0x20, Context, true);
  EXPECT_EQ(&copies, &streams.of(0x20, Context, nullptr)) << "its place is free again";
}

TEST(Streams, AThreadThatIsNewToCudaUsesTheOnlyContext) {
  audit::Streams streams;
  constexpr uint64_t Context = 1, Other = 2, Legacy = 0;
  streams.onlyContext(Context);
  audit::StreamState &known = streams.of(Legacy, Context, nullptr);
  EXPECT_EQ(&known, &streams.of(Legacy, 0, nullptr));
  streams.put(known);
  EXPECT_TRUE(streams.anyWorkIn(0));
  streams.syncedContext(Context, audit::Ranges::launches.load());
  EXPECT_FALSE(streams.anyWorkIn(0));
  streams.onlyContext(0); // there are several
  audit::StreamState &any = streams.of(Legacy, 0, nullptr);
  audit::StreamState &other = streams.of(Legacy, Other, nullptr);
  EXPECT_NE(&known, &any);
  streams.put(any);
  EXPECT_TRUE(streams.anyWork(other)) << "it may be the same stream";
  EXPECT_TRUE(streams.anyWorkIn(Other));
}

TEST(Streams, AThreadThatEndsLeavesItsOwnStreamsWorkBehind) {
  audit::Streams streams;
  constexpr uint64_t Context = 1, PerThread = 2;
  int thread = 0; // where another one is next
  audit::StreamState &first = streams.of(PerThread, Context, &thread);
  streams.put(first);
  streams.threadEnded(&thread);
  audit::StreamState &next = streams.of(PerThread, Context, &thread);
  EXPECT_NE(&first, &next);
  streams.synced(next, audit::Ranges::launches.load());
  EXPECT_TRUE(streams.anyWorkIn(Context));
}

TEST(Streams, ManyDestroyedStreamsLeaveTheirWorkToOthers) {
  audit::Streams streams;
  constexpr uint64_t Context = 1;
  for (uint64_t i = 0; i < 1000; ++i) {
    streams.created(0x10, Context, true);
    streams.put(streams.of(0x10, Context, nullptr));
    streams.destroyed(0x10);
  }
  EXPECT_EQ(nullptr, streams.at(100)) << "each call would look at all of them";
  EXPECT_TRUE(streams.anyWorkIn(Context));
}

} // namespace
