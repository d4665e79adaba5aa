// Frames: who is timed, who is charged, and what happens when a call never returns.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "base/BackgroundThread.h"
#include "base/Clock.h"
#include "calls/budget/OverheadBudget.h"
#include "calls/budget/OwnStart.h"
#include "calls/sites/Sites.h"
#include "calls/threads/Thread.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

class Entry : public testing::Test {
protected:
  void SetUp() override {
    table();
    forgetAll();
  }
};

TEST_F(Entry, CountsCallsAndKeepsTheFirstApart) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 10);
  Function f;
  for (int i = 0; i < 5; ++i)
    f.call(site, [] { return 0; });
  auto p = profileNow();
  auto *s = siteAtLine(p, 10);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->calls, 5u);
  EXPECT_EQ(s->failed, 0u);
  EXPECT_EQ(s->host.count, 4u);
  EXPECT_GT(s->host.first_ns, 0u);
  EXPECT_LE(s->host.min_ns, s->host.median_ns);
  EXPECT_LE(s->host.median_ns, s->host.max_ns);
  EXPECT_EQ(s->kind.text(), "sync");
}

TEST_F(Entry, TimesAgreeWithTheClock) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 11);
  Function f;
  for (int i = 0; i < 2; ++i)
    f.call(site, [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return 0;
    });
  auto p = profileNow();
  auto *s = siteAtLine(p, 11);
  EXPECT_GE(s->host.total_ns, 19900000u);
  EXPECT_LE(s->host.total_ns, 200000000u);
}

TEST_F(Entry, StatusCodesAreNoFailures) {
  auto *site = makeSite(GPUINSTR_OP_QUERY, "cudaStreamQuery", 12, 0, GPUINSTR_SITE_CUDA_ERROR,
                        bit(GPUINSTR_SLOT_DST));
  Function f;
  f.call(site, [] { return 600; });
  f.call(site, [] { return 1; });
  EXPECT_EQ(siteAtLine(profileNow(), 12)->failed, 1u);
}

TEST_F(Entry, NestedCallsAreChargedToTheOutermost) {
  auto *outer = makeSite(GPUINSTR_OP_COPY, "copy_all", 20);
  auto *inner =
      makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 900, 0,
               GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, CopySlots, "", "", "cuda_runtime.h");
  Function user, header;
  user.call(outer, [&] { return header.copy(inner, 0x7000, 0x8000, 64); });
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 20)->calls, 1u);
  EXPECT_EQ(siteAtLine(p, 20)->bytes, 64u);
  EXPECT_EQ(siteAtLine(p, 900), nullptr);
}

TEST_F(Entry, ExceptionsLeaveStaleFramesBehind) {
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::sort", 30, 0, 0);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 31);
  auto thrower = [&]() __attribute__((noinline)) {
    Function inner;
    inner.call(region, []() -> int { throw std::runtime_error("out of memory"); });
  };
  Function f;
  for (int i = 0; i < 100; ++i) {
    try {
      thrower();
    } catch (const std::runtime_error &) {
    }
    f.call(sync, [] { return 0; });
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 31)->calls, 100u) << "charged to the region that was left";
  EXPECT_TRUE(!siteAtLine(p, 30) || siteAtLine(p, 30)->calls == 0);
}

TEST_F(Entry, TheSameFrameEnteredAgainDropsTheFirst) {
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::sort", 32, 0, 0);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 33);
  Function f;
  try {
    f.call(region, []() -> int { throw 1; });
  } catch (int) {
  }
  f.call(sync, [] { return 0; });
  EXPECT_EQ(siteAtLine(profileNow(), 33)->calls, 1u);
}

TEST_F(Entry, LeaveWithoutEnterDoesNothing) {
  Function f;
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 34);
  f.frame.site = site;
  table().leave(&f.frame, 0);
  EXPECT_EQ(siteAtLine(profileNow(), 34), nullptr);
}

