// Events, queries and updates of nodes that are outermost calls, by the short way: it must leave
// behind what the long way does.
// SPDX-License-Identifier: Apache-2.0
#include "calls/threads/RepeatedCalls.h"
#include "Support.h"
#include "Turns.h"
#include "calls/CallHooks.h"
#include "calls/Observer.h"
#include "calls/fast/FastLaunchPath.h"
#include <chrono>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace {

constexpr int NotReady = 600;
constexpr uint32_t OfDriver = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER;

gpuinstr_site *siteOf(unsigned op, unsigned line, uint16_t detail = 0, uint32_t slots = 0) {
  auto *site = makeSite(op, "cuDoes", line, 0, OfDriver,
                        bit(GPUINSTR_SLOT_DST) | bit(GPUINSTR_SLOT_STREAM) | slots);
  site->detail = detail;
  return site;
}
gpuinstr_site *recordAt(unsigned line) { return siteOf(GPUINSTR_OP_RECORD_EVENT, line); }
gpuinstr_site *queryAt(unsigned line) { return siteOf(GPUINSTR_OP_QUERY, line, 1); }

void make(const gpuinstr_site *site, int result = 0, const gpuinstr_site *caller = nullptr) {
  Function f(caller);
  f.frame.slot[GPUINSTR_SLOT_DST] = 0x6000;
  f.call(site, [&] { return result; });
}

/// Calls of it take the short way from now on.
bool repeats(const gpuinstr_site *site) {
  RepeatedCalls *all = Self->repeatedCalls.load();
  RepeatedCall *call = all ? all->find(site, 0, 0) : nullptr;
  return call && call->attribution.state == GlobalState.load();
}

/// Asks for what the auditor asks for, in the way that `look` says.
struct Looker : Observer {
  Looker() : Observer(opBit(GPUINSTR_OP_RECORD_EVENT) | opBit(GPUINSTR_OP_QUERY)) {
    addObserver(*this);
    muteObserver(*this);
  }
  void before(const Call &) override { ++befores; }
  void after(const Call &) override { ++afters; }
  const ShortLook *shortLook(const gpuinstr_site &) const override { return look; }
  const ShortLook *look = nullptr;
  int befores = 0, afters = 0;
};
template <int> Looker &lookerOf() {
  static Looker one; // never removed
  return one;
}
Looker &looker() { return lookerOf<0>(); }
Looker &anotherLooker() { return lookerOf<1>(); }

class LookedCalls : public testing::Test {
protected:
  void SetUp() override {
    table();
    looker(), anotherLooker(), lookerOf<2>(), lookerOf<3>(), lookerOf<4>();
    bringCudaUp();
  }
  void TearDown() override {
    for (Looker *one :
         {&looker(), &anotherLooker(), &lookerOf<2>(), &lookerOf<3>(), &lookerOf<4>()}) {
      one->look = nullptr;
      muteObserver(*one);
    }
    FakeDriver::reset();
  }
};

TEST_F(LookedCalls, EachIsCountedAndTimed) {
  gpuinstr_site *sites[] = {recordAt(200), queryAt(201), siteOf(GPUINSTR_OP_QUERY, 202),
                            siteOf(GPUINSTR_OP_WAIT_EVENT, 203),
                            siteOf(GPUINSTR_OP_GRAPH_NODE, 204, 2)};
  for (int i = 1; i <= 1000; ++i) {
    for (auto *site : sites)
      make(site);
    if (i == 2 || i == 33)
      EXPECT_EQ(siteAtLine(profileNow(), 200)->calls, uint64_t(i));
  }
  auto p = profileNow();
  for (auto *site : sites) {
    EXPECT_TRUE(repeats(site)) << site->line;
    const profile::Site *row = siteAtLine(p, site->line);
    EXPECT_EQ(row->calls, 1000u) << site->line;
    EXPECT_EQ(row->failed, 0u);
    EXPECT_EQ(row->host.count, 999u) << "and the first";
    // Of nodes' updates some are timed, as of launches: nobody asks when they began.
    const bool inBlocks = site->op == GPUINSTR_OP_GRAPH_NODE;
    EXPECT_EQ(row->host.samples < row->host.count, inBlocks) << site->line;
    EXPECT_GE(row->host.samples, 16u) << site->line;
  }
}

