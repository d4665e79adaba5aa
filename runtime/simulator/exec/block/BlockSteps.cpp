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
void BlockRun::updateWarp(uint32_t Warp) {
  SimWarp &W = Warps[Warp];
  uint32_t Live = 0, Runnable = 0;
  for (uint32_t Lanes = W.Live; Lanes; Lanes &= Lanes - 1) {
    auto Lane = static_cast<uint32_t>(__builtin_ctz(Lanes));
    uint32_t Turn = frame(Warp * 32 + Lane).turn;
    Live |= (Turn != GPUINSTR_SIM_ENDED ? 1u : 0u) << Lane;
    Runnable |= (Turn == StepState.turn ? 1u : 0u) << Lane;
  }
  uint32_t Ended = W.Live & ~Live;
  W.Live = Live;
  W.Runnable = Runnable;
  if (!Ended)
    return;
  LiveThreads -= static_cast<uint32_t>(__builtin_popcount(Ended));
  Progress = true;
  recheck(Warp); // may wake lanes
}

/// Runs a warp until no lane can continue, or all lanes poll memory.
void BlockRun::stepWarp(uint32_t Warp) {
  SimWarp &W = Warps[Warp];
  for (uint32_t Round = 0; Round < RoundsOfAWarp && !stops(); ++Round) {
    if (!W.Runnable && W.Active)
      releaseActive(Warp);
    if (!W.Runnable)
      return;
    const bool Before = Progress;
    Progress = false;
    StepState.yielded = 0;
    const uint32_t First = Warp * 32;
    fill(*LoopThread, First);
    Grid.Kernel.Record->run(LoopThread, Grid.Arguments, std::min(32u, Grid.Threads - First));
    updateWarp(Warp);
    const bool Spins = StepState.yielded && !Progress;
    Progress |= Before;
    if (Spins && W.Active && ++W.ActiveYields > SpinsOfActive)
      releaseActive(Warp);
    else if (Spins)
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
    uint32_t Arrived = 0;
    bool Runnable = false;
    for (uint32_t W = 0; W < WarpCount; ++W)
      Runnable |= Warps[W].Runnable != 0;
    if (Runnable)
      return BlockState::Sliced;
    if (!LiveThreads)
      return BlockState::Ended;
    for (uint32_t I = 0; I < Grid.Threads; ++I)
      Arrived += frame(I).turn == StepState.turn + 1;
    if (Arrived < LiveThreads) {
      describeDeadlock();
      return BlockState::Failed;
    }
    nextTurn();
    for (uint32_t W = 0; W < WarpCount; ++W)
      Warps[W].Runnable = Warps[W].Live;
  }
}

/// The same without warp operations: each thread waits at the barrier, has ended or polls memory.
BlockState BlockRun::stepBlock() {
  for (uint32_t Round = 0; Round < RoundsOfABlock;) {
    if (!ResumeAt) // else continues after a thread that ended early
      StepState.yielded = 0;
    loopThreads();
    ResumeAt = 0;
    if (stops())
      return BlockState::Failed;
    if (StepState.yielded) {
      ++Round;
    } else if (StepState.waiting) {
      nextTurn();
    } else {
      return BlockState::Ended;
    }
  }
  return BlockState::Sliced;
}

void FiberEntry::steps(context::transfer_t From) {
  BlockRun &B = arrive(From);
  B.State = B.WithWarps ? B.stepWarps() : B.stepBlock();
  B.jumpToScheduler(nullptr);
}

BlockState BlockRun::runSteps() {
  BlockRun *Before = enter();
  Progress = false;
  LoopStack = Stacks.take();
  do { // A thread that ends early comes back here, too.
    ThreadEnded = false;
    SaveTo = &Scheduler;
    void *To = context::make_fcontext(LoopStack->top(), LoopStack->Bytes, FiberEntry::steps);
    FiberEntry::arrive(context::jump_fcontext(To, this));
    if (ThreadEnded && WithWarps)
      updateWarp(CurrentWarp);
  } while (ThreadEnded);
  Stacks.giveBack(LoopStack);
  LoopStack = nullptr;
  leave(Before);
  return Draining ? BlockState::Failed : State;
}

} // namespace gpuinstr::sim
