// Launches that are outermost calls, by the short way: it must leave behind what the long way does.
// SPDX-License-Identifier: Apache-2.0
#include "Support.h"
#include "base/Clock.h"
#include "calls/Observer.h"
#include "calls/fast/FastLaunchPath.h"
#include "calls/threads/RepeatedCalls.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint32_t LaunchSlots = bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM);
char Stubs[2000];

gpuinstr_site *launchAt(unsigned line) {
  return makeSite(GPUINSTR_OP_LAUNCH, "cuLaunchKernel", line, 0,
                  GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER | GPUINSTR_SITE_ASYNC,
                  LaunchSlots);
}

void launch(const gpuinstr_site *site, const void *kernel = &Stubs[0], int result = 0,
            const gpuinstr_site *caller = nullptr) {
  Function f(caller);
  f.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(kernel);
  f.call(site, [&] { return result; });
}

bool isKnown(const gpuinstr_site *site, const void *kernel = &Stubs[0]) {
  RepeatedCalls *all = Self->repeatedCalls.load();
  return all && all->find(site, 0, reinterpret_cast<uint64_t>(kernel));
}

/// A module with one kernel, which any code may be loaded over once it is gone.
gpuinstr_module *loadKernel(const char *name, const void *stub) {
  auto *kernel = new gpuinstr_kernel{};
  kernel->size = sizeof *kernel;
  kernel->stub = stub;
  kernel->name = name;
  kernel->file = "app.cu";
  auto *module = new gpuinstr_module{};
  module->size = sizeof *module;
  module->num_kernels = 1;
  module->kernels = kernel;
  module->source = module->producer = module->defaults = "";
  table().register_module(module);
  return module;
}

class RootLaunch : public testing::Test {
protected:
  void SetUp() override { bringCudaUp(); }
  void TearDown() override {
    LaunchHook = nullptr;
    FakeDriver::reset();
  }
};

TEST_F(RootLaunch, EachIsCounted) {
  auto *site = launchAt(100);
  for (int i = 1; i <= 3000; ++i) {
    launch(site);
    if (i == 2 || i == 33 || i == 1000)
      EXPECT_EQ(siteAtLine(profileNow(), 100)->calls, uint64_t(i));
  }
  EXPECT_TRUE(isKnown(site));
  auto p = profileNow();
  const profile::Site *row = siteAtLine(p, 100);
  EXPECT_EQ(row->calls, 3000u);
  EXPECT_EQ(row->failed, 0u);
  // Only some are timed when they come in such a row; their times stand for all.
  EXPECT_EQ(row->host.count, 2999u);
  EXPECT_GT(row->host.first_ns, 0u);
  EXPECT_GT(row->host.samples, 0u);
  EXPECT_LT(row->host.samples, row->host.count);
}

TEST_F(RootLaunch, ManyKernelsOfOneLine) {
  auto *site = launchAt(101);
  loadKernel("first", &Stubs[0]);
  loadKernel("last", &Stubs[1999]);
  // More than there is room for.
  for (int round = 0; round < 3; ++round)
    for (const char &stub : Stubs)
      launch(site, &stub);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 101)->calls, 6000u);
  EXPECT_EQ(siteAtLine(p, 101)->kernels, (std::vector<std::string>{"first", "last"}));
}

TEST_F(RootLaunch, AnotherKernelOfTheSameHandleIsNamed) {
  auto *site = launchAt(102);
  for (const char *name : {"first", "second"}) {
    gpuinstr_module *module = loadKernel(name, &Stubs[0]);
    for (int i = 0; i < 40; ++i)
      launch(site);
    EXPECT_TRUE(isKnown(site));
    table().unregister_module(module);
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 102)->kernels, (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(siteAtLine(p, 102)->calls, 80u);
}

TEST_F(RootLaunch, FailuresAreSeenAmongGoodOnes) {
  auto *site = launchAt(103);
  for (int i = 0; i < 500; ++i)
    launch(site, &Stubs[0], i == 250 ? 1 : 0);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 103)->calls, 500u);
  EXPECT_EQ(siteAtLine(p, 103)->failed, 1u);
}