/// Nothing is decoded, and nobody asked: that is what makes it short.
TEST_F(LookedCalls, TheLongWayIsGoneOnce) {
  auto *site = recordAt(205);
  looker().look = &NoLook;
  looker().befores = looker().afters = 0;
  unmuteObserver(looker());
  const uint32_t before = Self->decodings;
  for (int i = 0; i < 100; ++i)
    make(site);
  EXPECT_EQ(Self->decodings, before + 1);
  EXPECT_EQ(looker().befores, 1);
  EXPECT_EQ(looker().afters, 1);
}

TEST_F(LookedCalls, FailuresAreSeenAmongGoodOnes) {
  auto *site = recordAt(211);
  looker().look = &NoLook;
  looker().befores = looker().afters = 0;
  unmuteObserver(looker());
  for (int i = 0; i < 500; ++i)
    make(site, i == 250 ? 1 : 0);
  EXPECT_EQ(looker().befores, 1);
  EXPECT_EQ(looker().afters, 2) << "of the first, and of the one that failed";
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 211)->calls, 500u);
  EXPECT_EQ(siteAtLine(p, 211)->failed, 1u);
}

TEST_F(LookedCalls, NotReadyIsAnAnswer) {
  static int answers = 0;
  static const ShortLook summing = {
      [](ThreadState &, const gpuinstr_frame &) { return true; },
      [](ThreadState &, const gpuinstr_frame &, int32_t result) { answers += result; }};
  auto *site = queryAt(212);
  looker().look = &summing;
  looker().befores = looker().afters = 0;
  unmuteObserver(looker());
  make(site, NotReady);
  for (int i = 1; i < 500; ++i)
    make(site, i % 2 ? NotReady : 0);
  EXPECT_EQ(looker().afters, 1);
  EXPECT_EQ(answers, 250 * NotReady);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 212)->calls, 500u);
  EXPECT_EQ(siteAtLine(p, 212)->failed, 0u);
}

TEST_F(LookedCalls, CallersAreKeptApart) {
  auto *site = queryAt(213);
  auto *one = makeCaller(214, "one"), *two = makeCaller(215, "two");
  for (int i = 0; i < 40; ++i)
    make(site, 0, one);
  auto before = profileNow();
  EXPECT_EQ(siteAtLine(before, 213)->caller, siteAtLine(before, 214)->id);
  for (int i = 0; i < 40; ++i)
    make(site, 0, i % 2 ? one : two);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 213)->caller, "");
  EXPECT_EQ(siteAtLine(p, 213)->calls, 80u);
}

TEST_F(LookedCalls, PauseAndResetReachIt) {
  auto *site = recordAt(216);
  auto calls = [&](int count) {
    while (count--)
      make(site);
  };
  calls(50);
  table().pause();
  calls(50);
  EXPECT_FALSE(repeats(site));
  table().resume();
  calls(50);
  EXPECT_TRUE(repeats(site));
  EXPECT_EQ(siteAtLine(profileNow(), 216)->calls, 100u);
  table().reset();
  calls(10);
  EXPECT_EQ(siteAtLine(profileNow(), 216)->calls, 10u);
}

TEST_F(LookedCalls, ExceptionsOutOfIt) {
  auto *site = recordAt(217), *other = queryAt(218);
  auto *sync = makeSite(GPUINSTR_OP_SYNC_DEVICE, "cuCtxSynchronize", 219);
  for (int i = 0; i < 100; ++i) {
    make(site);
    make(other);
    try {
      [&]() __attribute__((noinline)) {
        Function user;
        user.call(site, []() -> int { throw std::runtime_error("out of the call"); });
      }
      ();
    } catch (const std::runtime_error &) {
    }
    if (i % 2)
      make(other); // no call of the one that was left
    Function f;
    f.call(sync, [] { return 0; });
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 217)->calls, 100u);
  EXPECT_EQ(siteAtLine(p, 218)->calls, 150u) << "charged to the call that was left";
  EXPECT_EQ(siteAtLine(p, 219)->calls, 100u);
}

/// What a CUDA header holds inside of it is the outer call's.
TEST_F(LookedCalls, CallsInsideAreItsOwn) {
  auto *outer = recordAt(220), *inner = queryAt(221);
  inner->flags |= GPUINSTR_SITE_INNER;
  for (int i = 0; i < 100; ++i) {
    Function user;
    user.call(outer, [&] {
      make(inner);
      return 0;
    });
  }
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 220)->calls, 100u);
  EXPECT_EQ(siteAtLine(p, 220)->host.count, 99u);
  EXPECT_EQ(siteAtLine(p, 221), nullptr);
  make(outer);
  EXPECT_EQ(siteAtLine(profileNow(), 220)->calls, 101u);
}

