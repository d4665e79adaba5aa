// Stacks walked by rules, compared with what the compiler's own unwinder finds.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/FrameRules.h"
#include <alloca.h>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <thread>
#include <unwind.h>
#include <vector>

#ifdef GPUINSTR_HAS_FRAME_RULES

using namespace gpuinstr::attach;

namespace {

using Addresses = std::vector<uint64_t>;

struct Both {
  Addresses byRules, byUnwinder;
  bool understood = true;
};

_Unwind_Reason_Code collect(_Unwind_Context *context, void *data) {
  if (uint64_t address = _Unwind_GetIP(context))
    static_cast<Addresses *>(data)->push_back(address - 1);
  return _URC_NO_REASON;
}

/// Callers of this, from the inside outwards.
__attribute__((noinline)) void walk(Both &both) {
  StackPosition position;
  GPUINSTR_STACK_HERE(position);
  for (;;) {
    FrameRule rule = frameRuleAt(position.at);
    if (rule.kind == FrameRule::Ends)
      break;
    if (!position.step(rule, UINT64_MAX)) {
      both.understood = false;
      break;
    }
    if (!position.at)
      break;
    both.byRules.push_back(position.at);
  }
  Addresses all;
  _Unwind_Backtrace(collect, &all);
  both.byUnwinder.assign(all.begin() + 1, all.end()); // without this function
}

/// From the first caller on: the two walks leave from two places of walk()'s caller.
void expectSame(const Both &both, size_t least) {
  EXPECT_TRUE(both.understood);
  EXPECT_GE(both.byRules.size(), least);
  EXPECT_EQ(both.byRules, both.byUnwinder);
}

__attribute__((noinline)) void plain(Both &both) {
  walk(both);
  asm volatile("" ::: "memory"); // no tail call
}

__attribute__((noinline)) void withRoom(Both &both, size_t bytes) { // a frame of any size
  auto *room = static_cast<volatile char *>(alloca(bytes));
  room[0] = 1;
  plain(both);
  room[bytes - 1] = 1;
}

/// As cuBLASLt's functions do: the compiler says by an expression where the caller's frame begins.
__attribute__((noinline)) void aligned(Both &both, long, long, long, long, long, long onStack,
                                       size_t bytes) {
  alignas(64) volatile char room[128];
  room[0] = char(onStack);
  withRoom(both, bytes + (reinterpret_cast<uintptr_t>(room) & 63));
  room[1] = static_cast<volatile char *>(alloca(bytes))[0];
}

__attribute__((noinline)) int deep(Both &both, int levels, const std::function<void()> &inside) {
  std::vector<int> local(size_t(levels) + 1, 1); // something to be destroyed on the way
  if (levels)
    return deep(both, levels - 1, inside) + local[0];
  inside();
  return local[0];
}

Both *Current;
int compareWalks(const void *, const void *) {
  walk(*Current);
  return 0;
}
void onSignal(int) { walk(*Current); }

} // namespace

TEST(FrameRules, AgreeWithTheUnwinder) {
  Both both;
  plain(both);
  expectSame(both, 3);
}

TEST(FrameRules, FramesOfAnySize) {
  for (size_t bytes : {16u, 1000u, 100000u}) {
    Both both;
    withRoom(both, bytes);
    expectSame(both, 3);
  }
}

TEST(FrameRules, FramesThatAreAlignedAnew) {
  for (size_t bytes : {16u, 1000u}) {
    Both both;
    aligned(both, 1, 2, 3, 4, 5, 6, bytes);
    expectSame(both, 4);
  }
}

TEST(FrameRules, SixtyFramesDeep) {
  Both both;
  deep(both, 60, [&] { withRoom(both, 64); });
  expectSame(both, 62);
}

TEST(FrameRules, ThroughFunctionsOfTheCLibrary) {
  Both both;
  Current = &both;
  int values[] = {2, 1};
  std::qsort(values, 2, sizeof *values, compareWalks);
  expectSame(both, 4);
}

TEST(FrameRules, ToTheBeginningOfAThread) {
  Both both;
  std::thread([&] { deep(both, 3, [&] { plain(both); }); }).join();
  expectSame(both, 5);
}

TEST(FrameRules, ASignalsFrameIsLeftToTheUnwinder) {
  Both both;
  Current = &both;
  std::signal(SIGUSR1, onSignal);
  std::raise(SIGUSR1);
  std::signal(SIGUSR1, SIG_DFL);
  EXPECT_FALSE(both.understood);
  ASSERT_FALSE(both.byRules.empty());
  ASSERT_GT(both.byUnwinder.size(), both.byRules.size());
  both.byUnwinder.resize(both.byRules.size());
  EXPECT_EQ(both.byRules[0], both.byUnwinder[0]);
}

TEST(FrameRules, NothingOutsideTheStackIsRead) {
  StackPosition position;
  GPUINSTR_STACK_HERE(position);
  FrameRule rule = frameRuleAt(position.at);
  ASSERT_EQ(rule.kind, FrameRule::Steps);
  uint64_t end = position.stack;
  EXPECT_FALSE(position.step(rule, end));
  rule.up = -64;
  EXPECT_FALSE(position.step(rule, UINT64_MAX));
  rule.up = 1;
  EXPECT_FALSE(position.step(rule, UINT64_MAX));
}

TEST(FrameRules, NoTablesNoCaller) { EXPECT_EQ(frameRuleAt(16).kind, FrameRule::Ends); }

#endif
