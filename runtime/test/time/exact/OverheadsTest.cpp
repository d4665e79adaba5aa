// One-time and own costs out of CUPTI's overhead records, made up here.
// SPDX-License-Identifier: Apache-2.0
#include "time/exact/cupti/Overheads.h"
#include "time/exact/cupti/ActivityRecords.h"
#include "time/exact/cupti/Cupti.h"
#include <cstdlib>
#include <gtest/gtest.h>
#if __has_include(<cupti.h>)
#include <cupti.h>
#endif

namespace gpuinstr::timing {

#if __has_include(<cupti.h>)
TEST(Overheads, AsInTheHeaders) {
#define OVERHEAD(ours, field)                                                                      \
  EXPECT_EQ(offsetof(CuptiOverhead, ours), offsetof(CUpti_ActivityOverhead3, field)) << #ours;     \
  EXPECT_EQ(sizeof(CuptiOverhead::ours), sizeof(CUpti_ActivityOverhead3::field)) << #ours
  OVERHEAD(kind, kind);
  OVERHEAD(overhead, overheadKind);
  OVERHEAD(object, objectId);
  OVERHEAD(start, start);
  OVERHEAD(end, end);
  OVERHEAD(data, overheadData);
  EXPECT_EQ(ActivityOverhead, uint32_t(CUPTI_ACTIVITY_KIND_OVERHEAD));
#define KIND(ours, theirs) EXPECT_EQ(uint32_t(Overhead::ours), uint32_t(theirs))
  KIND(Compiler, CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER);
  KIND(BufferFlush, CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH);
  KIND(Instrumentation, CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION);
  KIND(Resource, CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE);
  KIND(ModuleLoading, CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING);
  KIND(LazyLoading, CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING);
  KIND(CommandBufferFull, CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
  KIND(BufferRequest, CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
  KIND(ManagedMemory, CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT);
}
#endif

TEST(Overheads, Read) {
  CuptiOverhead record = {};
  record.kind = ActivityOverhead;
  record.overhead = uint32_t(Overhead::Compiler);
  record.start = 5;
  record.end = 9;
  OverheadRecord read;
  ASSERT_TRUE(readOverhead(&record, read));
  EXPECT_EQ(read.kind, Overhead::Compiler);
  EXPECT_EQ(read.start, 5u);
  EXPECT_EQ(read.end, 9u);
  DeviceRecord device;
  EXPECT_FALSE(readRecord(&record, device)) << "no work of the device";
  record.start = record.end = 0;
  EXPECT_FALSE(readOverhead(&record, read)) << "its time is not known";
  record.kind = ActivityKernel;
  EXPECT_FALSE(readOverhead(&record, read));
}

TEST(Overheads, WhatARecordOwnsIsFreed) {
  CuptiOverhead record = {};
  record.kind = ActivityOverhead;
  record.overhead = uint32_t(Overhead::CommandBufferFull);
  record.start = 5;
  record.end = 9;
  record.data = std::malloc(12); // a leak checker tells
  OverheadRecord read;
  EXPECT_TRUE(readOverhead(&record, read));
  // In older records the field is not there: whatever follows is left alone.
  record.overhead = uint32_t(Overhead::Resource);
  record.data = &record;
  EXPECT_TRUE(readOverhead(&record, read));
}

TEST(Overheads, CompilingInsideLoadingCountsOnce) {
  Overheads all;
  EXPECT_FALSE(all.any());
  all.add({Overhead::ModuleLoading, 1000, 1500}, 900);
  all.add({Overhead::Compiler, 1100, 1400}, 900);
  all.add({Overhead::LazyLoading, 1450, 1600}, 900);
  EXPECT_TRUE(all.any());
  EXPECT_EQ(all.jitNs(), 300u);
  EXPECT_EQ(all.loadingNs(), 600u);
  EXPECT_EQ(all.ownNs() + all.ownStartNs(), 0u);
}

TEST(Overheads, WhatTheContextsMakingDidIsPartOfIt) {
  Overheads all;
  all.add({Overhead::ModuleLoading, 100, 500}, UINT64_MAX); // there is none yet
  all.add({Overhead::Compiler, 600, 700}, 900);             // handed over late
  all.add({Overhead::Compiler, 900, 950}, 900);
  EXPECT_EQ(all.loadingNs(), 50u);
  EXPECT_EQ(all.jitNs(), 150u);
}

TEST(Overheads, ItsOwnAtStartAndLater) {
  Overheads all;
  all.add({Overhead::Resource, 100, 500}, UINT64_MAX);
  all.add({Overhead::Instrumentation, 450, 600}, UINT64_MAX);
  all.add({Overhead::BufferFlush, 1000, 1010}, 900);
  all.add({Overhead::BufferRequest, 2000, 2003}, 900);
  all.add({Overhead::ManagedMemory, 3000, 3004}, 900);
  all.add({Overhead::CommandBufferFull, 4000, 9000}, 900);
  all.add({Overhead(77 << 16), 10000, 20000}, 900); // of a CUPTI to come
  EXPECT_EQ(all.ownStartNs(), 500u);
  EXPECT_EQ(all.ownNs(), 17u);
  EXPECT_EQ(all.loadingNs(), 0u);
}

TEST(Spans, TheUnionInAnyOrder) {
  Spans spans;
  spans.add(50, 60);
  spans.add(10, 20);
  spans.add(15, 30); // overlaps
  spans.add(30, 40); // touches
  spans.add(55, 55); // empty
  spans.add(5, 70);  // covers all
  EXPECT_EQ(spans.length(), 65u);
  spans.add(60, 65);
  EXPECT_EQ(spans.length(), 65u);
}

TEST(Spans, ManyInBoundedMemory) {
  Spans spans;
  for (uint64_t i = 0; i < 100 * Spans::Most; ++i)
    spans.add(10 * i, 10 * i + 3);
  EXPECT_EQ(spans.length(), 300 * Spans::Most);
}

} // namespace gpuinstr::timing
