// What a reset of the device finds never freed, and frees that come after it.
// SPDX-License-Identifier: Apache-2.0
#include "MemoryCalls.h"
#include "ledger/Ledger.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

class DeviceReset : public MemoryCalls {};

TEST_F(DeviceReset, JudgesAndDrops) {
  auto *reset = makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 123);
  F.alloc(Malloc, Base, 64);
  FakeDriver::Device = 1;
  F.alloc(Malloc, Base + 0x1000, 32);
  FakeDriver::Device = 0;
  F.call(reset, [] {
    FakeDriver::free(Base);
    return 0;
  });
  auto leaks = findings(profileNow(), "leak");
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].grade.text(), "proven");
  EXPECT_EQ(leaks[0].bytes, 64u);
  // The other device's memory lives on.
  EXPECT_EQ(ledger().snapshot().size(), 1u);
}

TEST_F(DeviceReset, AFreeAfterTheResetIsOneMistake) {
  auto *reset = makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 123);
  auto resetDevice = [&] {
    F.call(reset, [] {
      FakeDriver::free(Base);
      FakeDriver::free(Base + 0x1000);
      return 0;
    });
  };
  F.alloc(Malloc, Base, 64);
  F.alloc(Malloc, Base + 0x1000, 32);
  resetDevice();
  F.free(FreeSite, Base, 1);
  auto p = profileNow();
  auto late = findings(p, "invalid-free"), leaks = findings(p, "leak");
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].variable, "d_x");
  EXPECT_EQ(late[0].related, siteAtLine(p, 123)->id);
  EXPECT_NE(late[0].message.find("got what cudaDeviceReset at "), std::string::npos);
  EXPECT_NE(late[0].fix.find("before that call"), std::string::npos);
  EXPECT_TRUE(findings(p, "double-free").empty());
  ASSERT_EQ(leaks.size(), 1u) << "the other one";
  EXPECT_EQ(leaks[0].bytes, 32u);
  F.alloc(Malloc, Base, 64);
  F.free(FreeSite, Base, 709);
  EXPECT_EQ(findings(profileNow(), "invalid-free").size(), 1u) << "not of what lives";
  F.free(FreeSite, Base);
  // The address serves again, and is lost again.
  for (uint64_t round = 1; round < 3; ++round) {
    F.alloc(Malloc, Base + 0x1000, 32);
    resetDevice();
    EXPECT_EQ(findings(profileNow(), "leak").at(0).count, 1 + round);
  }
}

} // namespace