TEST_F(Entry, DeepRecursionIsSurvived) {
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::for_each", 35, 0, 0);
  std::function<int(int)> recurse = [&](int depth) -> int {
    Function f;
    return depth == 0 ? 0 : f.call(region, [&] { return recurse(depth - 1); });
  };
  recurse(300);
  EXPECT_EQ(siteAtLine(profileNow(), 35)->calls, 1u);
  recurse(1);
  EXPECT_EQ(siteAtLine(profileNow(), 35)->calls, 2u);
}

TEST_F(Entry, ThreadsAddUpAlsoWhenTheyEnded) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 40);
  registerAll({site});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Function f;
      for (int i = 0; i < 1000; ++i)
        f.call(site, [] { return 0; });
    });
  for (auto &t : threads)
    t.join();
  auto p = profileNow();
  auto *s = siteAtLine(p, 40);
  EXPECT_EQ(s->calls, 4000u);
  EXPECT_EQ(s->host.count, 3999u) << "one first call in the whole process";
}

TEST_F(Entry, ChargesTheCallerWhenTheSiteAsksForIt) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 50, 0,
                        GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_CHARGE_CALLER);
  auto *caller = makeCaller(51, "checkedSync");
  Function f(caller);
  f.call(site, [] { return 0; });
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 50), nullptr);
  std::vector<const profile::Site *> rows;
  for (const profile::Site &row : p.sites)
    if (row.line == 51 && row.calls)
      rows.push_back(&row);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]->kind, profile::SiteKind::Sync);
  EXPECT_EQ(rows[0]->calls, 1u);
  EXPECT_TRUE(rows[0]->via.empty());
}

TEST_F(Entry, NamesTheCallerOnlyWhenThereIsOne) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 52);
  Function first(makeCaller(53, "helper"));
  first.call(site, [] { return 0; });
  first.call(site, [] { return 0; });
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 52)->caller, siteAtLine(p, 53)->id);
  Function second(makeCaller(54, "helper"));
  second.call(site, [] { return 0; });
  EXPECT_EQ(siteAtLine(profileNow(), 52)->caller, "");
}

TEST_F(Entry, PausedCallsAreNotCounted) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 60);
  Function f;
  table().pause();
  f.call(site, [] { return 0; });
  table().resume();
  f.call(site, [] { return 0; });
  EXPECT_EQ(siteAtLine(profileNow(), 60)->calls, 1u);
}

TEST_F(Entry, ResetForgetsCounts) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 61);
  Function f;
  f.call(site, [] { return 0; });
  table().reset();
  // The first CUDA call of the process is named for ever, with no calls to its name.
  auto p = profileNow();
  const profile::Site *row = siteAtLine(p, 61);
  EXPECT_EQ(row ? row->calls : 0, 0u);
  f.call(site, [] { return 0; });
  EXPECT_EQ(siteAtLine(profileNow(), 61)->calls, 1u);
}

TEST_F(Entry, ExcludedSitesAreNotReported) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 62, 0,
                        GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_EXCLUDED);
  Function f;
  f.call(site, [] { return 0; });
  EXPECT_EQ(siteAtLine(profileNow(), 62), nullptr);
}

TEST_F(Entry, SitesAreListedOrSideBySide) {
  gpuinstr_site pair[2] = {*makeSite(GPUINSTR_OP_QUERY, "cudaStreamQuery", 65),
                           *makeSite(GPUINSTR_OP_QUERY, "cudaEventQuery", 66)};
  gpuinstr_module old = {};
  old.size = offsetof(gpuinstr_module, listed); // what lies behind is not the module's
  old.listed = reinterpret_cast<gpuinstr_site *const *>(uintptr_t(8));
  old.num_listed = 7;
  old.num_sites = 2;
  old.sites = pair;
  old.source = old.producer = old.defaults = "";
  pair[0].index = pair[1].index = 0;
  table().register_module(&old);
  EXPECT_NE(pair[0].index, 0u);
  EXPECT_NE(pair[1].index, pair[0].index);

  gpuinstr_site one = *makeSite(GPUINSTR_OP_QUERY, "cudaStreamQuery", 67);
  gpuinstr_site two = *makeSite(GPUINSTR_OP_QUERY, "cudaStreamQuery", 68);
  one.index = two.index = 0;
  gpuinstr_site *const both[] = {&one, &two};
  gpuinstr_module listed = {};
  listed.size = sizeof listed;
  listed.listed = both;
  listed.num_listed = 2;
  listed.source = listed.producer = listed.defaults = "";
  table().register_module(&listed);
  EXPECT_NE(one.index, 0u);
  EXPECT_NE(two.index, one.index);
  table().unregister_module(&listed);
  table().unregister_module(&old);
}

