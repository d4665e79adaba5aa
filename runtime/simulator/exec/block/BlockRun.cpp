// Threads of a block as fibers: start, switch, end.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/BlockRun.h"

#include "common/Pages.h"
#include "exec/block/FiberEntry.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace gpuinstr::sim {

namespace context = boost::context::detail;

namespace {

constexpr uint32_t SharedAlign = 128;

uint32_t roundUp(uint32_t Value, uint32_t To) { return (Value + To - 1) / To * To; }

// The signal handler reads it: no lazy allocation of thread-local memory.
thread_local BlockRun *Running __attribute__((tls_model("initial-exec"))) = nullptr;

} // namespace

BlockRun *BlockRun::current() { return Running; }

BlockRun *BlockRun::enter() {
  BlockRun *Before = Running;
  Running = this;
  return Before;
}

void BlockRun::leave(BlockRun *Before) { Running = Before; }

void FiberEntry::threads(context::transfer_t From) {
  BlockRun &B = arrive(From);
  for (;;) {
    SimThread &T = *B.Current;
    B.Grid.Kernel.Record->run(&T, B.Grid.Arguments, 1);
    B.ended(T);
    SimThread *Next = B.stops() ? nullptr : B.next(T.linear, false);
    if (Next && !Next->Started) {
      Next->Started = true;
      Next->On = T.On;
      T.On = nullptr;
      B.Current = Next;
      continue;
    }
    B.Stacks.giveBack(T.On); // Not reused before this fiber has left it.
    T.On = nullptr;
    if (Next)
      B.jump(nullptr, Next);
    else
      B.jumpToScheduler(nullptr);
  }
}

BlockRun::BlockRun(GridRun &Grid, StackStore &Stacks) : Grid(Grid), Stacks(Stacks) {
  Loops = !Grid.fibers();
  InSteps = Loops && Grid.Kernel.Record->flags & GPUINSTR_SIM_STEPS;
  WithWarps = InSteps && Grid.warps();
  uint32_t Count = Loops && !WithWarps ? 1 : Grid.Threads;
  WarpCount = (Count + 31) / 32;
  if (WithWarps) // Behind the threads.
    ++Count;
  Threads = std::make_unique<SimThread[]>(Count);
  LoopThread = &Threads[Count - 1];
  Warps = std::make_unique<SimWarp[]>(WarpCount);
  mapShared();
  if (InSteps)
    mapFrames();
  const GridShape &Shape = Grid.Shape;
  for (uint32_t I = 0; I < Count; ++I) {
    SimThread &T = Threads[I];
    T.ops = &Operations;
    T.executor = this;
    T.steps = InSteps ? &StepState : nullptr;
    T.shared = Shared;
    T.dynamic = Dynamic;
    T.grid_workspace = Shape.Cooperative ? Grid.Workspace : nullptr;
    T.grid_id = Grid.Id;
    for (int D = 0; D < 3; ++D) {
      T.block_dim[D] = Shape.Block[D];
      T.grid_dim[D] = Shape.Grid[D];
      T.cluster_dim[D] = Shape.Cluster[D];
    }
    T.dynamic_bytes = Shape.DynamicBytes;
    T.static_bytes = Grid.Kernel.StaticBytes;
    T.multiprocessors = Shape.Multiprocessors;
    fill(T, I);
  }
}

BlockRun::~BlockRun() {
  dropThreads();
  unmapFrames();
  if (SharedMap)
    munmap(SharedMap, SharedMapBytes);
}

/// Maps static and dynamic shared memory so that it ends at a guard page.
void BlockRun::mapShared() {
  uint32_t Static = roundUp(Grid.Kernel.StaticBytes, SharedAlign);
  uint32_t All = Static + roundUp(Grid.Shape.DynamicBytes, SharedAlign);
  size_t Usable = wholePages(size_t(All));
  SharedMapBytes = Usable + PageBytes;
  void *Range =
      mmap(nullptr, SharedMapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Range == MAP_FAILED)
    throw std::bad_alloc();
  SharedMap = static_cast<char *>(Range);
  mprotect(SharedMap + Usable, PageBytes, PROT_NONE);
  Shared = SharedMap + Usable - All;
  Dynamic = Shared + Static;
}

void BlockRun::fill(gpuinstr_sim_thread &T, uint32_t Linear) const {
  const auto &Size = Grid.Shape.Block;
  T.linear = Linear;
  T.thread[0] = Linear % Size[0];
  T.thread[1] = Linear / Size[0] % Size[1];
  T.thread[2] = Linear / Size[0] / Size[1];
  T.budget = Budget;
}

void BlockRun::place(uint64_t NewIndex) {
  Index = NewIndex;
  const GridShape &Shape = Grid.Shape;
  uint32_t At[3] = {static_cast<uint32_t>(Index % Shape.Grid[0]),
                    static_cast<uint32_t>(Index / Shape.Grid[0] % Shape.Grid[1]),
                    static_cast<uint32_t>(Index / Shape.Grid[0] / Shape.Grid[1])};
  SimThread *End = Loops ? LoopThread + 1 : &Threads[Grid.Threads];
  for (SimThread *T = Loops ? LoopThread : &Threads[0]; T != End; ++T) {
    for (int D = 0; D < 3; ++D) {
      T->block[D] = At[D];
      T->cluster[D] = At[D] % Shape.Cluster[D];
    }
    T->multiprocessor = static_cast<uint32_t>(Index % Shape.Multiprocessors);
    T->budget = Budget;
    T->Started = false;
    T->For = Waiting::Nothing;
  }
  ResumeAt = CurrentWarp = 0;
  if (InSteps)
    placeFrames();
  if (Loops && !WithWarps)
    return;
  if (WithWarps)
    for (uint32_t I = 0; I < Grid.Threads; ++I)
      Threads[I].For = Waiting::Nothing;
  for (uint32_t W = 0; W < WarpCount; ++W) {
    uint32_t Lanes = std::min(32u, Grid.Threads - W * 32);
    Warps[W].Live = Warps[W].Runnable = Lanes == 32 ? ~0u : (1u << Lanes) - 1;
    Warps[W].Active = Warps[W].GroupCount = 0;
  }
  RunnableWarps = WarpCount == 32 ? ~0u : (1u << WarpCount) - 1;
  for (; BarriersInUse; BarriersInUse &= BarriersInUse - 1) // bar.arrive that nobody waited for
    Barriers[__builtin_ctz(BarriersInUse)] = SimBarrier();
  LiveThreads = Grid.Threads;
  Draining = false;
  Current = nullptr;
}

