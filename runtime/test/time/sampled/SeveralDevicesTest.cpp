// Sampled times where a program works on several devices.
// SPDX-License-Identifier: Apache-2.0
#include "FakeDevice.h"
#include "time/DeviceTimes.h"
#include "time/sampled/Sampler.h"
#include "time/sampled/pairs/EventPairs.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

/// The devices share FakeDevice's queue. Contexts are named by ids that are never used again.
class SeveralDevices : public ::testing::Test {
protected:
  static constexpr int Devices = 2;
  static inline unsigned long long Ids[Devices];
  static inline unsigned long long NextId = 1000;

  void SetUp() override {
    setenv("GPUINSTR_OPTIONS", "gpu_time=sampled", 1);
    table();
    FakeDevice::install();
    DriverApi api = *driverApi();
    api.ctxGetId = [](void *context, unsigned long long *id) {
      *id = Ids[reinterpret_cast<intptr_t>(context) - 0x1000];
      return 0;
    };
    useDriver(api);
    for (int d = 0; d < Devices; ++d)
      bringUp(d);
    Launch = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 10, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
    Alloc = makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 5, 1, GPUINSTR_SITE_CUDA_ERROR, AllocSlots);
    Reset = makeSite(GPUINSTR_OP_RESET_DEVICE, "cudaDeviceReset", 30, 0, GPUINSTR_SITE_CUDA_ERROR);
    Sync =
        makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 31, 0, GPUINSTR_SITE_CUDA_ERROR);
    registerAll({Launch, Alloc, Reset, Sync});
    F.alloc(Alloc, 0x100000, 4096); // CUDA is up
  }
  void TearDown() override { FakeDevice::Held = false; }
  static void bringUp(int device) { Ids[device] = NextId++; }
  void launchOn(int device, double ns) {
    FakeDriver::Device = device;
    F.frame.slot[GPUINSTR_SLOT_FUNC] = 0x4711;
    F.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    F.call(Launch, [&] {
      FakeDevice::work(ns);
      return 0;
    });
  }
  void syncDevice(int device) {
    FakeDriver::Device = device;
    F.call(Sync, [] {
      while (FakeDevice::BusyUntil > double(monotonicNs()))
        ;
      return 0;
    });
  }
  void resetDevice(int device) {
    FakeDriver::Device = device;
    F.call(Reset, [] { return 0; });
    bringUp(device);
  }
  static void finish() {
    while (FakeDevice::BusyUntil > double(monotonicNs()))
      ;
    timing::collectTimes();
  }
  static uint64_t samplesAt(const profile::Profile &p, unsigned line) {
    const profile::Site *site = siteAtLine(p, line);
    return site ? site->device.samples : 0;
  }

  gpuinstr_site *Launch, *Alloc, *Reset, *Sync;
  Function F;
};

} // namespace

TEST_F(SeveralDevices, EachHasAShareOfItsOwn) {
  for (int i = 0; i < 6; ++i) {
    launchOn(0, 60000);
    launchOn(1, 20000);
  }
  syncDevice(0);
  syncDevice(1);
  profile::Profile p = profileNow();
  ASSERT_EQ(samplesAt(p, 10), 12u);
  ASSERT_EQ(p.breakdown.gpus.size(), 2u);
  for (const profile::GpuShare &share : p.breakdown.gpus) {
    double wanted = share.device == 0 ? 360000 : 120000;
    EXPECT_EQ(share.method.text(), "sampled");
    EXPECT_NEAR(double(share.kernels_ns), wanted, double(share.ci_ns)) << share.device;
    EXPECT_FALSE(share.at_most) << "one stream of each";
  }
  EXPECT_NE(p.breakdown.gpus[0].device, p.breakdown.gpus[1].device);
}

TEST_F(SeveralDevices, TimesAreReadWhenTheirDeviceWasWaitedFor) {
  FakeDevice::Held = true; // nothing is read on the way
  for (int i = 0; i < 6; ++i)
    launchOn(1, 20000);
  launchOn(0, 20000);
  FakeDevice::Held = false;
  syncDevice(1);
  syncDevice(0);
  EXPECT_EQ(samplesAt(profileNow(), 10), 7u);
}

