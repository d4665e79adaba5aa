// Which operations get an event pair, and what becomes of it.
// SPDX-License-Identifier: Apache-2.0
#include "SamplerFixture.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/threads/Thread.h"
#include "time/DeviceTimes.h"
#include "time/sampled/pairs/EventPairs.h"
#include "time/sampled/totals/TimeStore.h"
#include <algorithm>
#include <cstdlib>
#include <cuda.h>
#include <driver_types.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpuinstr;
using namespace gpuinstr::test;

TEST(BackOff, NoRarerThanTheBudgetEarnsSamples) {
  EXPECT_EQ(timing::backOffLevel(0, 3000), 2u);
  EXPECT_EQ(timing::backOffLevel(11, 1000), 11u)
      << "2048 operations are 2 ms: some 4 ms are the most";
  EXPECT_EQ(timing::backOffLevel(4, 2e6), 1u) << "copies of 2 ms are asked about in each 2nd";
  EXPECT_EQ(timing::backOffLevel(3, 1e9), 0u);
  EXPECT_EQ(timing::backOffLevel(12, 0), 12u);
}

TEST_F(Sampler, FirstLaunchesOfASiteAreAllTimed) {
  for (int i = 0; i < 10; ++i)
    launch(50000);
  finish();
  profile::DeviceTime time = timeAt(10);
  EXPECT_EQ(time.method.text(), "sampled");
  EXPECT_GE(time.samples, 9u); // the first may not count, where this process had to wait
  EXPECT_EQ(time.operations, 10u);
  EXPECT_NEAR(double(time.total_ns), 10 * 50000, 10 * 2500);
  EXPECT_LE(std::abs(double(time.total_ns) - 500000), double(time.ci_ns));
  EXPECT_LE(time.min_ns, time.max_ns);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_EQ(time.rows[0].operation.text(), "kernel");
  EXPECT_EQ(FakeDevice::NotRelaxed, 0);
}

