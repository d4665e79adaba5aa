// The program's own ranges: how often, how long, and what the host did in them.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

void pass(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

class Phases : public testing::Test {
protected:
  void SetUp() override {
    table();
    FakeDriver::install();
    forgetAll();
    registerAll({Sync, Set});
  }
  void TearDown() override { FakeDriver::reset(); }

  /// A CUDA call that takes so long.
  void call(const gpuinstr_site *site, int ms) {
    F.call(site, [ms] {
      pass(ms);
      return 0;
    });
  }
  static profile::Phase phaseOf(const profile::Profile &p, const std::string &name) {
    for (const profile::Phase &phase : p.phases)
      if (phase.name == name)
        return phase;
    return {};
  }

  Function F;
  gpuinstr_site *Sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 10);
  gpuinstr_site *Set = makeSite(GPUINSTR_OP_SET, "cudaMemset", 11);
};

} // namespace

TEST_F(Phases, CallsAndOwnCodeOfEach) {
  for (int i = 0; i < 3; ++i) {
    table().push_range("outer");
    table().push_range("own code");
    pass(4);
    table().pop_range();
    table().push_range("calls");
    call(Set, 4);
    table().pop_range();
    table().pop_range();
  }
  table().push_range("open");
  auto p = profileNow();
  ASSERT_EQ(p.phases.size(), 3u) << "what is open has not ended";
  EXPECT_EQ(p.phases[0].name, "outer") << "longest first";
  auto outer = phaseOf(p, "outer"), own = phaseOf(p, "own code"), calls = phaseOf(p, "calls");
  for (const auto &phase : {outer, own, calls}) {
    EXPECT_EQ(phase.instances, 3u);
    EXPECT_EQ(phase.looked_at, 3u);
  }
  EXPECT_EQ(own.calls_ns, 0u);
  EXPECT_GE(own.total_ns, 12 * Ms);
  EXPECT_GE(calls.calls_ns, 12 * Ms);
  EXPECT_LE(calls.calls_ns, calls.total_ns);
  EXPECT_GE(outer.total_ns, own.total_ns + calls.total_ns);
  EXPECT_NEAR(double(outer.calls_ns), double(calls.calls_ns), 1000) << "what lies inside counts";
  EXPECT_FALSE(outer.device_known) << "nothing was timed";
}

TEST_F(Phases, AGapBelongsToTheRangeInWhichItPasses) {
  call(Sync, 1);
  table().push_range("waits");
  pass(5);
  table().pop_range();
  pass(5);
  table().push_range("works");
  call(Set, 5); // ends the gap
  pass(5);
  table().pop_range();
  auto p = profileNow();
  ASSERT_TRUE(phaseOf(p, "waits").idle_known);
  EXPECT_GE(phaseOf(p, "waits").idle_ns, 5 * Ms);
  EXPECT_LE(phaseOf(p, "waits").idle_ns, phaseOf(p, "waits").total_ns);
  EXPECT_LT(phaseOf(p, "works").idle_ns + 9 * Ms, phaseOf(p, "works").total_ns);
}

TEST_F(Phases, RareLooksStandForAll) {
  for (int i = 0; i < 1000; ++i) {
    table().push_range("hot");
    F.call(Set, [] { return 0; });
    table().pop_range();
  }
  auto hot = phaseOf(profileNow(), "hot");
  EXPECT_EQ(hot.instances, 1000u);
  EXPECT_GE(hot.looked_at, 64u);
  EXPECT_LT(hot.looked_at, 300u);
  EXPECT_GT(hot.calls_ns, 0u);
}

TEST_F(Phases, NamesAreBoundedAndPopsMayBeTooMany) {
  for (int i = 0; i < 300; ++i) {
    table().push_range(("step " + std::to_string(i)).c_str());
    table().pop_range();
    table().pop_range();
  }
  table().push_range(nullptr);
  table().pop_range();
  auto p = profileNow();
  EXPECT_LE(p.phases.size(), 257u);
  EXPECT_EQ(phaseOf(p, "other ranges").instances, 300u - 256 + 1);
  for (int i = 0; i < 1000; ++i) // never popped
    table().push_range("leaks");
  EXPECT_EQ(phaseOf(profileNow(), "leaks").instances, 0u);
}

TEST_F(Phases, APauseAndAResetTakeTheRangeAway) {
  table().push_range("paused");
  table().pause();
  table().pop_range();
  table().push_range("begun in the pause");
  table().resume();
  table().pop_range();
  table().push_range("reset inside");
  table().reset();
  table().pop_range();
  EXPECT_TRUE(profileNow().phases.empty());
  table().push_range("after");
  table().pop_range();
  EXPECT_EQ(profileNow().phases.size(), 1u);
}

TEST_F(Phases, NvtxRangesPopByDomain) {
  table().nvtx(GPUINSTR_NVTX_PUSH_A, "first", 0);
  table().nvtx(GPUINSTR_NVTX_PUSH_A, "other domain", 7);
  table().nvtx(GPUINSTR_NVTX_POP, nullptr, 0);
  auto p = profileNow();
  ASSERT_EQ(p.phases.size(), 1u);
  EXPECT_EQ(p.phases[0].name, "first");
  table().nvtx(GPUINSTR_NVTX_POP, nullptr, 7);
  table().nvtx(GPUINSTR_NVTX_PUSH_W, L"wide", 0);
  table().nvtx(GPUINSTR_NVTX_POP, nullptr, 0);
  EXPECT_EQ(phaseOf(profileNow(), "other domain").instances, 1u);
  EXPECT_EQ(phaseOf(profileNow(), "unnamed range").instances, 1u);
}