TEST_F(Entry, CountIsForCallsThatCannotBeLeft) {
  auto *site = makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 63, 0, GPUINSTR_SITE_NO_LEAVE);
  table().count(site);
  table().count(site);
  EXPECT_EQ(siteAtLine(profileNow(), 63)->calls, 2u);
}

TEST_F(Entry, UnloadedModulesKeepTheirSites) {
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 64);
  gpuinstr_module *module = registerAll({site});
  Function f;
  f.call(site, [] { return 0; });
  uint32_t index = site->index;
  table().unregister_module(module);
  site->callee = site->file = nullptr; // unmapped
  auto p = profileNow();
  ASSERT_TRUE(siteAtLine(p, 64));
  EXPECT_EQ(siteAtLine(p, 64)->callee, "cudaDeviceSynchronize");
  // Loaded again: the same site.
  auto *again = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 64);
  registerAll({again});
  EXPECT_EQ(again->index, index);
}

TEST_F(Entry, WhatIsMadeOnceIsStartAndNotShare) {
  Function f;
  f.call(makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 65), [] { return 0; });
  overheadBudget().take(1); // the tokens of before do not matter
  const uint64_t own = totalOwnTicks().own, start = startupNs();
  const uint64_t spent = overheadBudget().spentNs(), ticks = gpuinstr::ticks();
  {
    OwnStart scope;
    const uint64_t begin = monotonicNs();
    while (monotonicNs() - begin < 4000000)
      ;
  }
  const uint64_t all = gpuinstr::ticks() - ticks;
  Self->ownTicks += all; // as the call around it does
  const uint64_t asStart = startupNs() - start;
  EXPECT_GE(asStart, 4000000u);
  EXPECT_GT(overheadBudget().spentNs(), spent) << "the budget has to earn it";
  // What is not the one is the other.
  const double asShare = double(totalOwnTicks().own - own) * nsPerTick();
  EXPECT_NEAR(asShare + double(asStart), double(all) * nsPerTick(), 0.2 * double(asStart));
}

TEST_F(Entry, OwnCostIsOfTheTimeOfAllThreads) {
  Function f;
  auto *site = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 66);
  f.call(site, [] { return 0; });
  const OwnTicks before = totalOwnTicks();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Function g;
      g.call(site, [] { return 0; });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
  for (std::thread &thread : threads)
    thread.join();
  const OwnTicks all = totalOwnTicks();
  EXPECT_GE(double(all.life - before.life) * nsPerTick(), 5 * 20e6) << "ended ones, and ours";
  EXPECT_GE(all.own, before.own);
}