TEST_F(LookedCalls, WhoHasNoShortLookSeesEach) {
  auto *site = recordAt(222);
  for (int i = 0; i < 10; ++i)
    make(site);
  EXPECT_TRUE(repeats(site));
  looker().befores = looker().afters = 0;
  unmuteObserver(looker());
  for (int i = 0; i < 100; ++i)
    make(site);
  EXPECT_FALSE(repeats(site));
  EXPECT_EQ(looker().befores, 100);
  EXPECT_EQ(looker().afters, 100);
  looker().look = &NoLook;
  make(site); // asked once more
  make(site);
  EXPECT_TRUE(repeats(site));
  EXPECT_EQ(looker().afters, 101);
}

/// An entry has room for four: of five the last would see nothing.
TEST_F(LookedCalls, FiveShortLooksGoTheLongWay) {
  static int looks = 0;
  static const ShortLook counting = {
      [](ThreadState &, const gpuinstr_frame &) { return ++looks > 0; },
      [](ThreadState &, const gpuinstr_frame &, int32_t) { ++looks; }};
  auto *site = recordAt(223);
  int expected = 0, lookers = 0;
  for (Looker *next : {&looker(), &anotherLooker(), &lookerOf<2>(), &lookerOf<3>()}) {
    next->look = &counting;
    looker().befores = looker().afters = 0;
    unmuteObserver(*next);
    make(site); // the long way
    for (int i = 0; i < 10; ++i)
      make(site);
    expected += 20 * ++lookers;
    EXPECT_EQ(looks, expected);
    EXPECT_EQ(looker().befores, 1);
  }
  lookerOf<4>().look = &counting;
  unmuteObserver(lookerOf<4>());
  for (int i = 1; i < 100; ++i)
    make(site);
  EXPECT_EQ(looks, expected);
  EXPECT_FALSE(repeats(site));
  EXPECT_EQ(looker().befores, 100);
  EXPECT_EQ(looker().afters, 100);
}

/// Where one of two refuses, both see the call the long way.
TEST_F(LookedCalls, OneThatRefusesSendsAllTheLongWay) {
  static bool refuses = false;
  static int afters = 0;
  static const ShortLook first = {[](ThreadState &, const gpuinstr_frame &) { return true; },
                                  [](ThreadState &, const gpuinstr_frame &, int32_t) { ++afters; }},
                         second = {[](ThreadState &, const gpuinstr_frame &) { return !refuses; },
                                   nullptr};
  auto *site = recordAt(231);
  looker().look = &first;
  anotherLooker().look = &second;
  unmuteObserver(looker());
  unmuteObserver(anotherLooker());
  refuses = false;
  while (!repeats(site))
    make(site);
  const unsigned before = unsigned(siteAtLine(profileNow(), 231)->calls);
  make(site);
  looker().befores = looker().afters = anotherLooker().befores = afters = 0;
  for (int i = 0; i < 30; ++i) {
    refuses = i % 3 == 0;
    make(site);
  }
  EXPECT_EQ(afters, 20);
  EXPECT_EQ(looker().befores, 10);
  EXPECT_EQ(anotherLooker().befores, 10);
  EXPECT_EQ(looker().afters, 10);
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 231)->calls, before + 31u);
  EXPECT_EQ(siteAtLine(p, 231)->host.samples, siteAtLine(p, 231)->host.count);
}

/// Sets and copies are operations of the device: their bytes are counted, and some are timed.
TEST_F(LookedCalls, TransfersTakeTheirTurns) {
  Turns turns;
  unsigned line = 232;
  for (unsigned op : {GPUINSTR_OP_SET, GPUINSTR_OP_COPY})
    for (bool isShort : {true, false}) {
      looker().look = isShort ? &NoLook : nullptr;
      forgetAttributions();
      auto *site = siteOf(op, line++, 0, bit(GPUINSTR_SLOT_BYTES) | bit(GPUINSTR_SLOT_SRC));
      unmuteObserver(looker());
      turns.of(opBit(op));
      looker().afters = 0;
      for (int i = 0; i < 10 * Turns::Stride; ++i) {
        Function f;
        alignas(8) static char memory[64];
        f.frame.slot[GPUINSTR_SLOT_DST] = reinterpret_cast<uint64_t>(memory);
        f.frame.slot[GPUINSTR_SLOT_SRC] = reinterpret_cast<uint64_t>(memory);
        f.frame.slot[GPUINSTR_SLOT_BYTES] = 10;
        f.frame.slot[GPUINSTR_SLOT_STREAM] = 0;
        f.call(site, [] { return 0; });
      }
      turns.pause();
      EXPECT_EQ(turns.taken(), 10) << op << isShort;
      EXPECT_EQ(siteAtLine(profileNow(), site->line)->bytes, 800u) << op << isShort;
      EXPECT_EQ(siteAtLine(profileNow(), site->line)->calls, 80u);
    }
}

