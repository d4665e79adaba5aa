// What goes into a stream before an operation that is timed.
// SPDX-License-Identifier: Apache-2.0
#include "time/sampled/pairs/Filler.h"
#include "SamplerFixture.h"
#include "calls/budget/DeviceMemoryCap.h"
#include "time/sampled/pairs/EventPairs.h"
#include "time/sampled/totals/TimeStore.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {
class Fillers : public Sampler {};
} // namespace

TEST_F(Fillers, GoIntoAnIdleStreamBeforeTheFirstEvent) {
  const int allocated = FakeDevice::Allocated;
  EXPECT_GE(allocated, 1) << "beside the program's own";
  launch(1000, 0x55); // the context's first measures events
  finish();
  const int warm = FakeDevice::Sets, records = before();
  launch(1000, 0x55);
  EXPECT_EQ(FakeDevice::Sets, warm + 1);
  EXPECT_EQ(FakeDevice::LastSet.address, 0x5c8a7c00u);
  EXPECT_EQ(FakeDevice::LastSet.stream, 0x55u);
  EXPECT_EQ(FakeDevice::LastSet.records, records);
  F.alloc(Alloc, 0x300000, 4096);
  EXPECT_EQ(FakeDevice::Allocated, allocated) << "once a context";
  EXPECT_EQ(profileNow().process.own_device_bytes, uint64_t(allocated) << 21);
  finish();
  MayFill = false;
  launch(1000, 0x55);
  EXPECT_EQ(FakeDevice::Sets, warm + 1) << "something may wait for the program";
  MayFill = true;
  EXPECT_EQ(FakeDevice::NotRelaxed, 0);
}

TEST_F(Fillers, GoBehindNoWorkButACopy) {
  launch(1e7, 0x55); // 10 ms
  const int warm = FakeDevice::Sets;
  launch(1000, 0x55);
  EXPECT_EQ(FakeDevice::Sets, warm) << "kernel behind kernel";
  copy(1, 4096, 0x55);
  EXPECT_EQ(FakeDevice::Sets, warm) << "copies have an engine of their own";
  launch(1000, 0x55);
  EXPECT_EQ(FakeDevice::Sets, warm + 1);
  EXPECT_GT(FakeDevice::LastSet.address, 0x5c8a7c00u) << "another pair's part: both may run";
  EXPECT_LT(FakeDevice::LastSet.address, 0x5c8a7c00u + (2u << 20));
  finish();
}

TEST_F(Fillers, GoBehindACopyThatWasNotTimedOnce) {
  launch(1e7, 0x55);
  copy(1, 4096, 0x55);
  Self->lastCopy.endTicks = LastCopy::NotTimed;
  const int warm = FakeDevice::Sets;
  launch(1000, 0x55);
  EXPECT_EQ(FakeDevice::Sets, warm + 1);
  EXPECT_NE(Self->lastCopy.endTicks, LastCopy::NotTimed) << "or all launches to come would be";
  finish();
}

TEST_F(Fillers, GrowUntilTheHostIsInTime) {
  auto sizeAfter = [&](double setNs) {
    FakeDevice::SetNs = setNs;
    for (int i = 0; i < 24; ++i) {
      timing::clearTimeStore(); // what is known already is timed rarely
      launch(1000, 0x55);
      finish();
    }
    return FakeDevice::LastSet.rows;
  };
  launch(1000, 0x55);
  const uint64_t first = FakeDevice::LastSet.rows;
  EXPECT_LT(sizeAfter(50), first) << "0.6 ms: far too long";
  EXPECT_GT(sizeAfter(0), first) << "nothing at all";
  FakeDevice::SetNs = 0;
}

TEST_F(Fillers, TakeNothingWhereLittleIsLeft) {
  const int before = FakeDevice::Allocated;
  FakeDevice::FreeBytes = 3 << 20;
  timing::forgetPairs();
  F.alloc(Alloc, 0x300000, 4096);
  EXPECT_EQ(FakeDevice::Allocated, before);
  FakeDevice::FreeBytes = size_t(1) << 29;
  F.alloc(Alloc, 0x400000, 4096);
  EXPECT_EQ(FakeDevice::Allocated, before) << "asked once";
}

TEST(DeviceMemoryCap, LittleIsForTheAudits) {
  EXPECT_EQ(timesMayTake(64 << 20), 2u << 20);
  EXPECT_EQ(auditsMayTake(64 << 20), 62u << 20);
  EXPECT_EQ(timesMayTake(2 << 20), 0u);
  EXPECT_EQ(auditsMayTake(2 << 20), 2u << 20);
  EXPECT_EQ(timesMayTake(0) + auditsMayTake(0), 0u);
}
