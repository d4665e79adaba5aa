// The short way of launches: it must leave behind what the long way does.
// SPDX-License-Identifier: Apache-2.0
#include "calls/fast/FastLaunchPath.h"
#include "Support.h"
#include "calls/Observer.h"
#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr uint32_t LaunchSlots = bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM);
int FirstStub, SecondStub;

/// k<<<>>>(): the user's frame around the stub's.
struct Launch {
  gpuinstr_site *outer, *inner;
  explicit Launch(unsigned line)
      : outer(makeSite(GPUINSTR_OP_LAUNCH, "kernel", line, 0, GPUINSTR_SITE_ASYNC)),
        inner(makeSite(GPUINSTR_OP_LAUNCH, "cudaLaunchKernel", 9000 + line, 0,
                       GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, LaunchSlots)) {}
  void operator()(int result = 0, const void *stub = &FirstStub,
                  const gpuinstr_site *caller = nullptr, int stallMs = 0) {
    Function user(caller);
    in(user, result, stub, stallMs);
  }
  void in(Function &user, int result = 0, const void *stub = &FirstStub, int stallMs = 0) {
    Function header;
    header.frame.slot[GPUINSTR_SLOT_FUNC] = reinterpret_cast<uint64_t>(stub);
    auto body = [&] {
      if (stallMs)
        std::this_thread::sleep_for(std::chrono::milliseconds(stallMs));
      return result;
    };
    if (AtOnce) {
      user.frame.site = outer;
      header.frame.site = inner;
      table().enter_launch(&user.frame, &header.frame);
      table().leave_launch(&user.frame, &header.frame, body());
      return;
    }
    user.call(outer, [&] {
      header.call(inner, body);
      return 0;
    });
  }
  static bool AtOnce; ///< as where the compiler has inlined the stub
};
bool Launch::AtOnce = false;

class FastLaunchPath : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    bringCudaUp();
    Launch::AtOnce = GetParam();
  }
  void TearDown() override { FakeDriver::reset(); }
};
INSTANTIATE_TEST_SUITE_P(Both, FastLaunchPath, testing::Bool(),
                         [](const auto &info) { return info.param ? "AtOnce" : "InTurn"; });

/// Called by nobody that is known. Another one's place may be the same.
bool takesFastPath(const gpuinstr_site *site) {
  const SiteAttribution &attribution = fastpath::attributionOf(*Self, site);
  return attribution.site == site && attribution.callers == 0;
}

TEST_P(FastLaunchPath, EveryLaunchIsCounted) {
  Launch launch(100);
  for (int i = 1; i <= 3000; ++i) {
    launch();
    if (i == 2 || i == 33 || i == 1000)
      EXPECT_EQ(siteAtLine(profileNow(), 100)->calls, uint64_t(i));
  }
  EXPECT_TRUE(takesFastPath(launch.outer));
  auto p = profileNow();
  const profile::Site *site = siteAtLine(p, 100);
  EXPECT_EQ(site->calls, 3000u);
  EXPECT_EQ(site->failed, 0u);
  // Only some are timed when they come in such a row; their times stand for all.
  EXPECT_EQ(site->host.count, 2999u);
  EXPECT_GT(site->host.first_ns, 0u);
  EXPECT_GT(site->host.samples, 0u);
  EXPECT_LT(site->host.samples, site->host.count);
  EXPECT_TRUE(site->host.estimated());
  EXPECT_EQ(siteAtLine(p, 9100), nullptr);
}

TEST_P(FastLaunchPath, LinesThatUseALauncherInTurnsTakeItEach) {
  Launch launch(120);
  launch.outer->flags |= GPUINSTR_SITE_WRAPPER;
  gpuinstr_site *inner = makeCaller(121, "launch"), *far = makeCaller(124, "run");
  inner->flags |= GPUINSTR_SITE_WRAPPER;
  gpuinstr_site *lines[] = {makeCaller(122, "step"), makeCaller(123, "step")};
  for (int i = 0; i < 100; ++i)
    for (gpuinstr_site *line : lines) {
      Function user(inner);
      user.frame.callers[1] = line;
      user.frame.callers[2] = far;
      launch.in(user);
      EXPECT_EQ(fastpath::attributionOf(*Self, launch.outer, fastpath::callersOf(user.frame)).site,
                launch.outer);
    }
  EXPECT_FALSE(takesFastPath(launch.outer)) << "nobody calls it from nowhere";
  auto p = profileNow();
  for (unsigned line : {122u, 123u}) {
    uint64_t calls = 0;
    for (const profile::Site &site : p.sites)
      calls += site.line == line ? site.calls : 0;
    EXPECT_EQ(calls, 100u);
  }
}

