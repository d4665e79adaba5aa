// The copies of CUPTI's structs agree with the installed headers.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/cupti/ActivityRecords.h"
#include "time/exact/cupti/Cupti.h"
#include <gtest/gtest.h>
#if __has_include(<cupti.h>)
#include <cupti.h>
#endif

namespace gpuinstr::timing {

#if __has_include(<cupti.h>)
TEST(CuptiLayout, AsInTheHeaders) {
#define SAME(own, ours, theirs, field)                                                             \
  EXPECT_EQ(offsetof(own, ours), offsetof(theirs, field)) << #ours;                                \
  EXPECT_EQ(sizeof(own::ours), sizeof(theirs::field)) << #ours
#define KERNEL(ours, field) SAME(CuptiKernel, ours, CUpti_ActivityKernel10, field)
  KERNEL(kind, kind);
  KERNEL(registers, registersPerThread);
  KERNEL(start, start);
  KERNEL(end, end);
  KERNEL(device, deviceId);
  KERNEL(stream, streamId);
  KERNEL(staticShared, staticSharedMemory);
  KERNEL(dynamicShared, dynamicSharedMemory);
  KERNEL(correlation, correlationId);
  KERNEL(name, name);
  KERNEL(graphNode, graphNodeId);
  KERNEL(graph, graphId);
  EXPECT_EQ(offsetof(CuptiKernel, grid), offsetof(CUpti_ActivityKernel10, gridX));
  EXPECT_EQ(offsetof(CuptiKernel, block), offsetof(CUpti_ActivityKernel10, blockX));
#define COPY(field, theirs) SAME(CuptiMemcpy, field, CUpti_ActivityMemcpy6, theirs)
  COPY(copyKind, copyKind);
  COPY(srcKind, srcKind);
  COPY(dstKind, dstKind);
  COPY(bytes, bytes);
  COPY(start, start);
  COPY(end, end);
  COPY(device, deviceId);
  COPY(correlation, correlationId);
  COPY(graphNode, graphNodeId);
  COPY(graph, graphId);
#define PEER(field, theirs) SAME(CuptiPeerCopy, field, CUpti_ActivityMemcpyPtoP4, theirs)
  PEER(bytes, bytes);
  PEER(end, end);
  PEER(correlation, correlationId);
  PEER(graphNode, graphNodeId);
#define SET(field, theirs) SAME(CuptiMemset, field, CUpti_ActivityMemset4, theirs)
  SET(bytes, bytes);
  SET(end, end);
  SET(device, deviceId);
  SET(correlation, correlationId);
  SET(graphNode, graphNodeId);
  EXPECT_EQ(offsetof(CuptiSubscriber, oldSize),
            offsetof(CUpti_SubscriberParams, oldSubscriberSize));
  EXPECT_EQ(sizeof(CuptiSubscriber), size_t(CUpti_SubscriberParams_STRUCT_SIZE));
  EXPECT_EQ(ActivityKernel, uint32_t(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  EXPECT_EQ(ActivityPeer, uint32_t(CUPTI_ACTIVITY_KIND_MEMCPY2));
}
#endif

TEST(CuptiRecords, OfOtherKindsAreLeftOut) {
  uint32_t kind[64] = {17};
  DeviceRecord record;
  EXPECT_FALSE(readRecord(kind, record));
}

TEST(CuptiRecords, BuffersComeBackCleanAndWithTheirOwner) {
  int owner = 0;
  size_t size = 0;
  uint8_t *buffer = takeBuffer({&owner, 3}, size);
  ASSERT_NE(buffer, nullptr);
  buffer[0] = 9;
  EXPECT_EQ(tagOf(buffer).owner, &owner);
  EXPECT_EQ(tagOf(buffer).number, 3u);
  giveBackBuffer(buffer, 100);
  uint8_t *again = takeBuffer({nullptr, 0}, size);
  EXPECT_EQ(again, buffer) << "pooled";
  EXPECT_EQ(again[0], 0);
  EXPECT_EQ(tagOf(again).owner, nullptr);
  giveBackBuffer(again, 0);
}

} // namespace gpuinstr::timing
