// The thread's last call once more, by the shortest way: it must leave behind what the others do.
// SPDX-License-Identifier: Apache-2.0
#include "calls/fast/SameCalls.h"
#include "Support.h"
#include "Turns.h"
#include "calls/budget/WatchWindows.h"
#include "calls/fast/FastLaunchPath.h"
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace gpuinstr;
using namespace gpuinstr::test;

namespace same_calls {
namespace {

constexpr uint64_t Memory = 0x7d000000, FewBytes = 64;

/// What a look was asked, and what it answers.
struct Answers {
  int befores = 0, afters = 0, agains = 0, adds = 0;
  bool goesOn = true, isAdded = true;
} told;

bool again(ThreadState &) { return ++told.agains, told.goesOn; }
bool add(ThreadState &) { return ++told.adds, told.isAdded; }
const SameLook GoesOn = {again, add};
const ShortLook Repeating = {
    [](ThreadState &, const gpuinstr_frame &) { return ++told.befores > 0; },
    [](ThreadState &thread, const gpuinstr_frame &frame, int32_t) {
      ++told.afters;
      fastpath::maySame(thread, frame);
    },
    &GoesOn};

struct Looker : Observer {
  Looker() : Observer(opBit(GPUINSTR_OP_COPY) | opBit(GPUINSTR_OP_SET)) {
    addObserver(*this);
    muteObserver(*this);
  }
  const ShortLook *shortLook(const gpuinstr_site &) const override { return &Repeating; }
};
Looker &looker() {
  static Looker one; // never removed
  return one;
}

class SameCalls : public testing::Test {
protected:
  gpuinstr_site *Copy = nullptr;