TEST_P(FastLaunchPath, TimedLaunchesStandForThoseLeftOutLast) {
  for (unsigned launches : {100u, 200u, 300u, 450u}) {
    Launch launch(1000 + launches);
    for (unsigned i = 0; i < launches; ++i)
      launch();
    auto p = profileNow();
    const profile::Site *site = siteAtLine(p, 1000 + launches);
    EXPECT_EQ(site->calls, launches);
    EXPECT_EQ(site->host.count, launches - 1);
    EXPECT_NEAR(double(site->host.total_ns), site->host.mean_ns * (launches - 1), launches);
    EXPECT_EQ(site->host.estimated(), site->host.samples < launches - 1);
  }
}

TEST_P(FastLaunchPath, OneStallIsNotThatOfAllItStandsFor) {
  Launch launch(110);
  SiteAttribution *attribution = nullptr;
  auto start = std::chrono::steady_clock::now();
  // Until a launch is timed that stands for many.
  for (int i = 0; i < 1000000; ++i) {
    launch();
    attribution = &fastpath::attributionOf(*Self, launch.outer);
    if (attribution->site == launch.outer && attribution->weight >= 8 && attribution->skip == 0)
      break;
  }
  ASSERT_GE(attribution->weight, 8u);
  launch(0, &FirstStub, nullptr, 50);
  for (int i = 0; i < 32; ++i)
    launch();
  auto passed = std::chrono::steady_clock::now() - start;
  auto p = profileNow();
  const profile::Duration &host = siteAtLine(p, 110)->host;
  EXPECT_GE(host.max_ns, 50000000u);
  // Eight times the stall without it. Those left out after it are taken for usual ones.
  EXPECT_LE(host.total_ns, 1.5 * double(std::chrono::nanoseconds(passed).count()));
}

TEST_P(FastLaunchPath, SlowLaunchesAreAllTimed) {
  Launch launch(101);
  // On a thread of its own: this one may have learnt from another test that launches come fast.
  std::thread([&] {
    for (int i = 0; i < 200; ++i) {
      launch();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }).join();
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 101)->calls, 200u);
  EXPECT_EQ(siteAtLine(p, 101)->host.count, 199u);
  EXPECT_EQ(siteAtLine(p, 101)->host.samples, 199u);
  EXPECT_FALSE(siteAtLine(p, 101)->host.estimated());
}

TEST_P(FastLaunchPath, AFailedLaunchIsSeenAmongGoodOnes) {
  Launch launch(102);
  for (int i = 0; i < 500; ++i)
    launch(i == 250 ? 9 : 0);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 102)->calls, 500u);
  EXPECT_EQ(siteAtLine(p, 102)->failed, 1u);
  auto failed = findings(profileAtExit(), "failed-launch");
  ASSERT_EQ(failed.size(), 1u);
}

TEST_P(FastLaunchPath, AnotherKernelAtTheSameSiteIsNoted) {
  static gpuinstr_kernel kernels[2] = {};
  for (int i = 0; i < 2; ++i) {
    kernels[i].size = sizeof kernels[i];
    kernels[i].stub = i ? &SecondStub : &FirstStub;
    kernels[i].name = i ? "second" : "first";
    kernels[i].file = "app.cu";
  }
  Launch launch(103);
  gpuinstr_module module = {};
  module.size = sizeof module;
  module.num_sites = 1;
  module.sites = launch.outer;
  module.num_kernels = 2;
  module.kernels = kernels;
  module.source = module.producer = module.defaults = "";
  table().register_module(&module);
  for (int i = 0; i < 100; ++i)
    launch(0, i < 50 ? &FirstStub : &SecondStub);
  EXPECT_EQ(siteAtLine(profileNow(), 103)->kernels, (std::vector<std::string>{"first", "second"}));
  table().unregister_module(&module);
}

TEST_P(FastLaunchPath, CallersAreKeptApart) {
  Launch launch(104);
  auto *one = makeCaller(105, "one"), *two = makeCaller(106, "two");
  for (int i = 0; i < 40; ++i)
    launch(0, &FirstStub, one);
  auto before = profileNow();
  EXPECT_EQ(siteAtLine(before, 104)->caller, siteAtLine(before, 105)->id);
  for (int i = 0; i < 40; ++i)
    launch(0, &FirstStub, i % 2 ? one : two);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 104)->caller, "");
  EXPECT_EQ(siteAtLine(p, 104)->calls, 80u);
}

