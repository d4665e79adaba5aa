// Blocks whose threads need no stacks of their own: in one loop, or in steps from barrier to
// barrier. SPDX-License-Identifier: Apache-2.0
#include "common/Pages.h"
#include "exec/block/FiberEntry.h"

#include <new>
#include <sys/mman.h>

namespace gpuinstr::sim {

namespace context = boost::context::detail;

namespace {

uint32_t voteResult(const gpuinstr_sim_steps &S) {
  switch (S.vote_kind) {
  case GPUINSTR_SIM_ALL:
    return !S.votes_false;
  case GPUINSTR_SIM_ANY:
    return S.votes_true != 0;
  default:
    return S.votes_true;
  }
}

} // namespace

/// Maps the frames of a block's threads, with a guard page behind them.
void BlockRun::mapFrames() {
  const uint64_t Each = Grid.Kernel.Record->frame_bytes;
  const size_t Usable = wholePages(Each * Grid.Threads);
  FrameMapBytes = Usable + PageBytes;
  void *Range = mmap(nullptr, FrameMapBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Range == MAP_FAILED)
    throw std::bad_alloc();
  mprotect(static_cast<char *>(Range) + Usable, PageBytes, PROT_NONE);
  StepState.frames = static_cast<char *>(Range);
  StepState.frame_bytes = Each;
}

void BlockRun::unmapFrames() {
  if (StepState.frames)
    munmap(StepState.frames, FrameMapBytes);
}

void BlockRun::placeFrames() {
  for (uint32_t I = 0; I < Grid.Threads; ++I) {
    frame(I).next = 0;
    frame(I).turn = 0;
  }
  StepState.turn = 0;
  StepState.budget = Budget;
  StepState.waiting = StepState.yielded = 0;
  StepState.votes_true = StepState.votes_false = 0;
}

/// All live threads have reached the barrier: they continue.
void BlockRun::nextTurn() {
  ++StepState.turn;
  StepState.vote_result = voteResult(StepState);
  StepState.waiting = StepState.votes_true = StepState.votes_false = 0;
  Progress = true;
}

/// Runs each thread once, or those that have not run yet.
void BlockRun::loopThreads() {
  if (ResumeAt >= Grid.Threads)
    return;
  fill(*LoopThread, ResumeAt);
  Grid.Kernel.Record->run(LoopThread, Grid.Arguments, Grid.Threads - ResumeAt);
}

/// Runs steps until all threads have ended; they wait only at barriers. Continues a step that an
/// early end of a thread interrupted.
void BlockRun::stepThreads() {
  for (;;) {
    loopThreads();
    if (!StepState.waiting || stops())
      return;
    ResumeAt = 0;
    nextTurn();
  }
}

void FiberEntry::loops(context::transfer_t From) {
  BlockRun &B = arrive(From);
  for (;;) {
    if (B.InSteps)
      B.stepThreads();
    else
      B.loopThreads();
    if (!B.Output.empty())
      B.Grid.keepOutput(B.Index, std::move(B.Output));
    B.Output.clear();
    uint64_t Next = 0;
    if (!B.Grid.take(Next))
      break;
    B.place(Next);
  }
  B.State = BlockState::Ended;
  B.jumpToScheduler(nullptr);
}

void BlockRun::runLoops() {
  BlockRun *Before = enter();
  LoopStack = Stacks.take();
  do {
    State = BlockState::Sliced;
    SaveTo = &Scheduler;
    void *To = context::make_fcontext(LoopStack->top(), LoopStack->Bytes, FiberEntry::loops);
    FiberEntry::arrive(context::jump_fcontext(To, this));
  } while (State == BlockState::Sliced);
  if (!Output.empty())
    Grid.keepOutput(Index, std::move(Output));
  Output.clear();
  Stacks.giveBack(LoopStack);
  LoopStack = nullptr;
  leave(Before);
}

} // namespace gpuinstr::sim
