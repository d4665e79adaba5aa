// Blocks whose threads run in steps that end at barriers, warp operations and polls of memory.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/FiberEntry.h"

#include <algorithm>

namespace gpuinstr::sim {

namespace context = boost::context::detail;

namespace {

/// Rounds of a warp before others get a turn: some loops wait by warp operations.
constexpr uint32_t RoundsOfAWarp = 1024;
/// After this many spins a lane is not expected at an active_mask where others wait.
constexpr uint32_t SpinsOfActive = 2;
/// Rounds in which some threads only polled memory, before other blocks get a turn.
constexpr uint32_t RoundsOfABlock = 4;

} // namespace

/// Updates the state of a warp's lanes after they ran.
void BlockRun::updateWarp(uint32_t warp) {
  SimWarp &w = Warps[warp];
  uint32_t live = 0, runnable = 0;
  for (uint32_t lanes = w.live; lanes; lanes &= lanes - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(lanes));
    uint32_t turn = frame(warp * 32 + lane).turn;
    live |= (turn != GPUINSTR_SIM_ENDED ? 1u : 0u) << lane;
    runnable |= (turn == StepState.turn ? 1u : 0u) << lane;
  }
  uint32_t ended = w.live & ~live;
  w.live = live;
  w.runnable = runnable;
  if (!ended)
    return;
  LiveThreads -= static_cast<uint32_t>(__builtin_popcount(ended));
  Progress = true;
  recheck(warp); // may wake lanes
}

/// Runs a warp until no lane can continue, or all lanes poll memory.
void BlockRun::stepWarp(uint32_t warp) {
  SimWarp &w = Warps[warp];
  for (uint32_t round = 0; round < RoundsOfAWarp && !stops(); ++round) {
    if (!w.runnable && w.active)
      releaseActive(warp);
    if (!w.runnable)
      return;
    const bool before = Progress;
    Progress = false;
    StepState.yielded = 0;
    const uint32_t first = warp * 32;
    fill(*LoopThread, first);
    grid.kernel.record->run(LoopThread, grid.arguments, std::min(32u, grid.threads - first));
    updateWarp(warp);
    const bool spins = StepState.yielded && !Progress;
    Progress |= before;
    if (spins && w.active && ++w.activeYields > SpinsOfActive)
      releaseActive(warp);
    else if (spins)
      return;
  }
}

/// One turn of each warp after the other, until the block has ended or must let others run.
BlockState BlockRun::stepWarps() {
  for (;;) {
    for (; CurrentWarp < WarpCount; ++CurrentWarp)
      stepWarp(CurrentWarp);
    CurrentWarp = 0;
    if (stops())
      return BlockState::Failed;
    uint32_t arrived = 0;
    bool runnable = false;
    for (uint32_t w = 0; w < WarpCount; ++w)
      runnable |= Warps[w].runnable != 0;
    if (runnable)
      return BlockState::Sliced;
    if (!LiveThreads)
      return BlockState::Ended;
    for (uint32_t i = 0; i < grid.threads; ++i)
      arrived += frame(i).turn == StepState.turn + 1;
    if (arrived < LiveThreads) {
      describeDeadlock();
      return BlockState::Failed;
    }
    nextTurn();
    for (uint32_t w = 0; w < WarpCount; ++w)
      Warps[w].runnable = Warps[w].live;
  }
}

/// The same without warp operations: each thread waits at the barrier, has ended or polls memory.
BlockState BlockRun::stepBlock() {
  for (uint32_t round = 0; round < RoundsOfABlock;) {
    if (!ResumeAt) // else continues after a thread that ended early
      StepState.yielded = 0;
    loopThreads();
    ResumeAt = 0;
    if (stops())
      return BlockState::Failed;
    if (StepState.yielded) {
      ++round;
    } else if (StepState.waiting) {
      nextTurn();
    } else {
      return BlockState::Ended;
    }
  }
  return BlockState::Sliced;
}

void FiberEntry::steps(context::transfer_t from) {
  BlockRun &b = arrive(from);
  b.State = b.WithWarps ? b.stepWarps() : b.stepBlock();
  b.jumpToScheduler(nullptr);
}

BlockState BlockRun::runSteps() {
  BlockRun *before = enter();
  Progress = false;
  LoopStack = Stacks.take();
  do { // A thread that ends early comes back here, too.
    ThreadEnded = false;
    SaveTo = &Scheduler;
    void *to = context::make_fcontext(LoopStack->top(), LoopStack->bytes, FiberEntry::steps);
    FiberEntry::arrive(context::jump_fcontext(to, this));
    if (ThreadEnded && WithWarps)
      updateWarp(CurrentWarp);
  } while (ThreadEnded);
  Stacks.giveBack(LoopStack);
  LoopStack = nullptr;
  leave(before);
  return Draining ? BlockState::Failed : State;
}

} // namespace gpuinstr::sim
