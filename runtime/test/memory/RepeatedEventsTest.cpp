// Events that are made and destroyed again and again, the short way: the ledger knows each.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "calls/threads/Thread.h"
#include "ledger/Ledger.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// A handle that no variable of the process holds by chance.
constexpr uint64_t First = 0x5ea7b1e5000;
constexpr uint32_t OfDriver = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER;

class RepeatedEvents : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
    bringCudaUp();
  }
  void TearDown() override { FakeDriver::reset(); }
  void make(uint64_t event) {
    Function f(Caller);
    f.alloc(Create, event, 0);
  }
  void destroy(uint64_t event, int result = 0) {
    Function f;
    f.free(Destroy, event, result);
  }
  gpuinstr_site *Create = makeSite(GPUINSTR_OP_CREATE, "cuEventCreate", 300, GPUINSTR_RES_EVENT,
                                   OfDriver, bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_KIND));
  gpuinstr_site *Destroy = makeSite(GPUINSTR_OP_DESTROY, "cuEventDestroy", 301, GPUINSTR_RES_EVENT,
                                    OfDriver, bit(GPUINSTR_SLOT_DST));
  gpuinstr_site *Caller = makeCaller(302, "one");
};

TEST_F(RepeatedEvents, ThoseThatStayLeak) {
  make(0x7000);
  destroy(0x7000);
  const uint32_t before = Self->decodings;
  for (uint64_t i = 0; i < 100; ++i)
    make(First + 64 * i);
  for (uint64_t i = 3; i < 100; ++i)
    destroy(First + 64 * i);
  EXPECT_LE(Self->decodings, before + 2);
  auto live = ledger().findHandle(GPUINSTR_RES_EVENT, First + 64);
  ASSERT_TRUE(live);
  EXPECT_EQ(live->device, 0);
  EXPECT_NE(live->context, 0u);
  auto p = profileAtExit();
  auto leaks = findings(p, "leak"); // and of what brought CUDA up
  leaks.erase(std::remove_if(leaks.begin(), leaks.end(),
                             [](const profile::Finding &leak) { return leak.bytes != 0; }),
              leaks.end());
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].count, 3u);
  EXPECT_EQ(leaks[0].memory.text(), "event");
  EXPECT_EQ(leaks[0].site, siteAtLine(p, 300)->id);
  EXPECT_EQ(siteAtLine(p, 300)->calls, 101u);
}

TEST_F(RepeatedEvents, OneThatIsDestroyedTwiceIsSeen) {
  for (uint64_t i = 0; i < 20; ++i) {
    make(First + 64 * i);
    destroy(First + 64 * i);
  }
  EXPECT_TRUE(findings(profileNow(), "double-free").empty());
  destroy(First, 400); // CUDA_ERROR_INVALID_HANDLE
  auto p = profileNow();
  auto found = findings(p, "double-free");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].site, siteAtLine(p, 301)->id);
  EXPECT_EQ(siteAtLine(p, 301)->failed, 1u);
}

/// What is known of memory stays good.
TEST_F(RepeatedEvents, AreNoMemory) {
  ledger().findAndCache(Self->ranges, 0x123400);
  for (uint64_t i = 0; i < 5; ++i) {
    make(First + 64 * i);
    destroy(First + 64 * i);
  }
  EXPECT_TRUE(ledger().isCurrent(Self->ranges));
}

} // namespace