TEST_F(SeveralDevices, ACopyThatBlocksIsAWait) {
  gpuinstr_site *copy =
      makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 20, 0, GPUINSTR_SITE_CUDA_ERROR, CopySlots);
  registerAll({copy});
  launchOn(0, 20000);
  FakeDevice::Held = true;
  for (int i = 0; i < 6; ++i)
    launchOn(1, 20000);
  FakeDevice::Held = false;
  while (FakeDevice::BusyUntil > double(monotonicNs()))
    ;
  for (int i = 0; i < 2; ++i) {
    F.frame.slot[GPUINSTR_SLOT_KIND] = 2;
    F.copy(copy, 0x200000, 0x100000, 64);
  }
  EXPECT_GE(samplesAt(profileNow(), 10), 6u); // one may be device 0's
}

TEST_F(SeveralDevices, TimesOfAThreadThatEndsAreRead) {
  std::thread worker([&] {
    FakeDevice::Held = true;
    for (int i = 0; i < 6; ++i)
      launchOn(0, 20000);
    FakeDevice::Held = false;
    syncDevice(0); // nobody else may ever have its context
  });
  worker.join();
  EXPECT_EQ(samplesAt(profileNow(), 10), 5u); // the thread's first call finds CUDA up
}

TEST_F(SeveralDevices, EventsOfAContextThatIsNotCurrentAreNotTouched) {
  FakeDevice::Held = true;
  for (int i = 0; i < 6; ++i)
    launchOn(1, 20000);
  launchOn(0, 20000);
  FakeDevice::Held = false;
  finish();
  EXPECT_EQ(samplesAt(profileNow(), 10), 1u);
}

TEST_F(SeveralDevices, AResetForgetsItsOwnDeviceAlone) {
  FakeDevice::Held = true;
  for (int i = 0; i < 6; ++i)
    launchOn(1, 20000);
  launchOn(0, 20000);
  int created = FakeDevice::Created;
  resetDevice(0);
  FakeDevice::Held = false;
  syncDevice(1);
  EXPECT_EQ(samplesAt(profileNow(), 10), 6u);
  launchOn(1, 20000);
  EXPECT_EQ(FakeDevice::Created, created) << "it has its events";
}

TEST_F(SeveralDevices, WorkInAStreamOfAnotherDeviceIsNotTimed) {
  launchOn(0, 20000);
  launchOn(1, 20000);
  for (int i = 0; i < 4; ++i) {
    FakeDevice::Refuses =
        timing::InvalidHandle; // as CUDA does with an event and a stream of two contexts
    launchOn(0, 20000);
    FakeDevice::Refuses = 0;
  }
  syncDevice(0);
  syncDevice(1);
  profile::Profile p = profileNow();
  const profile::DeviceTime &time = siteAtLine(p, 10)->device;
  EXPECT_EQ(time.samples, 2u);
  EXPECT_EQ(time.operations, 2u) << "the others do not stand for them";
  EXPECT_EQ(time.untimed, 4u);
  ASSERT_EQ(p.breakdown.gpus.size(), 2u);
  for (const profile::GpuShare &share : p.breakdown.gpus)
    EXPECT_EQ(share.untimed, 4u);
}

TEST_F(SeveralDevices, AnErrorOfTheProgramsIsNoOtherDevice) {
  constexpr int IllegalAddress = 700;
  launchOn(0, 20000);
  FakeDevice::Refuses = IllegalAddress; // each call answers with it, once a kernel has failed
  for (int i = 0; i < 4; ++i)
    launchOn(0, 20000);
  FakeDevice::Refuses = 0;
  finish();
  EXPECT_EQ(siteAtLine(profileNow(), 10)->device.untimed, 0u);
}

TEST_F(SeveralDevices, ManyContextsMayComeAndGo) {
  for (unsigned i = 0; i < 40; ++i) {
    // The first launch of a line is always timed.
    Launch =
        makeSite(GPUINSTR_OP_LAUNCH, "kernel", 100 + i, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
    registerAll({Launch});
    launchOn(0, 1000);
    finish();
    EXPECT_EQ(samplesAt(profileNow(), 100 + i), 1u) << i;
    resetDevice(0);
  }
}