/// A tool listens from now on.
TEST_F(LookedCalls, RangesStandAroundEach) {
  static int pushed = 0, popped = 0;
  auto *site = queryAt(224);
  for (int i = 0; i < 10; ++i)
    make(site);
  const CallHooks before = Hooks;
  Hooks.pushRange = [](SiteIndex, const gpuinstr_frame &) { ++pushed; };
  Hooks.popRange = [] { ++popped; };
  NvtxActive = true;
  forgetAttributions();
  for (int i = 0; i < 100; ++i)
    make(site);
  NvtxActive = false;
  Hooks = before;
  EXPECT_EQ(pushed, 100);
  EXPECT_EQ(popped, 100);
  EXPECT_EQ(siteAtLine(profileNow(), 224)->calls, 110u);
}

TEST_F(LookedCalls, ExactTimesNoteEach) {
  static int begun = 0;
  auto *site = recordAt(225);
  const CallHooks before = Hooks;
  Hooks.beginExact = [](ThreadState &, const gpuinstr_frame &) { ++begun; };
  ExactOperations = ~uint64_t(0);
  for (int i = 0; i < 100; ++i)
    make(site);
  ExactOperations = 0;
  Hooks = before;
  EXPECT_EQ(begun, 100);
}

/// It is no part of the program's call.
TEST_F(LookedCalls, WhatLooksAtItIsNotItsTime) {
  static const ShortLook slow = {[](ThreadState &, const gpuinstr_frame &) {
                                   std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                   return true;
                                 },
                                 [](ThreadState &, const gpuinstr_frame &, int32_t) {
                                   std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                 }};
  auto *site = recordAt(226);
  make(site);
  make(site);
  ASSERT_TRUE(repeats(site));
  LookMemo &looked = Self->repeatedCalls.load()->find(site, 0, 0)->looked;
  looked.looks[looked.numLooks++] = &slow;
  auto from = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i)
    make(site);
  EXPECT_GE(std::chrono::steady_clock::now() - from, std::chrono::milliseconds(80));
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 226)->calls, 22u);
  EXPECT_LT(siteAtLine(p, 226)->host.mean_ns, 1e6);
}

TEST_F(LookedCalls, AmongLaunchesAndCallsWithoutOperands) {
  auto *stub = makeSite(GPUINSTR_OP_LAUNCH, "kernel", 227, 0, GPUINSTR_SITE_ASYNC);
  auto *launch = makeSite(GPUINSTR_OP_LAUNCH, "cuLaunchKernel", 228, 0, OfDriver,
                          bit(GPUINSTR_SLOT_FUNC) | bit(GPUINSTR_SLOT_STREAM));
  auto *site = recordAt(229);
  for (int i = 0; i < 200; ++i) {
    Function user;
    user.frame.slot[GPUINSTR_SLOT_FUNC] = 0x1234;
    user.call(stub, [] { return 0; });
    make(site);
    user.call(launch, [] { return 0; });
  }
  auto p = profileNow();
  for (unsigned line : {227, 228, 229})
    EXPECT_EQ(siteAtLine(p, line)->calls, 200u) << line;
}

TEST_F(LookedCalls, ThreadsHandOverWhatTheyDidNotCountYet) {
  auto *site = queryAt(230);
  make(site);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1003; ++i)
        make(site, i % 3 ? 0 : NotReady);
    });
  for (auto &thread : threads)
    thread.join();
  auto p = profileNow();
  EXPECT_EQ(siteAtLine(p, 230)->calls, 4013u);
  EXPECT_EQ(siteAtLine(p, 230)->host.count, 4012u);
}

} // namespace
