// What an allocation asks the driver, and in which capture mode.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "cuda/CaptureTracker.h"
#include "ledger/Ledger.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint64_t Place = 0x7f0000000000;

class DriverQuestions : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
  }
  gpuinstr_site *Malloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 100, GPUINSTR_RES_DEVICE,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  gpuinstr_site *FreeSite = makeSite(GPUINSTR_OP_FREE, "cudaFree", 101, GPUINSTR_RES_DEVICE,
                                     GPUINSTR_SITE_CUDA_ERROR, FreeSlots);
  Function F;
};

/// One for the memory, one for the context: each is a call into a driver that is in no cache.
TEST_F(DriverQuestions, AnAllocationAsksTheDriverTwiceAndAFreeNever) {
  FakeDriver::Device = 3;
  F.alloc(Malloc, Place, 4096); // the device is new
  FakeDriver::Questions = 0;
  F.alloc(Malloc, Place + 0x10000, 4096);
  EXPECT_EQ(FakeDriver::Questions.load(), 2);
  F.free(FreeSite, Place + 0x10000);
  EXPECT_EQ(FakeDriver::Questions.load(), 2);
  F.alloc(Malloc, Place + 0x20000, 4096);
  std::optional<Allocation> live = ledger().find(Place + 0x20000);
  ASSERT_TRUE(live);
  EXPECT_EQ(live->device, 3);
  EXPECT_EQ(live->context, 0x1003u);
  EXPECT_NE(live->bufferId, 0u);
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].grade.text(), "proven");
  EXPECT_EQ(leaks[0].count, 2u);
}

TEST_F(DriverQuestions, ADriverThatAnswersOneByOneIsAskedSo) {
  FakeDriver::AnswersAtOnce = false;
  FakeDriver::Device = 3;
  F.alloc(Malloc, Place, 4096);
  std::optional<Allocation> live = ledger().find(Place);
  ASSERT_TRUE(live);
  EXPECT_EQ(live->device, 3);
  EXPECT_EQ(live->context, 0x1003u);
  EXPECT_NE(live->bufferId, 0u);
  EXPECT_EQ(FakeDriver::CallsNotRelaxed.load(), 0);
}

/// Beside a capture, and of memory that can be made under one, as of any other.
TEST_F(DriverQuestions, WhereACaptureMayBeOpenTheModeIsRelaxed) {
  auto exchanges = [&](gpuinstr_site *site) {
    FakeDriver::Exchanges = 0;
    F.alloc(site, Place, 4096);
    std::optional<Allocation> live = ledger().find(Place);
    EXPECT_TRUE(live && live->bufferId && live->device == 0 && live->context == 0x1000);
    F.free(FreeSite, Place);
    return FakeDriver::Exchanges.load();
  };
  gpuinstr_site *pooled = makeSite(GPUINSTR_OP_ALLOC, "cudaMallocAsync", 103, GPUINSTR_RES_ASYNC,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
  exchanges(Malloc); // the device is new
  EXPECT_EQ(exchanges(Malloc), 0);
  EXPECT_EQ(exchanges(pooled), 2);
  cuda::Captures.beginning();
  EXPECT_EQ(exchanges(Malloc), 2);
  cuda::Captures.forget();
  EXPECT_EQ(exchanges(Malloc), 0);
  EXPECT_EQ(FakeDriver::CallsNotRelaxed.load(), 0);
  EXPECT_EQ(FakeDriver::CaptureMode, 0) << "not restored";
}

} // namespace
