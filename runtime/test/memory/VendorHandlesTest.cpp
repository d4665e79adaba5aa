// Handles of vendor libraries: which are called leaks, and which are not.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "ledger/Ledger.h"
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

gpuinstr_site *handleSite(const char *callee, unsigned line, unsigned resource, uint16_t detail,
                          const char *variable = "") {
  uint32_t slots = bit(GPUINSTR_SLOT_DST) | (detail == 3 ? bit(GPUINSTR_SLOT_BYTES) : 0);
  gpuinstr_site *site =
      makeSite(GPUINSTR_OP_LIBRARY, callee, line, resource, GPUINSTR_SITE_STATUS, slots, variable);
  site->detail = detail;
  return site;
}

volatile uint64_t GlobalHandle; // else nobody would read what is stored here
int GlobalPlan;

class VendorHandles : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
  }
  /// `stores`: what the library writes to `place`.
  template <class Handle>
  void create(gpuinstr_site *site, Handle *place, Handle stores, int result = 0) {
    F.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(place);
    F.call(site, [&] {
      if (result == 0)
        *place = stores;
      return result;
    });
  }
  void destroy(gpuinstr_site *site, uint64_t handle, int result = 0) {
    F.frame.slot[GPUINSTR_SLOT_DST] = handle;
    F.call(site, [&] { return result; });
  }
  gpuinstr_site *Create = handleSite("cublasCreate_v2", 200, GPUINSTR_RES_CUBLAS, 1, "blas");
  gpuinstr_site *Destroy = handleSite("cublasDestroy_v2", 201, GPUINSTR_RES_CUBLAS, 2);
  gpuinstr_site *Plan = handleSite("cufftPlan1d", 202, GPUINSTR_RES_CUFFT, 1, "plan");
  gpuinstr_site *EndPlan = handleSite("cufftDestroy", 203, GPUINSTR_RES_CUFFT, 2);
  gpuinstr_site *Rank = handleSite("ncclCommInitRank", 204, GPUINSTR_RES_NCCL, 1, "comm");
  gpuinstr_site *All = handleSite("ncclCommInitAll", 205, GPUINSTR_RES_NCCL, 3, "comms[0]");
  uint64_t Handle = 0;
  int Number = 0;
  Function F;
};

TEST_F(VendorHandles, NeverDestroyedIsALikelyLeak) {
  create<uint64_t>(Create, &Handle, 0xabc000);
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].grade.text(), "likely");
  EXPECT_EQ(leaks[0].memory.text(), "cublas-handle");
  EXPECT_EQ(leaks[0].variable, "blas");
  EXPECT_EQ(leaks[0].bytes, 0u);
  EXPECT_EQ(leaks[0].fix, "call cublasDestroy on it");
}

TEST_F(VendorHandles, DestroyedIsNone) {
  create<uint64_t>(Create, &Handle, 0xabc000);
  destroy(Destroy, Handle);
  // The program told the library to; what it answers is another matter.
  create<uint64_t>(Create, &Handle, 0xabd000);
  destroy(Destroy, Handle, 1);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(VendorHandles, ACreationThatFailedMadeNone) {
  create<uint64_t>(Create, &Handle, 0xabc000, 1);
  create<uint64_t>(Create, &Handle, 0);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

TEST_F(VendorHandles, WhatAGlobalHoldsIsNoLeak) {
  create<uint64_t>(Create, &Handle, 0xabc000);
  GlobalHandle = 0xabc000;
  auto p = profileAtExit();
  GlobalHandle = 0;
  EXPECT_TRUE(findings(p, "leak").empty());
  EXPECT_EQ(findings(p, "held-at-exit").size(), 1u);
}

TEST_F(VendorHandles, PlansAreNumbersAndZeroIsOne) {
  create<int>(Plan, &Number, 0);
  create<int>(Plan, &Number, 1);
  destroy(EndPlan, 1);
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].count, 1u);
  EXPECT_EQ(leaks[0].memory.text(), "cufft-plan");
}

TEST_F(VendorHandles, APlanIsHeldWhereItsOwnCallStoredIt) {
  create<int>(Plan, &GlobalPlan, 7);
  create<int>(Plan, &Number, 8);
  GlobalHandle = 8; // any number: says nothing of a plan
  auto p = profileAtExit();
  GlobalHandle = 0;
  EXPECT_EQ(findings(p, "held-at-exit").size(), 1u);
  EXPECT_EQ(findings(p, "leak").size(), 1u);
}

TEST_F(VendorHandles, APlanThatTheGlobalNoLongerHoldsIsALeak) {
  create<int>(Plan, &GlobalPlan, 7);
  GlobalPlan = 0;
  EXPECT_EQ(findings(profileAtExit(), "leak").size(), 1u);
}

TEST_F(VendorHandles, ACommunicatorThatComesLaterIsNotWhatStoodThere) {
  Handle = 0xdead;
  create<uint64_t>(Rank, &Handle, 0xdead); // ncclGroupEnd stores it
  EXPECT_TRUE(profileAtExit().findings.empty());
  forgetAll();
  create<uint64_t>(Rank, &Handle, 0xbeef00);
  EXPECT_EQ(findings(profileAtExit(), "leak").size(), 1u);
}

TEST_F(VendorHandles, SeveralAtOnce) {
  uint64_t comms[3] = {};
  F.frame.slot[GPUINSTR_SLOT_BYTES] = 3;
  F.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(comms);
  F.call(All, [&] {
    for (int i = 0; i < 3; ++i)
      comms[i] = 0x55d0a0001000 + 64 * uint64_t(i);
    return 0;
  });
  auto leaks = findings(profileAtExit(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].count, 3u);
  EXPECT_EQ(leaks[0].memory.text(), "nccl-communicator");
}

TEST_F(VendorHandles, OutliveAResetOfTheDevice) {
  create<uint64_t>(Create, &Handle, 0xabc000);
  F.call(makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 206), [] { return 0; });
  EXPECT_TRUE(ledger().findHandle(GPUINSTR_RES_CUBLAS, 0xabc000));
  destroy(Destroy, Handle);
  EXPECT_TRUE(profileAtExit().findings.empty());
}

} // namespace