/// Else a thread of ours, there for the whole run, would halve the share that is told.
TEST_F(Entry, OwnThreadsAreNoTimeOfTheProgram) {
  static std::atomic<int> stage;
  stage = 0;
  thisThread();
  const auto others = backgroundThreads(); // of tests before, in the same process
  const uint64_t began = gpuinstr::ticks();
  const OwnTicks before = totalOwnTicks();
  ASSERT_TRUE(startBackground(
      [](void *) -> void * {
        thisThread()->ownTicks += 12345;
        stage = 1;
        while (stage != 2)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return nullptr;
      },
      256 << 10));
  while (stage != 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const OwnTicks during = totalOwnTicks();
  EXPECT_GE(during.own - before.own, 12345u) << "what it costs counts";
  EXPECT_LE(during.life - before.life, gpuinstr::ticks() - began) << "this thread's alone";
  stage = 2;
  while (backgroundThreads() > others)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const OwnTicks after = totalOwnTicks();
  EXPECT_LE(after.life - before.life, gpuinstr::ticks() - began) << "ended";
}

TEST_F(Entry, DriverCallsBelowInstrumentedOnesAreTheirs) {
  auto *copy =
      makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 951, 0, GPUINSTR_SITE_CUDA_ERROR, CopySlots);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 952);
  auto *library = makeSite(GPUINSTR_OP_LIBRARY, "cublasSgemm", 953, 0, GPUINSTR_SITE_STATUS);
  auto below = [](const gpuinstr_site *site) {
    int answer = -2;
    Function().call(site, [&] {
      answer = table().may_enter();
      return 0;
    });
    return answer;
  };
  EXPECT_EQ(table().may_enter(), 1);
  EXPECT_EQ(below(copy), 0);
  EXPECT_EQ(below(sync), 0);
  EXPECT_EQ(below(library), 1) << "what a library does is not known otherwise";
  EXPECT_EQ(table().may_enter(), 1);
}

TEST_F(Entry, RefusesAnotherAbi) {
  EXPECT_EQ(gpuinstr_connect(GPUINSTR_ABI_VERSION + 1, sizeof(gpuinstr_table), 0), nullptr);
  EXPECT_NE(gpuinstr_connect(GPUINSTR_ABI_VERSION, sizeof(gpuinstr_table), 0), nullptr);
}

TEST_F(Entry, KernelsAreNamedAtTheLaunch) {
  static int stub;
  gpuinstr_kernel kernel = {};
  kernel.size = sizeof kernel;
  kernel.stub = &stub;
  kernel.name = "saxpy<float>";
  kernel.file = "app.cu";
  auto *outer = makeSite(GPUINSTR_OP_LAUNCH, "saxpy<float>", 70, 0, 0);
  gpuinstr_module module = {};
  module.size = sizeof module;
  module.num_sites = 1;
  module.sites = outer;
  module.num_kernels = 1;
  module.kernels = &kernel;
  module.source = module.producer = module.defaults = "";
  table().register_module(&module);
  auto *inner = makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 901, 0,
                         GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, bit(GPUINSTR_SLOT_FUNC));
  Function user, header;
  header.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(&stub);
  user.call(outer, [&] { return header.call(inner, [] { return 0; }); });
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 70)->kernels, std::vector<std::string>{"saxpy<float>"});
  table().unregister_module(&module);
}

TEST_F(Entry, KernelFlagsAreWhatEveryObjectPromises) {
  static int stub;
  gpuinstr_kernel kernels[2] = {};
  gpuinstr_module modules[2] = {};
  for (int i = 0; i < 2; ++i) {
    kernels[i].size = sizeof kernels[i];
    kernels[i].stub = &stub;
    kernels[i].name = kernels[i].file = "";
    modules[i].size = sizeof modules[i];
    modules[i].num_kernels = 1;
    modules[i].kernels = &kernels[i];
    modules[i].source = modules[i].producer = modules[i].defaults = "";
  }
  kernels[0].flags = GPUINSTR_KERNEL_ENDS | GPUINSTR_KERNEL_KEEPS_GLOBALS;
  kernels[1].flags = GPUINSTR_KERNEL_ENDS;
  EXPECT_EQ(kernelFlags(&stub), 0u);
  table().register_module(&modules[0]);
  EXPECT_EQ(kernelFlags(&stub), uint32_t(GPUINSTR_KERNEL_ENDS | GPUINSTR_KERNEL_KEEPS_GLOBALS));
  table().register_module(&modules[1]);
  EXPECT_EQ(kernelFlags(&stub), uint32_t(GPUINSTR_KERNEL_ENDS));
  table().unregister_module(&modules[0]);
  table().unregister_module(&modules[1]);
  EXPECT_EQ(kernelFlags(&stub), 0u);
}

} // namespace
