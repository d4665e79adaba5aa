// CUDA's one-time costs: what the first calls and each kernel's first launch took.
// SPDX-License-Identifier: Apache-2.0
//
// Calls that must count sleep, and only lower bounds are asked of them: a busy machine lengthens
// all.
#include "calls/OneTimeCosts.h"
#include "Support.h"
#include "base/Clock.h"
#include "base/Part.h"
#include "calls/CudaState.h"
#include "calls/threads/Thread.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

class StartUp : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
    cudaStatePart().childAfterFork();
    oneTimeCostsPart().childAfterFork();
    if (Self)
      Self->notUp = true;
    NoContext = false;
  }

  static int sleep(int result, unsigned ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    return result;
  }
  /// Until then nobody has a context.
  static inline bool NoContext;
  static void installWithoutContext() {
    DriverApi api = *driverApi();
    api.ctxGetCurrent = [](void **context) {
      *context = NoContext ? nullptr : reinterpret_cast<void *>(0x1000);
      return 0;
    };
    useDriver(api);
    NoContext = true;
  }
  void launch(const gpuinstr_site *site, uint64_t kernel, unsigned ms, int result = 0) {
    F.frame.slot[GPUINSTR_SLOT_FUNC] = kernel;
    F.call(site, [&] { return sleep(result, ms); });
  }
  void setDevice(int ordinal, unsigned ms) {
    F.frame.slot[GPUINSTR_SLOT_KIND] = uint64_t(ordinal);
    F.call(SetDevice, [&] { return sleep(0, ms); });
  }
  static const profile::StartUp &startUp(const profile::Profile &p) { return p.process.startup; }

  gpuinstr_site *Malloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 10, GPUINSTR_RES_DEVICE,
                                   GPUINSTR_SITE_CUDA_ERROR, AllocSlots, "d_x", "float");
  gpuinstr_site *Sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 11);
  gpuinstr_site *Count = makeSite(GPUINSTR_OP_OTHER, "cudaGetDeviceCount", 12);
  gpuinstr_site *Launch =
      makeSite(GPUINSTR_OP_LAUNCH, "k", 13, 0, GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_FUNC));
  gpuinstr_site *Other =
      makeSite(GPUINSTR_OP_LAUNCH, "k", 14, 0, GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_FUNC));
  gpuinstr_site *SetDevice = makeSite(GPUINSTR_OP_SET_DEVICE, "cudaSetDevice", 15, 0,
                                      GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_KIND));
  gpuinstr_site *Load =
      makeSite(GPUINSTR_OP_OTHER, "cuModuleLoadData", 16, 0, GPUINSTR_SITE_CU_RESULT);
  gpuinstr_site *Reset = makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 17);
  Function F;
};

TEST_F(StartUp, TheFirstCallMakesTheContext) {
  registerAll({Sync});
  F.call(Sync, [] { return sleep(0, 5); });
  F.call(Sync, [] { return sleep(0, 1); });
  auto p = profileNow();
  EXPECT_EQ(startUp(p).method.text(), "host");
  EXPECT_EQ(startUp(p).context_site, siteAtLine(p, 11)->id);
  uint64_t first = siteAtLine(p, 11)->host.first_ns, usual = siteAtLine(p, 11)->host.median_ns;
  EXPECT_GE(first, 5 * Ms);
  // On a busy machine the second call may have been the longer one.
  EXPECT_NEAR(double(startUp(p).context_ns), first > usual ? double(first - usual) : 0, 1000)
      << "less a usual one";
  EXPECT_EQ(startUp(p).total_ns, startUp(p).context_ns);
}

TEST_F(StartUp, CallsBeforeItAreTheDriversStart) {
  registerAll({Malloc, Count});
  installWithoutContext();
  F.call(Count, [] { return sleep(0, 5); });
  EXPECT_EQ(contextTicks(), 0u);
  // The third call: but for its length nobody would ask the driver now.
  F.call(Count, [] { return 0; });
  F.call(Count, [] {
    NoContext = false;
    return sleep(0, 4);
  });
  EXPECT_NE(contextTicks(), 0u);
  auto p = profileNow();
  EXPECT_GE(startUp(p).context_ns, 5 * Ms);
  EXPECT_EQ(startUp(p).context_site, siteAtLine(p, 12)->id);
}

