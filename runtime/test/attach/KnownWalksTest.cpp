// Walks that are known again, and those that are not.
// SPDX-License-Identifier: Apache-2.0
#include "attach/native/KnownWalks.h"
#include <gtest/gtest.h>

#ifdef GPUINSTR_HAS_FRAME_RULES

using namespace gpuinstr::attach;

namespace {

constexpr unsigned Steps = 4;

struct State {
  KnownWalk known = {};
  bool keep = true, isAgain = false, isKept = false;
  uint64_t furthest = 0; ///< where the walk came to
};

uint64_t follow(StackPosition position, WalkNotes &notes) {
  for (unsigned i = 0; i < Steps; ++i) {
    FrameRule rule = frameRuleAt(position.at);
    if (rule.fromBase)
      notes.needBase();
    EXPECT_TRUE(position.step(rule, UINT64_MAX, notes));
  }
  return position.at;
}

__attribute__((noinline)) void walk(State &state) {
  StackPosition here;
  GPUINSTR_STACK_HERE(here);
  state.isAgain = !state.keep && state.known.isAgain(here);
  WalkNotes notes;
  state.furthest = follow(here, notes);
  if (state.keep)
    state.isKept = state.known.keep(here, notes);
}

/// Functions of one size, at different addresses.
template <int Number> __attribute__((noinline)) void caller(State &state) {
  walk(state);
  asm volatile(".rept %c0\n\tnop\n\t.endr" ::"i"(Number) : "memory");
}

__attribute__((noinline)) void deeper(State &state) {
  caller<1>(state);
  asm volatile("" ::: "memory"); // no tail call
}

void runAll(State &state, std::initializer_list<void (*)(State &)> callers, bool *isAgain) {
  for (auto *call : callers) {
    call(state);
    *isAgain++ = state.isAgain;
    state.keep = false;
  }
}

} // namespace

TEST(KnownWalks, TheSameCallersAreKnownAgain) {
  State state;
  bool isAgain[4] = {};
  runAll(state, {caller<1>, caller<1>, caller<2>, caller<1>}, isAgain);
  EXPECT_TRUE(state.isKept);
  EXPECT_TRUE(isAgain[1]);
  EXPECT_FALSE(isAgain[2]);
  EXPECT_TRUE(isAgain[3]);
}

TEST(KnownWalks, AnotherDepthIsAnotherWalk) {
  State state;
  caller<1>(state);
  state.keep = false;
  deeper(state);
  EXPECT_FALSE(state.isAgain);
}

TEST(KnownWalks, WhatARegisterHeldThatNobodyNeeds) {
  WalkNotes notes;
  uint64_t words[] = {11, 12, 13, 14};
  StackPosition from{1, reinterpret_cast<uint64_t>(words), 7};
  auto read = [&](unsigned i, StackWord why) { notes(reinterpret_cast<uint64_t>(&words[i]), why); };
  read(0, StackWord::Base); // replaced before a step goes by it
  read(1, StackWord::Return);
  read(2, StackWord::Base);
  notes.needBase();
  read(3, StackWord::Return);
  KnownWalk known = {};
  ASSERT_TRUE(known.keep(from, notes));
  words[0] = 0;
  from.base = 8;
  EXPECT_TRUE(known.isAgain(from));
  for (unsigned needed : {1u, 2u, 3u}) {
    ++words[needed];
    EXPECT_FALSE(known.isAgain(from)) << needed;
    --words[needed];
  }
  EXPECT_TRUE(known.isAgain(from));
}

TEST(KnownWalks, TheRegisterOfTheBeginningWhereItIsNeeded) {
  WalkNotes notes;
  uint64_t words[] = {11};
  StackPosition from{1, reinterpret_cast<uint64_t>(words), 7};
  notes.needBase();
  notes(from.stack, StackWord::Return);
  KnownWalk known = {};
  ASSERT_TRUE(known.keep(from, notes));
  EXPECT_TRUE(known.isAgain(from));
  from.base = 8;
  EXPECT_FALSE(known.isAgain(from));
}

TEST(KnownWalks, LongOnesAreNotKept) {
  WalkNotes notes;
  uint64_t words[WalkNotes::Most + 1] = {};
  StackPosition from{1, reinterpret_cast<uint64_t>(words), 7};
  for (uint64_t &word : words)
    notes(reinterpret_cast<uint64_t>(&word), StackWord::Return);
  KnownWalk known = {};
  EXPECT_FALSE(known.keep(from, notes));
  EXPECT_FALSE(known.isAgain(from));
}

#endif
