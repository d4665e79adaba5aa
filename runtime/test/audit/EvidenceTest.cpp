// What is judged, and what a finding rests on.
// SPDX-License-Identifier: Apache-2.0
#include "AuditSupport.h"
#include <algorithm>
#include <functional>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

struct Evidence : VariedBytes {};

/// Repeats to two buffers at one line; the device can be asked about the first alone.
void repeatToTwo(Evidence &test, char *proven, char *other, const std::function<void()> &between) {
  auto with = audit::EngineSource;
  for (int i = 0; i < 5; ++i)
    test.upload(20, proven, test.host.data());
  audit::EngineSource = [](bool) { return static_cast<audit::DeviceHasher *>(nullptr); };
  for (int i = 0; i < 5; ++i) {
    test.upload(20, other, test.host.data());
    between();
  }
  audit::EngineSource = with;
}

TEST_F(Evidence, WhatTheHostSawOfAnotherBufferExtendsTheLinesProof) {
  repeatToTwo(*this, alloc(10), alloc(11), [] {});
  EXPECT_EQ(finding("noop-copy").grade.text(), "proven");
  EXPECT_EQ(finding("noop-copy").count, 8u);
  EXPECT_EQ(finding("noop-copy").host_checked, 4u);
}

/// The looks were dear, as on a machine that is busy: the last repeats went without.
TEST_F(Evidence, WhatTheHostSawExtendsItWhereTheLastRepeatsWereNotLookedAt) {
  char *proven = alloc(10), *other = alloc(11);
  unsigned repeats = 0;
  repeatToTwo(*this, proven, other, [&] { audit::auditor().verifies = ++repeats < 4; });
  audit::auditor().verifies = true;
  EXPECT_EQ(finding("noop-copy", "likely").count, 0u);
  EXPECT_EQ(finding("noop-copy", "proven").count, 4u + 3u);
  EXPECT_EQ(finding("noop-copy", "proven").bytes, 7 * Bytes);
}

/// Behind a set that nobody looked at, what the host saw stands for nothing that came before.
TEST_F(Evidence, WhatStandsForTooLittleIsNoFindingBesideAProof) {
  char *proven = alloc(10), *other = alloc(11);
  for (int i = 0; i < 5; ++i)
    set(20, proven, 7);
  auto with = audit::EngineSource;
  audit::EngineSource = [](bool) { return static_cast<audit::DeviceHasher *>(nullptr); };
  for (int i = 0; i < 6; ++i) {
    audit::auditor().verifies = i != 1;
    set(20, other, 7);
  }
  audit::EngineSource = with;
  EXPECT_EQ(finding("noop-copy", "likely").count, 0u);
  EXPECT_EQ(finding("noop-copy", "proven").count, 4u);
  EXPECT_EQ(finding("noop-copy", "proven").checked, 4u + 3u);
}

TEST_F(Evidence, ButNotWhereAKernelMayHaveWrittenToo) {
  char *other = alloc(11);
  unsigned repeats = 0;
  repeatToTwo(*this, alloc(10), other, [&] {
    launch("unseen", {parameter(Unseen)}, {other});
    audit::auditor().verifies = ++repeats < 4;
  });
  audit::auditor().verifies = true;
  EXPECT_EQ(finding("noop-copy", "proven").count, 4u);
  EXPECT_EQ(finding("noop-copy", "likely").count, 4u);
}

TEST_F(Evidence, WhatAKernelMayHaveWrittenExtendsNoProof) {
  char *other = alloc(11);
  repeatToTwo(*this, alloc(10), other, [&] { launch("unseen", {parameter(Unseen)}, {other}); });
  EXPECT_EQ(finding("noop-copy", "proven").count, 4u);
  EXPECT_EQ(finding("noop-copy", "likely").count, 4u);
}

TEST_F(Evidence, WhatNobodyLookedAtIsNotJudged) {
  char *d = alloc(10);
  upload(20, d, host.data());
  auto download5 = [&] {
    for (int i = 0; i < 5; ++i) {
      download(21, host.data(), d);
      launch("writer", {parameter(Reads | Writes)}, {d});
    }
  };
  audit::auditor().verifies = false;
  download5();
  EXPECT_EQ(figures().transfers, 6u);
  EXPECT_EQ(figures().transfer_bytes, 6 * Bytes);
  EXPECT_EQ(figures().judged_bytes, Bytes) << "the upload, which nothing repeats";
  audit::auditor().verifies = true;
  download5();
  EXPECT_EQ(figures().transfers, 11u);
  EXPECT_EQ(figures().judged_bytes, 11 * Bytes);
}

TEST_F(Evidence, CopiesWithinTheHostsMemoryAreNoTransfers) {
  char *pinned = alloc(10, Bytes, GPUINSTR_RES_PINNED);
  download(20, host.data(), pinned); // whatever the call's name says
  upload(21, pinned, host.data());
  EXPECT_EQ(figures().transfers, 0u);
  download(22, host.data(), alloc(11));
  upload(23, alloc(12), host.data());
  EXPECT_EQ(figures().transfers, 2u);
}

TEST_F(Evidence, WhatAFindingRestsOn) {
  char *d = alloc(10);
  for (int i = 0; i < 5; ++i) {
    upload(20, d, host.data());
    read(d);
    launch("passes", {parameter(0)}, {d});
  }
  profile::Finding found = finding("noop-copy");
  ASSERT_EQ(found.kernels.size(), 2u);
  EXPECT_EQ(found.kernels[0].access, "reads");
  EXPECT_EQ(found.kernels[1].access, "untouched");
  EXPECT_GT(found.last_look_ns, 0u);
  auto costs = profileNow().process.own_costs;
  auto isLooks = [](auto &c) { return c.consumer == profile::OwnConsumer::DeviceLooks; };
  EXPECT_TRUE(std::any_of(costs.begin(), costs.end(), isLooks));
  free(11, d);
  EXPECT_EQ(finding("noop-copy").kernels.size(), 2u) << "freed memory had them, too";
}

} // namespace