void BlockRun::jump(void **Save, SimThread *Next) {
  void *To = Next->Context;
  Current = Next;
  if (!Next->Started) {
    Next->Started = true;
    Next->On = Stacks.take();
    To = context::make_fcontext(Next->On->top(), Next->On->Bytes, FiberEntry::threads);
  }
  SaveTo = Save;
  FiberEntry::arrive(context::jump_fcontext(To, this));
}

void BlockRun::jumpToScheduler(void **Save) {
  SaveTo = Save;
  FiberEntry::arrive(context::jump_fcontext(Scheduler, this));
}

BlockState BlockRun::run() {
  if (Loops)
    return runSteps();
  BlockRun *Before = enter();
  Progress = false;
  for (;;) {
    if (stops()) {
      State = BlockState::Failed;
      break;
    }
    SimThread *Next = Current ? next(Current->linear, true) : &Threads[0];
    if (!Next) {
      if (LiveThreads)
        describeDeadlock();
      State = LiveThreads || Draining ? BlockState::Failed : BlockState::Ended;
      break;
    }
    uint32_t Runnable = 0;
    for (uint32_t W = 0; W < WarpCount; ++W)
      Runnable += static_cast<uint32_t>(__builtin_popcount(Warps[W].Runnable));
    SliceLeft = 2 * Runnable + 2;
    State = BlockState::Ended;
    jump(&Scheduler, Next);
    // A thread that ended early comes back here, too: the others go on.
    if (State == BlockState::Sliced)
      break;
  }
  if (State == BlockState::Sliced && Draining)
    State = BlockState::Failed; // Threads that still run after this long may wait for the one that
                                // failed.
  leave(Before);
  if (State == BlockState::Failed)
    dropThreads();
  return State;
}

void BlockRun::wait(SimThread &T) {
  SimWarp &W = Warps[T.warp()];
  W.Runnable &= ~T.bit();
  if (InSteps) {
    frame(T.linear).turn = GPUINSTR_SIM_BLOCKED;
    return;
  }
  if (!W.Runnable)
    RunnableWarps &= ~(1u << T.warp());
  SimThread *Next = stops() ? nullptr : next(T.linear, false);
  if (Next == &T) {
    Current = &T;
    return;
  }
  if (Next)
    jump(&T.Context, Next);
  else
    jumpToScheduler(&T.Context);
}

void BlockRun::yield(SimThread &T) {
  T.budget = Budget;
  if (Loops)
    return;
  SimWarp &W = Warps[T.warp()];
  if (W.Active && ++W.ActiveYields > 2u * static_cast<uint32_t>(__builtin_popcount(W.Runnable)))
    releaseActive(T.warp());
  if (--SliceLeft == 0 || stops()) {
    State = BlockState::Sliced;
    jumpToScheduler(&T.Context);
    return;
  }
  SimThread *Next = next(T.linear, true);
  if (Next != &T)
    jump(&T.Context, Next);
}

SimThread *BlockRun::next(uint32_t After, bool Yields) {
  uint32_t Warp = After / 32;
  uint32_t Own = Warps[Warp].Runnable;
  if (!Own && Warps[Warp].Active)
    Own = releaseActive(Warp);
  if (Yields)
    Own &= ~((2u << After % 32) - 1);
  if (!Own) {
    uint32_t Later = RunnableWarps & ~((2u << Warp) - 1);
    uint32_t Choice = Later ? Later : RunnableWarps;
    if (!Choice)
      return nullptr;
    Warp = static_cast<uint32_t>(__builtin_ctz(Choice));
    Own = Warps[Warp].Runnable;
  }
  return &Threads[Warp * 32 + static_cast<uint32_t>(__builtin_ctz(Own))];
}

void BlockRun::wake(uint32_t Warp, uint32_t Lanes) {
  Warps[Warp].Runnable |= Lanes;
  if (Lanes)
    RunnableWarps |= 1u << Warp;
  for (; InSteps && Lanes; Lanes &= Lanes - 1) {
    const SimThread &T = Threads[Warp * 32 + static_cast<uint32_t>(__builtin_ctz(Lanes))];
    gpuinstr_sim_frame &Frame = frame(T.linear);
    Frame.turn = StepState.turn;
    Frame.result = T.Result;
    Frame.second = T.Second;
  }
}

void BlockRun::ended(SimThread &T) {
  SimWarp &W = Warps[T.warp()];
  W.Live &= ~T.bit();
  W.Runnable &= ~T.bit();
  if (!W.Runnable)
    RunnableWarps &= ~(1u << T.warp());
  --LiveThreads;
  Progress = true;
  recheck(T.warp());
}

} // namespace gpuinstr::sim
