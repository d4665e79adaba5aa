// Calls of an attached program that are counted and no more: their number is exact, and what is
// looked at stands for the rest.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "calls/Observer.h"
#include "calls/threads/RepeatedCalls.h"
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint32_t CuResult = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER;
constexpr unsigned Many = 400000; ///< more than all of which are looked at
char ThinnedKernel;

gpuinstr_site *attachedLaunchAt(unsigned line) {
  return makeSite(GPUINSTR_OP_LAUNCH, "cuLaunchKernel", line, 0, CuResult | GPUINSTR_SITE_ASYNC,
                  bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM));
}

gpuinstr_site *updateAt(unsigned line) {
  auto *site = makeSite(GPUINSTR_OP_GRAPH_NODE, "cuGraphExecKernelNodeSetParams", line, 0, CuResult,
                        bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_PARAMS));
  site->detail = 2;
  return site;
}

/// As the attached part makes a call. False: it was counted and no more.
bool callAttached(const gpuinstr_site *site, int result = 0) {
  if (table().call_begins(site->op, 0) <= 0)
    return false;
  Function f;
  f.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(&ThinnedKernel);
  f.call(site, [&] { return result; });
  return true;
}

struct Thinned : testing::Test {
  void SetUp() override {
    bringCudaUp();
    startAnew();
    Passed = 0;
  }
  void TearDown() override {
    LaunchHook = nullptr;
    ThinHook = nullptr;
    startAnew();
    FakeDriver::reset();
  }
  static void startAnew() {
    ThinnedCalls &thinned = Self->thinned;
    thinned.left = thinned.mean = 0;
    thinned.lookTicks = 0;
    thinned.calls = 0;
    for (auto &number : thinned.number)
      number = 0;
  }
  static unsigned Passed;
};
unsigned Thinned::Passed = 0;

TEST_F(Thinned, EachCallCounts) {
  auto *site = attachedLaunchAt(200);
  unsigned looked = 0;
  for (unsigned i = 1; i <= Many; ++i) {
    looked += callAttached(site);
    if (i == 100 || i == 16000) {
      EXPECT_EQ(looked, i) << "a thread's first calls";
      EXPECT_FALSE(siteAtLine(profileNow(), 200)->calls_estimated);
    }
    if (i % 99991 == 0)
      EXPECT_EQ(siteAtLine(profileNow(), 200)->calls, i);
  }
  EXPECT_LT(looked, Many / 2);
  auto p = profileNow();
  const profile::Site *row = siteAtLine(p, 200);
  EXPECT_EQ(row->calls, Many);
  EXPECT_TRUE(row->calls_estimated);
  EXPECT_LT(row->host.samples, row->host.count);
  EXPECT_NEAR(double(row->host.count), Many, 0.1 * Many) << "those timed stand for all";
}

TEST_F(Thinned, LinesAreToldByWhatIsLookedAt) {
  auto *often = attachedLaunchAt(201), *seldom = attachedLaunchAt(202);
  for (unsigned i = 0; i < Many; ++i)
    callAttached(i % 4 ? often : seldom);
  auto p = profileNow();
  const uint64_t first = siteAtLine(p, 201)->calls, second = siteAtLine(p, 202)->calls;
  EXPECT_EQ(first + second, Many);
  EXPECT_NEAR(double(second), Many / 4, 0.03 * Many);
}

TEST_F(Thinned, OneThatFailsIsSeenWhereItIsLookedAt) {
  auto *site = attachedLaunchAt(203);
  unsigned failed = 0;
  for (unsigned i = 0; i < Many; ++i)
    failed += callAttached(site, i % 1000 == 999) && i % 1000 == 999;
  auto p = profileNow();
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(siteAtLine(p, 203)->failed, failed);
  EXPECT_EQ(siteAtLine(p, 203)->calls, Many);
}

TEST_F(Thinned, UpdatesOfNodesAreNoLaunches) {
  auto *launch = attachedLaunchAt(204), *update = updateAt(205);
  for (unsigned i = 0; i < Many; ++i)
    callAttached(i % 8 ? update : launch);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 204)->calls + siteAtLine(p, 205)->calls, Many);
  EXPECT_EQ(siteAtLine(p, 204)->calls, Many / 8);
  EXPECT_TRUE(siteAtLine(p, 205)->calls_estimated);
}

TEST_F(Thinned, WhoLooksAtLaunchesIsToldOrAsked) {
  auto *site = attachedLaunchAt(206);
  LaunchHook = +[](ThreadState &, const gpuinstr_frame &) { ++Passed; };
  for (unsigned i = 0; i < Many; ++i)
    EXPECT_TRUE(callAttached(site)) << "nobody is there to be told of one that is not looked at";
  EXPECT_EQ(Passed, Many);
  ThinHook = +[](ThreadState &, uint32_t operation, uint64_t) {
    EXPECT_EQ(operation, uint32_t(GPUINSTR_OP_LAUNCH));
    ++Passed;
    return true;
  };
  unsigned looked = 0;
  for (unsigned i = 0; i < Many; ++i)
    looked += callAttached(site);
  EXPECT_LT(looked, Many);
  EXPECT_EQ(Passed, 2 * Many);
  ThinHook = +[](ThreadState &, uint32_t, uint64_t) { return false; };
  for (unsigned i = 0; i < Many / 10; ++i)
    EXPECT_TRUE(callAttached(site));
}

TEST_F(Thinned, SlowCallersAreLookedAtAlways) {
  auto *site = attachedLaunchAt(207);
  unsigned looked = 0, all = 20000;
  for (unsigned i = 0; i < all; ++i) {
    looked += callAttached(site);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(60);
    while (i > 15000 && std::chrono::steady_clock::now() < until)
      ;
  }
  EXPECT_GT(looked, all - 500);
}

TEST_F(Thinned, AThreadThatEndsHandsThemOver) {
  auto *site = attachedLaunchAt(208);
  callAttached(site);
  std::thread([&] {
    for (unsigned i = 0; i < Many; ++i)
      callAttached(site);
  }).join();
  EXPECT_EQ(siteAtLine(profileNow(), 208)->calls, Many + 1);
}

TEST_F(Thinned, NothingPassesInsideAnotherCall) {
  auto *site = attachedLaunchAt(209), *around = makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 210, 0,
                                                         GPUINSTR_SITE_CUDA_ERROR, CopySlots);
  for (unsigned i = 0; i < Many; ++i)
    callAttached(site);
  Self->thinned.left = 5;
  Function f;
  f.call(around, [&] {
    EXPECT_EQ(table().call_begins(GPUINSTR_OP_LAUNCH, 0), 0);
    return 0;
  });
  EXPECT_EQ(Self->thinned.left, 5);
}

} // namespace
