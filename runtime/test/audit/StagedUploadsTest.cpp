// Asynchronous uploads out of ordinary memory: the host need not wait for them before it changes
// their source. By the long way and by those that repeats take, until the memory is pinned.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include "audit/state/ThreadAuditState.h"
#include "cuda/Driver.h"

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct StagedUploads : TwoBuffers {
  static constexpr uint64_t Often = 40, Small = 4096;
  /// How many of so many the host may have to wait for.
  uint64_t waitedFor(const char *from, uint64_t bytes = Small) {
    const uint64_t before = audit::Streams::ForHost;
    for (unsigned i = 0; i < Often; ++i)
      uploadAsync(20, d, from, 0, bytes);
    audit::endRun();
    return audit::Streams::ForHost - before;
  }
};

TEST_F(StagedUploads, UntilTheirMemoryIsPinned) {
  for (const char *options : {"audit=full", "audit=sampled:budget=100", "audit=sampled:budget=0"}) {
    start(options);
    d = alloc(10);
    EXPECT_EQ(waitedFor(host.data()), 0u) << options;
    char *pinned = alloc(31, Bytes, GPUINSTR_RES_PINNED, host.data());
    EXPECT_EQ(waitedFor(host.data()), Often) << options;
    free(32, pinned, GPUINSTR_RES_PINNED);
    EXPECT_EQ(waitedFor(host.data()), 0u) << options;
  }
}

TEST_F(StagedUploads, WhatIsPinnedMayBeginWithinAPage) {
  char *pinned = host.data() + 64;
  alloc(31, Small, GPUINSTR_RES_PINNED, pinned);
  EXPECT_EQ(waitedFor(host.data(), 64), 0u);
  EXPECT_EQ(waitedFor(pinned, 64), Often);
  EXPECT_EQ(waitedFor(host.data(), 64), 0u);
}

TEST_F(StagedUploads, TheHostMayReadWhereTheyGo) {
  d = alloc(31, Bytes, GPUINSTR_RES_MANAGED);
  EXPECT_EQ(waitedFor(host.data()), Often);
}

TEST_F(StagedUploads, TheDeviceMayReadThatMemoryByItself) {
  DriverApi api = *driverApi();
  api.deviceGetAttribute = [](int *value, int attribute, int) {
    *value = attribute == 88;
    return 0;
  };
  useDriver(api);
  EXPECT_EQ(waitedFor(host.data()), Often);
}

TEST_F(StagedUploads, AWaitBehindThemIsNeedless) {
  gpuinstr_site *wait =
      site(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 910, 0, 0, GPUINSTR_SITE_QUIET);
  for (int i = 0; i < 6; ++i) {
    uploadAsync(20, d, host.data(), 0);
    f.call(wait, [] { return 0; });
    run(0);
  }
  EXPECT_EQ(finding("needless-sync").count, 5u) << "but the first, as nobody knows what was before";
}

} // namespace
