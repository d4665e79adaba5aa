// Blocks whose threads need no stacks of their own: in one loop, or in steps from barrier to
// barrier. SPDX-License-Identifier: Apache-2.0
#include "common/Pages.h"
#include "exec/block/FiberEntry.h"

#include <new>
#include <sys/mman.h>

namespace gpuinstr::sim {

namespace context = boost::context::detail;

namespace {

uint32_t voteResult(const gpuinstr_sim_steps &s) {
  switch (s.vote_kind) {
  case GPUINSTR_SIM_ALL:
    return !s.votes_false;
  case GPUINSTR_SIM_ANY:
    return s.votes_true != 0;
  default:
    return s.votes_true;
  }
}

} // namespace

/// Maps the frames of a block's threads, with a guard page behind them.
void BlockRun::mapFrames() {
  const uint64_t each = grid.kernel.record->frame_bytes;
  const size_t usable = wholePages(each * grid.threads);
  FrameMapBytes = usable + PageBytes;
  void *range = mmap(nullptr, FrameMapBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    throw std::bad_alloc();
  mprotect(static_cast<char *>(range) + usable, PageBytes, PROT_NONE);
  StepState.frames = static_cast<char *>(range);
  StepState.frame_bytes = each;
}

void BlockRun::unmapFrames() {
  if (StepState.frames)
    munmap(StepState.frames, FrameMapBytes);
}

void BlockRun::placeFrames() {
  for (uint32_t i = 0; i < grid.threads; ++i) {
    frame(i).next = 0;
    frame(i).turn = 0;
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
  if (ResumeAt >= grid.threads)
    return;
  fill(*LoopThread, ResumeAt);
  grid.kernel.record->run(LoopThread, grid.arguments, grid.threads - ResumeAt);
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

void FiberEntry::loops(context::transfer_t from) {
  BlockRun &b = arrive(from);
  for (;;) {
    if (b.InSteps)
      b.stepThreads();
    else
      b.loopThreads();
    if (!b.output.empty())
      b.grid.keepOutput(b.Index, std::move(b.output));
    b.output.clear();
    uint64_t next = 0;
    if (!b.grid.take(next))
      break;
    b.place(next);
  }
  b.State = BlockState::Ended;
  b.jumpToScheduler(nullptr);
}

void BlockRun::runLoops() {
  BlockRun *before = enter();
  LoopStack = Stacks.take();
  do {
    State = BlockState::Sliced;
    SaveTo = &Scheduler;
    void *to = context::make_fcontext(LoopStack->top(), LoopStack->bytes, FiberEntry::loops);
    FiberEntry::arrive(context::jump_fcontext(to, this));
  } while (State == BlockState::Sliced);
  if (!output.empty())
    grid.keepOutput(Index, std::move(output));
  output.clear();
  Stacks.giveBack(LoopStack);
  LoopStack = nullptr;
  leave(before);
}

} // namespace gpuinstr::sim
