// What the host has sent before, and who holds it.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/SentContents.h"
#include <gtest/gtest.h>

namespace gpuinstr::audit {

namespace {

ContentHash content(uint64_t n) {
  ContentHash hash;
  hash.first = n;
  return hash;
}

struct SentContentsTest : testing::Test {
  static constexpr uint64_t Bytes = 64;
  SentContentsTest() {
    key.range = &range;
    key.id.bytes = Bytes;
    range.bytes = Bytes;
    key.hi = Bytes;
  }
  SentContents sent;
  Range range;
  Key key;
};

} // namespace

TEST_F(SentContentsTest, AFreedBufferHoldsNothing) {
  sent.put(content(1), key, 1);
  EXPECT_EQ(sent.find(content(1), Bytes, range.context)->holder, &key);
  sent.retire(key, 7, true);
  EXPECT_EQ(sent.find(content(1), Bytes, range.context)->holder, nullptr);
  EXPECT_EQ(sent.find(content(1), Bytes, range.context)->freeSite, 7u);
  EXPECT_TRUE(sent.find(content(1), Bytes, range.context)->untouched);
}

// What one device holds serves no other.
TEST_F(SentContentsTest, EachDeviceHasItsOwn) {
  constexpr uint64_t Other = 1;
  sent.put(content(1), key, 1);
  EXPECT_EQ(sent.find(content(1), Bytes, Other), nullptr);
  sent.retire(key, 7, true);
  EXPECT_EQ(sent.find(content(1), Bytes, Other), nullptr);
}

TEST_F(SentContentsTest, ItIsShownWhatADeviceHeldToTheEnd) {
  key.content = content(1);
  key.hasLastContent = true;
  sent.put(content(1), key, 1);
  EXPECT_FALSE(sent.find(content(1), Bytes, range.context)->shown);
  sent.retire(key, 7, true);
  EXPECT_TRUE(sent.find(content(1), Bytes, range.context)->shown);
  sent.put(content(1), key, 2); // and again: now another one is to be seen first
  sent.retire(key, 7, false);
  EXPECT_FALSE(sent.find(content(1), Bytes, range.context)->shown);
}

// The key is gone with its buffer, and nothing may point to it.
TEST_F(SentContentsTest, NorDoesItHoldWhatItGotBefore) {
  sent.put(content(1), key, 1);
  sent.put(content(2), key, 2);
  const Sent *before = sent.find(content(1), Bytes, range.context);
  EXPECT_EQ(before->holder, nullptr);
  EXPECT_TRUE(before->replaced);
  EXPECT_FALSE(before->kernelWrote);
  EXPECT_EQ(sent.find(content(2), Bytes, range.context)->holder, &key);
  sent.retire(key, 7, true);
  EXPECT_EQ(sent.find(content(2), Bytes, range.context)->holder, nullptr);
}

TEST_F(SentContentsTest, AKernelThatWroteBeforeOtherBytesCameIsKnown) {
  sent.put(content(1), key, 1);
  range.written.store(true);
  sent.put(content(2), key, 2);
  EXPECT_TRUE(sent.find(content(1), Bytes, range.context)->kernelWrote);
}

TEST_F(SentContentsTest, TheSameBytesAgainStayWhereTheyAre) {
  sent.put(content(1), key, 1);
  sent.put(content(1), key, 2);
  const Sent *now = sent.find(content(1), Bytes, range.context);
  EXPECT_EQ(now->holder, &key);
  EXPECT_EQ(now->version, 2u);
  EXPECT_FALSE(now->replaced);
}

} // namespace gpuinstr::audit