TEST_F(Sampler, NewSitesAreTimedThoughTheBudgetIsSpent) {
  launch(50000); // makes the pairs of the context
  while (overheadBudget().take(100000))
    ;
  gpuinstr_site *late =
      makeSite(GPUINSTR_OP_LAUNCH, "kernel", 11, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
  registerAll({late});
  std::swap(Launch, late);
  for (int i = 0; i < 10; ++i) {
    launch(50000);
    while (overheadBudget().take(1000))
      ;
  }
  finish();
  profile::DeviceTime time = timeAt(11);
  EXPECT_GE(time.samples, 4u); // more where this process had to wait for the others
  EXPECT_EQ(time.operations, 10u);
}

TEST_F(Sampler, OperationsThatAreAlikeAreTimedRarely) {
  gpuinstr_site *other =
      makeSite(GPUINSTR_OP_LAUNCH, "kernel", 11, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
  registerAll({other});
  for (int i = 0; i < 200; ++i) {
    launch(60000);
    finish();
    std::swap(Launch, other);
    launch(i % 3 ? 60000 : 240000);
    finish();
    std::swap(Launch, other);
  }
  profile::DeviceTime alike = timeAt(10), others = timeAt(11);
  EXPECT_EQ(alike.operations, 200u);
  EXPECT_LE(std::abs(double(alike.total_ns) - 200 * 60000), double(alike.ci_ns));
  EXPECT_LT(double(alike.ci_ns), 0.15 * double(alike.total_ns));
  EXPECT_LT(2 * alike.samples, others.samples);
}

TEST_F(Sampler, EventsGoIntoTheOperationsStream) {
  launch(1000, 0x55);
  EXPECT_EQ(FakeDevice::LastStream, 0x55u);
}

TEST_F(Sampler, HotShortLaunchesAreTimedRarely) {
  for (int i = 0; i < 200000; ++i)
    launch(0);
  finish();
  profile::DeviceTime time = timeAt(10);
  EXPECT_EQ(time.operations, 200000u);
  EXPECT_GT(time.samples, 16u);
  EXPECT_LT(time.samples, 200000u / 20);
}

TEST_F(Sampler, TheCountOfTheOnlyKindOfOperationIsExact) {
  for (int i = 0; i < 20000; ++i)
    launch(0);
  finish();
  profile::DeviceTime time = timeAt(10);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_LT(time.rows[0].samples, 20000u);
  EXPECT_EQ(time.rows[0].operations, 20000u);
  EXPECT_FALSE(time.rows[0].operations_estimated);
}

TEST_F(Sampler, CountsOfSeveralKindsAreEstimates) {
  nameKernels();
  for (int i = 0; i < 10000; ++i) {
    launch(0);
    launch(0, 5, 0, 0x4712);
  }
  finish();
  profile::DeviceTime time = timeAt(10);
  EXPECT_EQ(time.operations, 20000u);
  EXPECT_FALSE(time.operations_estimated);
  ASSERT_EQ(time.rows.size(), 2u);
  for (const profile::DeviceRow &row : time.rows)
    EXPECT_TRUE(row.operations_estimated) << row.name;
}

TEST_F(Sampler, CountsOfSeveralKindsAreExactWhereAllWereTimed) {
  nameKernels();
  for (int i = 0; i < 3; ++i) {
    launch(1000);
    launch(1000, 5, 0, 0x4712);
    launch(1000);
  }
  finish();
  profile::DeviceTime time = timeAt(10);
  ASSERT_EQ(time.rows.size(), 2u);
  EXPECT_EQ(time.rows[0].operations, 6u);
  EXPECT_EQ(time.rows[1].operations, 3u);
  EXPECT_FALSE(time.rows[0].operations_estimated || time.rows[1].operations_estimated);
}

TEST_F(Sampler, CallsThatFailedMovedNothing) {
  for (int i = 0; i < 10; ++i)
    launch(50000, 5, i % 5 < 3);
  finish();
  profile::DeviceTime time = timeAt(10);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_EQ(time.samples, 4u);
  EXPECT_EQ(time.operations, 4u);
  EXPECT_EQ(time.rows[0].operations, 4u);
  EXPECT_FALSE(time.operations_estimated || time.rows[0].operations_estimated);
  EXPECT_NEAR(double(time.total_ns), 4 * 50000, 4 * 5000);
}

TEST_F(Sampler, NorDidThoseThatNobodyLookedAt) {
  for (int i = 0; i < 20000; ++i)
    launch(0, 5, i % 4 == 0);
  finish();
  profile::DeviceTime time = timeAt(10);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_LT(time.samples, 15000u);
  EXPECT_EQ(time.operations, 15000u);
  EXPECT_EQ(time.rows[0].operations, 15000u);
  EXPECT_FALSE(time.operations_estimated || time.rows[0].operations_estimated);
}

TEST_F(Sampler, CallsThatFailedMakeCountsOfSeveralKindsEstimates) {
  nameKernels();
  for (int i = 0; i < 5000; ++i) {
    launch(0, 5, i % 2);
    launch(0, 5, 0, 0x4712);
  }
  finish();
  profile::DeviceTime time = timeAt(10);
  ASSERT_EQ(time.rows.size(), 2u);
  EXPECT_TRUE(time.rows[0].operations_estimated && time.rows[1].operations_estimated);
  EXPECT_TRUE(time.operations_estimated);
  EXPECT_LT(time.operations, 10000u);
}

TEST(TimeStore, KernelsBeyondTheRowsHaveOneTogether) {
  timing::clearTimes();
  constexpr SiteIndex Site = 7;
  bool isNew = false;
  timing::OperationKind key;
  for (unsigned i = 0; i < timing::MostKernelRows; ++i) {
    key.function = i + 1;
    EXPECT_EQ(timing::rowOf(Site, key, isNew), i);
    EXPECT_TRUE(isNew);
  }
  for (unsigned i = 0; i < 20; ++i) {
    key.function = 1000 + i;
    EXPECT_EQ(timing::rowOf(Site, key, isNew), timing::MostKernelRows);
    EXPECT_FALSE(isNew);
  }
  timing::OperationKind copy;
  copy.work = timing::DeviceWorkKind::Copy;
  EXPECT_EQ(timing::rowOf(Site, copy, isNew), timing::MostKernelRows + 1) << "of their own";
  EXPECT_TRUE(isNew);
  timing::noteMade(Site, 0, 1);
  timing::SiteTime time;
  ASSERT_TRUE(timing::timesOf(Site, time));
  EXPECT_EQ(time.rows[timing::MostKernelRows].name, profile::OtherKernels);
  timing::clearTimes();
}

TEST_F(Sampler, NothingGoesIntoACapture) {
  FakeDriver::Capturing = true;
  int records = before();
  for (int i = 0; i < 20; ++i)
    launch(1000);
  EXPECT_EQ(FakeDevice::Records, records);
  FakeDriver::Capturing = false;
  EXPECT_EQ(timeAt(10).method.text(), "");
}

TEST_F(Sampler, CapturedLaunchesAddNoTimeToTheOthers) {
  FakeDriver::Capturing = true;
  for (int i = 0; i < 6; ++i)
    launch(0);
  FakeDriver::Capturing = false;
  for (int i = 0; i < 6; ++i)
    launch(40000);
  finish();
  profile::DeviceTime time = timeAt(10);
  EXPECT_EQ(time.samples, 6u);
  EXPECT_EQ(time.operations, 6u);
  EXPECT_NEAR(double(time.total_ns), 6 * 40000, double(time.ci_ns));
}

TEST_F(Sampler, EventsAreMadeOnlyAsManyAsAreNeededAtOnce) {
  launch(1000);
  finish();
  const int created = FakeDevice::Created, records = FakeDevice::Records;
  for (int i = 0; i < 6; ++i) {
    launch(1000);
    finish();
  }
  EXPECT_EQ(FakeDevice::Records, records + 12);
  EXPECT_EQ(FakeDevice::Created, created) << "the first pair is free again each time";
  FakeDevice::Held = true;
  launch(1000);
  launch(1000);
  FakeDevice::Held = false;
  EXPECT_EQ(FakeDevice::Created, created + 2);
}

TEST_F(Sampler, PendingPairsAreBoundedAndNobodyWaits) {
  FakeDevice::Held = true;
  int records = before();
  for (int i = 0; i < 3000; ++i)
    launch(30000);
  // The calibration's, in its own stream: one empty pair, and the reference up to 12 times.
  EXPECT_LE(FakeDevice::Records - records, 2 * 64 + 2 + 12);
  EXPECT_EQ(timeAt(10).method.text(), "");
  timing::collectTimes(); // returns
  FakeDevice::Held = false;
}

TEST_F(Sampler, NewSitesAreTimedThoughTheDeviceIsFarBehind) {
  FakeDevice::Held = true;
  for (int i = 0; i < 3000; ++i)
    launch(3000);
  gpuinstr_site *late =
      makeSite(GPUINSTR_OP_LAUNCH, "kernel", 11, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
  registerAll({late});
  std::swap(Launch, late);
  for (int i = 0; i < 4; ++i)
    launch(50000);
  FakeDevice::Held = false;
  finish();
  EXPECT_EQ(timeAt(11).samples, 4u);
}

TEST_F(Sampler, AKernelThatNeverEndsDoesNotHideTheOthers) {
  FakeDevice::HeldStream = 6;
  launch(1000, 6);
  usleep(200000);
  for (unsigned i = 0; i < 100; ++i) { // more than there are pairs
    Launch =
        makeSite(GPUINSTR_OP_LAUNCH, "kernel", 100 + i, 0, GPUINSTR_SITE_CUDA_ERROR, LaunchSlots);
    registerAll({Launch});
    launch(100);
    while (FakeDevice::BusyUntil > double(monotonicNs()))
      ;
  }
  unsigned read = 0;
  profile::Profile p = profileNow();
  for (unsigned i = 0; i < 100; ++i)
    if (const profile::Site *site = siteAtLine(p, 100 + i))
      read += site->device.samples == 1;
  EXPECT_GE(read, 80u);
  FakeDevice::HeldStream = 0;
}

TEST_F(Sampler, FailedLaunchesAreNotCountedAsWork) {
  for (int i = 0; i < 5; ++i)
    launch(0, 5, 1);
  finish();
  EXPECT_EQ(timeAt(10).samples, 0u);
}

TEST_F(Sampler, ADriverThatRefusesEventsChangesNothing) {
  FakeDevice::Refuses = 1; // any error
  for (int i = 0; i < 50; ++i)
    launch(1000);
  profile::Profile p = profileNow();
  EXPECT_EQ(siteAtLine(p, 10)->calls, 50u);
  EXPECT_EQ(siteAtLine(p, 10)->failed, 0u);
  EXPECT_EQ(siteAtLine(p, 10)->device.method.text(), "");
  FakeDevice::Refuses = 0;
}

TEST_F(Sampler, AGraphGoesByWhatWasLaunched) {
  gpuinstr_site *site = makeSite(GPUINSTR_OP_GRAPH_LAUNCH, "cudaGraphLaunch", 40, 0,
                                 GPUINSTR_SITE_CUDA_ERROR, bit(GPUINSTR_SLOT_STREAM));
  static const char *const arguments[] = {"exec", "stream"};
  site->arguments = arguments;
  site->num_arguments = 2;
  registerAll({site});
  for (int i = 0; i < 3; ++i) {
    F.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    F.call(site, [] {
      FakeDevice::work(3000);
      return 0;
    });
  }
  finish();
  profile::DeviceTime time = timeAt(40);
  ASSERT_EQ(time.rows.size(), 1u);
  EXPECT_EQ(time.rows[0].name, "graph exec");
  EXPECT_EQ(time.rows[0].operation.text(), "graph");
  EXPECT_EQ(time.rows[0].operations, 3u);
  EXPECT_FALSE(time.rows[0].operations_estimated);
}

TEST_F(Sampler, LegacyStreamGetsEventsOnlyWhereTheCopyGoesThereItself) {
  int records = before();
  copy(0, 64, 0); // host to host
  copy(4, 64, 0); // cudaMemcpyDefault between addresses that nobody knows
  copy(1, 0, 0);  // of nothing
  EXPECT_EQ(FakeDevice::Records, records);
  copy(1, 64, 0);
  EXPECT_GE(FakeDevice::Records, records + 2);
}

TEST_F(Sampler, CopiesAreToldApartByDirection) {
  copy(1, 1000, 5);
  copy(2, 3000, 5);
  finish();
  profile::DeviceTime time = timeAt(20);
  ASSERT_EQ(time.rows.size(), 2u);
  EXPECT_EQ(time.rows[0].operation.text(), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(time.rows[0].bytes, 1000u);
  EXPECT_EQ(time.rows[1].operation.text(), "[CUDA memcpy Device-to-Host]");
  EXPECT_EQ(time.rows[1].bytes, 3000u);
}

/// By the attribute that ties the launch to its neighbours.
class Dependent : public Sampler, public ::testing::WithParamInterface<cudaLaunchAttributeID> {};
INSTANTIATE_TEST_SUITE_P(, Dependent,
                         ::testing::Values(cudaLaunchAttributeProgrammaticStreamSerialization,
                                           cudaLaunchAttributeProgrammaticEvent,
                                           cudaLaunchAttributeLaunchCompletionEvent));

TEST_P(Dependent, LaunchesWithProgrammaticDependenciesAreLeftAlone) {
  gpuinstr_site *site =
      makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernelExC", 30, 0, GPUINSTR_SITE_CUDA_ERROR,
               bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_PARAMS));
  registerAll({site});
  cudaLaunchAttribute attribute = {};
  attribute.id = GetParam();
  attribute.val.pad[0] = 1; // it is asked for
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = reinterpret_cast<cudaStream_t>(0x99);
  config.attrs = &attribute;
  auto call = [&] {
    F.frame.slot[GPUINSTR_SLOT_FUNC] = 0x4712;
    F.frame.slot[GPUINSTR_SLOT_PARAMS] = reinterpret_cast<uint64_t>(&config);
    F.call(site, [] { return 0; });
  };
  launch(1000, 0x97); // makes the pairs of the context
  int records = before();
  config.numAttrs = 0;
  call();
  EXPECT_EQ(FakeDevice::Records, records + 2);
  EXPECT_EQ(FakeDevice::LastStream, 0x99u);
  config.numAttrs = 1;
  call();
  EXPECT_EQ(FakeDevice::Records, records + 2);
  // An event behind the one before would stand between the two.
  config.numAttrs = 0;
  call();
  launch(1000, 0x99);
  EXPECT_EQ(FakeDevice::Records, records + 2);
  launch(1000, 0x98);
  EXPECT_EQ(FakeDevice::Records, records + 4);
  EXPECT_EQ(FakeDevice::LastStream, 0x98u);
  profile::Profile p = profileNow();
  EXPECT_TRUE(std::any_of(p.coverage.notes.begin(), p.coverage.notes.end(), [](auto &note) {
    return note.find("programmatic dependencies") != std::string::npos;
  }));
  timing::forgetDependents();
  launch(1000, 0x99);
  EXPECT_EQ(FakeDevice::Records, records + 6);
}

TEST_F(Sampler, ACallThatAnExceptionLeftGivesItsPairBack) {
  for (int i = 0; i < 300; ++i) {
    gpuinstr_frame lost = {};
    lost.site = Launch;
    lost.slot[GPUINSTR_SLOT_FUNC] = 0x4711;
    lost.slot[GPUINSTR_SLOT_STREAM] = 5;
    table().enter(&lost); // and never left
  }
  for (int i = 0; i < 2000; ++i)
    launch(0);
  finish();
  EXPECT_GT(timeAt(10).samples, 0u);
}

TEST_F(Sampler, NothingIsAskedAfterTeardown) {
  launch(1000);
  timing::stopSampling();
  int records = before();
  launch(1000);
  EXPECT_EQ(FakeDevice::Records, records);
}

TEST_F(Sampler, AForkedChildPutsNothingIntoItsParentsStreams) {
  launch(1000);
  int records = before();
  pid_t child = fork();
  if (child == 0) {
    F.frame.slot[GPUINSTR_SLOT_STREAM] = 5;
    F.call(Launch, [] { return 3; }); // cudaErrorInitializationError, as CUDA answers there
    timing::collectTimes();
    _exit(FakeDevice::Records == records ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}