  void SetUp() override {
    table();
    static unsigned line = 100;
    Copy = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", ++line, 0,
                    GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_ASYNC,
                    CopySlots | bit(GPUINSTR_SLOT_STREAM) | bit(GPUINSTR_SLOT_KIND));
    looker();
    bringCudaUp();
    Function().alloc(makeSite(GPUINSTR_OP_ALLOC, "cudaMalloc", 99, GPUINSTR_RES_DEVICE,
                              GPUINSTR_SITE_CUDA_ERROR, AllocSlots),
                     Memory, 4 << 20);
    unmuteObserver(looker());
    make();
    make();
    told = Answers();
  }
  void TearDown() override {
    muteObserver(looker());
    FakeDriver::reset();
  }
  void make(
      uint64_t dst = Memory, const std::function<int()> &inside = [] { return 0; },
      const gpuinstr_site *site = nullptr, const gpuinstr_site *caller = nullptr) {
    Function f(caller);
    f.frame.slot[GPUINSTR_SLOT_DST] = dst;
    f.frame.slot[GPUINSTR_SLOT_SRC] = Memory + (2 << 20);
    f.frame.slot[GPUINSTR_SLOT_BYTES] = FewBytes;
    f.frame.slot[GPUINSTR_SLOT_STREAM] = 0;
    f.frame.slot[GPUINSTR_SLOT_KIND] = 1;
    f.call(site ? site : Copy, inside);
  }
  void makeMany(int times) {
    for (int i = 0; i < times; ++i)
      make();
  }
  uint64_t calls() const { return siteAtLine(profileNow(), Copy->line)->calls; }
  uint64_t bytes() const { return siteAtLine(profileNow(), Copy->line)->bytes; }
};

TEST_F(SameCalls, EachIsCounted) {
  uint64_t made = 2;
  for (int i = 1; i <= 40; ++i, made += 50) {
    makeMany(50);
    EXPECT_EQ(told.agains, 50 * i);
    if (i % 10 == 0) {
      EXPECT_EQ(calls(), made + 50);
      EXPECT_EQ(bytes(), (made + 50) * FewBytes);
    }
  }
  EXPECT_EQ(told.befores, 0);
  const profile::Site row = *siteAtLine(profileNow(), Copy->line);
  EXPECT_EQ(row.host.count, made - 1) << "and the first";
  EXPECT_GE(row.host.samples, 16u);
  EXPECT_EQ(row.failed, 0u);
}

TEST_F(SameCalls, OthersAreAskedAbout) {
  auto *another = makeSite(GPUINSTR_OP_COPY, "cudaMemcpyAsync", 90, 0, Copy->flags, Copy->slots);
  auto *caller = makeSite(GPUINSTR_OP_REGION, "copyIt", 91);
  make(
      Memory, [] { return 0; }, another),
      make(
          Memory, [] { return 0; }, another);
  make(
      Memory, [] { return 0; }, nullptr, caller),
      make(
          Memory, [] { return 0; }, nullptr, caller);
  make();
  told = Answers();
  const auto isAsked = [](const std::function<void()> &work) {
    const int before = told.befores;
    work();
    return told.befores - before;
  };
  EXPECT_EQ(isAsked([&] { make(); }), 0);
  EXPECT_EQ(isAsked([&] { make(Memory + 64); }), 1) << "another operand";
  EXPECT_EQ(isAsked([&] { make(); }), 1);
  EXPECT_EQ(isAsked([&] { make(); }), 0);
  EXPECT_EQ(isAsked([&] {
              make(
                  Memory, [] { return 0; }, another);
            }),
            1)
      << "another line";
  EXPECT_EQ(isAsked([&] { make(); }), 1);
  EXPECT_EQ(isAsked([&] {
              make(
                  Memory, [] { return 0; }, nullptr, caller);
            }),
            1)
      << "another caller";
  EXPECT_EQ(isAsked([&] { make(); }), 1);
  auto *query = makeSite(GPUINSTR_OP_QUERY, "cudaStreamQuery", 92, 0, GPUINSTR_SITE_CUDA_ERROR,
                         bit(GPUINSTR_SLOT_STREAM));
  EXPECT_EQ(isAsked([&] {
              Function().call(query, [] { return 0; });
              make();
            }),
            1)
      << "another call came between";
}

TEST_F(SameCalls, OneOfWhichSomethingIsToBeSaidGoesTheOthersWay) {
  makeMany(10);
  told = Answers();
  told.goesOn = false;
  makeMany(10);
  EXPECT_EQ(told.agains, 10);
  EXPECT_EQ(told.befores, 10);
  EXPECT_EQ(told.afters, 10);
  EXPECT_EQ(told.adds, 0);
  told = Answers();
  told.isAdded = false;
  makeMany(100);
  EXPECT_GT(told.adds, 0);
  EXPECT_EQ(told.afters, 100);
  EXPECT_EQ(told.befores, 0);
  EXPECT_EQ(calls(), 122u);
}

/// As the one at the bounds of sets.
TEST_F(SameCalls, WhereOneLookWantsEachThereAreNone) {
  Copy->op = GPUINSTR_OP_SET;
  forgetAttributions();
  makeMany(20);
  EXPECT_EQ(told.agains, 0);
  EXPECT_EQ(told.befores, 19) << "all but the one that went the long way";
}

TEST_F(SameCalls, FailuresAreSeenAmongGoodOnes) {
  for (int i = 0; i < 1000; ++i)
    make(Memory, [&] { return i % 100 == 50 ? 1 : 0; });
  const profile::Site row = *siteAtLine(profileNow(), Copy->line);
  EXPECT_EQ(row.calls, 1002u);
  EXPECT_EQ(row.failed, 10u);
  EXPECT_EQ(row.bytes, 992 * FewBytes);
}

TEST_F(SameCalls, ExceptionsOutOfIt) {
  for (int i = 0; i < 300; ++i) {
    makeMany(3);
    try {
      [&]() __attribute__((noinline)) {
        make(Memory, []() -> int { throw std::runtime_error("out of the call"); });
      }
      ();
    } catch (const std::runtime_error &) {
    }
  }
  makeMany(3);
  EXPECT_EQ(bytes(), (2 + 903) * FewBytes);
  EXPECT_EQ(calls(), 2u + 903);
}

/// What a host function's thread, or a header, does inside of it.
TEST_F(SameCalls, CallsInsideAreItsOwn) {
  auto *inner = makeSite(GPUINSTR_OP_QUERY, "cudaStreamQuery", 93, 0,
                         GPUINSTR_SITE_CUDA_ERROR | GPUINSTR_SITE_INNER, bit(GPUINSTR_SLOT_STREAM));
  for (int i = 0; i < 200; ++i)
    make(Memory, [&] {
      if (i % 4 == 0)
        Function().call(inner, [] { return 0; });
      return 0;
    });
  EXPECT_EQ(calls(), 202u);
  EXPECT_EQ(siteAtLine(profileNow(), 93), nullptr);
}

TEST_F(SameCalls, PausesReachIt) {
  makeMany(100);
  setPaused(PauseReason::User, true);
  makeMany(100);
  setPaused(PauseReason::User, false);
  makeMany(100);
  EXPECT_EQ(calls(), 202u);
  startNewEpoch();
  makeMany(10);
  EXPECT_EQ(calls(), 10u);
}

/// Launches may have come between them, in an attached program.
TEST_F(SameCalls, WhereOthersGoUnseenThereAreNone) {
  makeMany(10);
  const uint32_t epoch = WatchEpoch.load();
  for (uint32_t turn = 1; turn <= 2; ++turn) {
    WatchEpoch.store(epoch + turn);
    told = Answers();
    make();
    EXPECT_EQ(told.agains, 0) << turn;
    EXPECT_EQ(told.befores, 0) << turn << ": it is the long way's to say what that means";
  }
  makeMany(10);
  EXPECT_GT(told.agains, 0);
  EXPECT_EQ(calls(), 24u);
}

TEST_F(SameCalls, TakeTheirTurns) {
  Turns turns;
  turns.of(opBit(GPUINSTR_OP_COPY));
  makeMany(10 * Turns::Stride);
  EXPECT_EQ(turns.taken(), 10);
  EXPECT_GT(told.agains, 5 * Turns::Stride);
}

} // namespace
} // namespace same_calls