TEST_P(FastLaunchPath, PauseAndResetReachIt) {
  Launch launch(107);
  for (int i = 0; i < 50; ++i)
    launch();
  table().pause();
  for (int i = 0; i < 50; ++i)
    launch();
  table().resume();
  for (int i = 0; i < 50; ++i)
    launch();
  EXPECT_EQ(siteAtLine(profileNow(), 107)->calls, 100u);
  table().reset();
  for (int i = 0; i < 10; ++i)
    launch();
  EXPECT_EQ(siteAtLine(profileNow(), 107)->calls, 10u);
}

TEST_P(FastLaunchPath, ExceptionsOutOfTheLaunch) {
  Launch launch(108);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cudaDeviceSynchronize", 109);
  for (int i = 0; i < 100; ++i) {
    launch();
    try {
      [&]() __attribute__((noinline)) {
        Function user, header;
        user.frame.site = launch.outer;
        header.frame.site = launch.inner;
        if (GetParam())
          table().enter_launch(&user.frame, &header.frame);
        else
          table().enter(&user.frame);
        throw std::runtime_error("out of the stub");
      }
      ();
    } catch (const std::runtime_error &) {
    }
    Function f;
    f.call(sync, [] { return 0; });
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 108)->calls, 100u);
  EXPECT_EQ(siteAtLine(p, 109)->calls, 100u) << "charged to the launch that was left";
}

TEST_P(FastLaunchPath, WhatElseIsNestedTakesTheLongWay) {
  auto *region = makeSite(GPUINSTR_OP_REGION, "thrust::copy", 110, 0, 0);
  auto *copy =
      makeSite(GPUINSTR_OP_COPY, "cudaMemcpy", 9110, 0,
               GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, CopySlots, "", "", "thrust.h");
  Launch launch(111);
  for (int i = 0; i < 60; ++i) {
    Function user, header;
    user.call(region, [&] {
      header.copy(copy, 0x700000000000, 0x8000, 16);
      launch();
      return 0;
    });
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 110)->calls, 60u);
  EXPECT_EQ(siteAtLine(p, 110)->bytes, 60u * 16);
  EXPECT_TRUE(!siteAtLine(p, 111) || siteAtLine(p, 111)->calls == 0);
}

TEST_P(FastLaunchPath, AnotherModuleAtTheSameAddress) {
  Launch launch(112);
  gpuinstr_module *module = registerAll({launch.outer});
  gpuinstr_site *own = module->sites;
  launch.outer = own;
  for (int i = 0; i < 40; ++i)
    launch();
  table().unregister_module(module);
  // dlclose unmapped it, and dlopen put another library there.
  gpuinstr_site *other = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 113, 0, GPUINSTR_SITE_ASYNC);
  *own = *other;
  own->index = 0;
  for (int i = 0; i < 40; ++i)
    launch();
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 112)->calls, 40u);
  EXPECT_EQ(siteAtLine(p, 113)->calls, 40u);
}

TEST_P(FastLaunchPath, ThreadsHandOverWhatTheyDidNotCountYet) {
  Launch launch(114);
  launch();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1003; ++i)
        launch();
    });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(siteAtLine(profileNow(), 114)->calls, 4013u);
}

std::atomic<unsigned> Hooked{0};

/// The auditor sets the hook, and takes it away when it finds that it is not wanted.
TEST_P(FastLaunchPath, HookComesAndGoesWhileOthersLaunch) {
  Launch launch(115);
  auto *old = LaunchHook.load();
  auto *count = +[](ThreadState &, const gpuinstr_frame &) { ++Hooked; };
  Hooked = 0;
  launch();
  EXPECT_EQ(Hooked, 0u);
  LaunchHook = count;
  launch();
  EXPECT_EQ(Hooked, 1u);
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (int i = 0; i < 20000; ++i)
      launch();
    done = true;
  });
  while (!done)
    LaunchHook = LaunchHook.load() ? nullptr : count;
  other.join();
  LaunchHook = nullptr;
  unsigned seen = Hooked;
  launch();
  EXPECT_EQ(Hooked, seen);
  LaunchHook = old;
  EXPECT_EQ(siteAtLine(profileNow(), 115)->calls, 20003u);
}

} // namespace
