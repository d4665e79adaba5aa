// Whether a device had room for what was freed and is sent again.
// SPDX-License-Identifier: Apache-2.0
#include "audit/lifetime/RoomToKeep.h"
#include <gtest/gtest.h>

using gpuinstr::audit::Resent;
using gpuinstr::audit::RoomToKeep;

namespace {

constexpr uint64_t Here = 1, There = 2;

/// Content 7, of 40 bytes, which left at 10 and comes back into a buffer that was made at `madeAt`.
Resent back(uint64_t madeAt, uint64_t content = 7, uint64_t freedAt = 10) {
  return {Here, content, 40, freedAt, madeAt, 40};
}

TEST(RoomToKeep, AllFitsWhereNobodyKnowsHowMuchThereIs) {
  RoomToKeep room;
  room.made(Here, 1, 1000);
  EXPECT_TRUE(room.has(back(20)));
}

TEST(RoomToKeep, WhatLivedMeanwhileTakesRoom) {
  for (uint64_t all : {79, 80}) {
    RoomToKeep room;
    room.noteLeft(Here, all);
    room.made(Here, 9, 40);
    room.freed(Here, 40);
    room.made(Here, 11, 40);
    room.freed(Here, 40);
    room.made(Here, 12, 40);
    EXPECT_EQ(room.has(back(12)), all == 80);
  }
}

TEST(RoomToKeep, TheNewBufferTakesNone) {
  RoomToKeep room;
  room.noteLeft(Here, 60);
  room.made(Here, 9, 40);
  room.freed(Here, 40);
  room.made(Here, 11, 40);
  EXPECT_TRUE(room.has(back(11)));
  room.made(Here, 12, 20);
  EXPECT_TRUE(room.has(back(11))) << "what comes behind it lives beside it in any case";
}

TEST(RoomToKeep, OverwrittenBytesWouldHaveNeededABufferOfTheirOwnFromTheBegin) {
  RoomToKeep room;
  room.noteLeft(Here, 70);
  room.made(Here, 9, 40);
  EXPECT_FALSE(room.has(back(9, 7, 0)));
  room.noteLeft(Here, 40);
  EXPECT_TRUE(room.has(back(9, 7, 0)));
}

TEST(RoomToKeep, WhatIsKeptTakesRoomOnce) {
  RoomToKeep room;
  room.noteLeft(Here, 100);
  room.keep(back(11));
  room.keep(back(12));
  EXPECT_TRUE(room.has(back(13, 8)));
  room.keep(back(13, 8));
  EXPECT_FALSE(room.has(back(14, 9)));
  EXPECT_TRUE(room.has(back(14, 8)));
}

TEST(RoomToKeep, OfAllocationsLongAgoTheMostIsKnown) {
  RoomToKeep room;
  room.noteLeft(Here, 100);
  room.made(Here, 11, 90);
  room.freed(Here, 90);
  for (uint64_t serial = 12; serial < 4000; ++serial) {
    room.made(Here, serial, 1);
    room.freed(Here, 1);
  }
  EXPECT_FALSE(room.has(back(4000)));
  EXPECT_TRUE(room.has(back(4000, 7, 3990)));
}

TEST(RoomToKeep, OtherContextsAreOtherMemory) {
  RoomToKeep room;
  room.noteLeft(Here, 50);
  room.made(There, 11, 1000);
  EXPECT_TRUE(room.has(back(12)));
  room.made(Here, 13, 20);
  EXPECT_FALSE(room.has(back(14)));
  room.forget(Here);
  EXPECT_TRUE(room.has(back(14)));
}

} // namespace