TEST_F(RootLaunch, CallersAreKeptApart) {
  auto *site = launchAt(104);
  auto *one = makeCaller(105, "one"), *two = makeCaller(106, "two");
  for (int i = 0; i < 40; ++i)
    launch(site, &Stubs[0], 0, one);
  auto before = profileNow();
  EXPECT_EQ(siteAtLine(before, 104)->caller, siteAtLine(before, 105)->id);
  for (int i = 0; i < 40; ++i)
    launch(site, &Stubs[0], 0, i % 2 ? one : two);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 104)->caller, "");
  EXPECT_EQ(siteAtLine(p, 104)->calls, 80u);
}

TEST_F(RootLaunch, PauseAndResetReachIt) {
  auto *site = launchAt(107);
  auto launches = [&](int count) {
    while (count--)
      launch(site);
  };
  launches(50);
  table().pause();
  launches(50);
  table().resume();
  launches(50);
  EXPECT_EQ(siteAtLine(profileNow(), 107)->calls, 100u);
  table().reset();
  launches(10);
  EXPECT_EQ(siteAtLine(profileNow(), 107)->calls, 10u);
}

TEST_F(RootLaunch, ExceptionsOutOfIt) {
  auto *site = launchAt(108), *other = launchAt(109);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cuCtxSynchronize", 110);
  for (int i = 0; i < 100; ++i) {
    launch(site);
    launch(other);
    try {
      [&]() __attribute__((noinline)) {
        Function user;
        user.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(&Stubs[0]);
        user.call(site, []() -> int { throw std::runtime_error("out of the launch"); });
      }
      ();
    } catch (const std::runtime_error &) {
    }
    if (i % 2)
      launch(other); // no call of the one that was left
    Function f;
    f.call(sync, [] { return 0; });
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 108)->calls, 100u);
  EXPECT_EQ(siteAtLine(p, 109)->calls, 150u) << "charged to the launch that was left";
  EXPECT_EQ(siteAtLine(p, 110)->calls, 100u);
}

/// k<<<>>>() whose cudaLaunchKernel is charged to it, and launches of its own, in turns.
TEST_F(RootLaunch, AmongLaunchesWithAStub) {
  auto *outer = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 111, 0, GPUINSTR_SITE_ASYNC);
  auto *inner = makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 9111, 0,
                         GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, LaunchSlots);
  auto *alone = launchAt(112);
  for (int i = 0; i < 200; ++i) {
    Function user;
    user.call(outer, [&] {
      launch(inner, &Stubs[1]);
      return 0;
    });
    launch(alone, &Stubs[i % 2]);
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 111)->calls, 200u);
  EXPECT_EQ(siteAtLine(p, 112)->calls, 200u);
  EXPECT_EQ(siteAtLine(p, 9111), nullptr);
  EXPECT_TRUE(isKnown(alone, &Stubs[0]) && isKnown(alone, &Stubs[1]));
}

unsigned Hooked = 0;

TEST_F(RootLaunch, WhoLooksAtLaunchesSeesEach) {
  auto *site = launchAt(113);
  Hooked = 0;
  LaunchHook = +[](ThreadState &thread, const gpuinstr_frame &frame) {
    EXPECT_EQ(thread.root.site, indexOf(frame.site));
    ++Hooked;
  };
  for (int i = 0; i < 1000; ++i)
    launch(site);
  EXPECT_EQ(Hooked, 1000u);
}

/// It is no part of the program's call.
TEST_F(RootLaunch, WhatLooksAtItIsNotItsTime) {
  auto *site = launchAt(114);
  for (int i = 0; i < 10; ++i)
    launch(site);
  LaunchHook = +[](ThreadState &, const gpuinstr_frame &) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  for (int i = 0; i < 64; ++i)
    launch(site);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 114)->calls, 74u);
  EXPECT_LT(siteAtLine(p, 114)->host.mean_ns, 1e6);
}

TEST_F(RootLaunch, ThreadsHandOverWhatTheyDidNotCountYet) {
  auto *site = launchAt(115);
  launch(site);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1003; ++i)
        launch(site, &Stubs[i % 3]);
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(siteAtLine(profileNow(), 115)->calls, 4013u);
}

} // namespace