TEST_F(StartUp, TwoThreadsThatWaitForTheContextCountOnce) {
  registerAll({Sync});
  installWithoutContext();
  uint64_t start = ticks();
  std::thread other([&] {
    Function f;
    f.call(Sync, [] { return sleep(0, 20); });
  });
  F.call(Sync, [&] { return sleep(0, 20); });
  other.join();
  NoContext = false;
  F.call(Sync, [] { return sleep(0, 2); }); // so long that the driver is asked
  uint64_t end = ticks();
  ASSERT_NE(contextTicks(), 0u);
  uint64_t counted = oneTimeCosts().contextTicks;
  EXPECT_LE(counted, end - start);
  EXPECT_GE(double(counted) * nsPerTick(), 22.0 * Ms);
}

TEST_F(StartUp, FirstLaunchOfEachKernel) {
  registerAll({Malloc, Launch, Other});
  F.alloc(Malloc, 0x7f0000000000, 64);
  launch(Launch, 1, 3);
  launch(Other, 2, 4);
  auto p = profileNow();
  EXPECT_EQ(startUp(p).kernels, 2u);
  EXPECT_GE(startUp(p).first_launches_ns, 7 * Ms) << "no usual launch is known";
  uint64_t before = startUp(p).first_launches_ns;
  // Elsewhere the kernel is loaded already.
  launch(Other, 1, 2);
  launch(Launch, 2, 2);
  launch(Launch, 1, 2);
  p = profileNow();
  EXPECT_EQ(startUp(p).kernels, 2u);
  EXPECT_LT(startUp(p).first_launches_ns, before) << "less usual ones";
}

TEST_F(StartUp, ALaunchThatMakesTheContextCountsOnce) {
  registerAll({Launch});
  launch(Launch, 1, 3);
  auto p = profileNow();
  EXPECT_GE(startUp(p).context_ns, 3 * Ms);
  EXPECT_EQ(startUp(p).kernels, 0u);
  EXPECT_EQ(startUp(p).total_ns, startUp(p).context_ns);
}

TEST_F(StartUp, ALaunchThatFailsLoadsNothing) {
  registerAll({Malloc, Launch});
  F.alloc(Malloc, 0x7f0000000000, 64);
  launch(Launch, 1, 1, 98);
  EXPECT_EQ(startUp(profileNow()).kernels, 0u);
  launch(Launch, 1, 1);
  EXPECT_EQ(startUp(profileNow()).kernels, 1u);
}

TEST_F(StartUp, ExplicitLoads) {
  registerAll({Malloc, Load});
  F.alloc(Malloc, 0x7f0000000000, 64);
  for (int i = 0; i < 3; ++i)
    F.call(Load, [] { return sleep(0, 2); });
  auto p = profileNow();
  EXPECT_EQ(startUp(p).modules, 3u);
  EXPECT_GE(startUp(p).modules_ns, 6 * Ms);
  EXPECT_EQ(startUp(p).total_ns, startUp(p).context_ns + startUp(p).modules_ns);
}

TEST_F(StartUp, ContextsOfFurtherDevices) {
  registerAll({SetDevice});
  setDevice(0, 2);
  uint64_t one = oneTimeCosts().contextTicks;
  EXPECT_GT(one, 0u);
  setDevice(0, 2);
  EXPECT_EQ(oneTimeCosts().contextTicks, one) << "was current before";
  setDevice(1, 2);
  uint64_t two = oneTimeCosts().contextTicks;
  EXPECT_GT(two, one);
  setDevice(1, 1);
  EXPECT_EQ(oneTimeCosts().contextTicks, two);
}

TEST_F(StartUp, AfterADeviceResetAllIsLoadedAnew) {
  registerAll({Malloc, Launch, Reset});
  F.alloc(Malloc, 0x7f0000000000, 64);
  launch(Launch, 1, 0);
  F.call(Reset, [] { return 0; });
  launch(Launch, 2, 0);
  launch(Launch, 1, 0);
  EXPECT_EQ(startUp(profileNow()).kernels, 3u);
}

TEST_F(StartUp, ResetForgetsTheTimesAlone) {
  registerAll({Malloc, Launch});
  F.alloc(Malloc, 0x7f0000000000, 64);
  launch(Launch, 1, 1);
  table().reset();
  launch(Launch, 1, 1);
  auto p = profileNow();
  EXPECT_EQ(startUp(p).context_ns, 0u);
  EXPECT_EQ(startUp(p).kernels, 0u);
}

TEST_F(StartUp, PausedCallsDoNotCount) {
  registerAll({Malloc, Launch});
  table().pause();
  F.alloc(Malloc, 0x7f0000000000, 64);
  launch(Launch, 1, 1);
  table().resume();
  launch(Launch, 1, 1);
  auto p = profileNow();
  EXPECT_EQ(startUp(p).context_ns, 0u);
  EXPECT_EQ(startUp(p).kernels, 0u) << "was loaded in the pause";
}

} // namespace
