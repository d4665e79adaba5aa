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

uint32_t roundUp(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

// The signal handler reads it: no lazy allocation of thread-local memory.
thread_local BlockRun *Running __attribute__((tls_model("initial-exec"))) = nullptr;

} // namespace

BlockRun *BlockRun::current() { return Running; }

BlockRun *BlockRun::enter() {
  BlockRun *before = Running;
  Running = this;
  return before;
}

void BlockRun::leave(BlockRun *before) { Running = before; }

void FiberEntry::threads(context::transfer_t from) {
  BlockRun &b = arrive(from);
  for (;;) {
    SimThread &t = *b.Current;
    b.grid.kernel.record->run(&t, b.grid.arguments, 1);
    b.ended(t);
    SimThread *next = b.stops() ? nullptr : b.next(t.linear, false);
    if (next && !next->started) {
      next->started = true;
      next->on = t.on;
      t.on = nullptr;
      b.Current = next;
      continue;
    }
    b.Stacks.giveBack(t.on); // Not reused before this fiber has left it.
    t.on = nullptr;
    if (next)
      b.jump(nullptr, next);
    else
      b.jumpToScheduler(nullptr);
  }
}

BlockRun::BlockRun(GridRun &grid, StackStore &stacks) : grid(grid), Stacks(stacks) {
  Loops = !grid.fibers();
  InSteps = Loops && grid.kernel.record->flags & GPUINSTR_SIM_STEPS;
  WithWarps = InSteps && grid.warps();
  uint32_t count = Loops && !WithWarps ? 1 : grid.threads;
  WarpCount = (count + 31) / 32;
  if (WithWarps) // Behind the threads.
    ++count;
  Threads = std::make_unique<SimThread[]>(count);
  LoopThread = &Threads[count - 1];
  Warps = std::make_unique<SimWarp[]>(WarpCount);
  mapShared();
  if (InSteps)
    mapFrames();
  const GridShape &shape = grid.shape;
  for (uint32_t i = 0; i < count; ++i) {
    SimThread &t = Threads[i];
    t.ops = &Operations;
    t.executor = this;
    t.steps = InSteps ? &StepState : nullptr;
    t.shared = Shared;
    t.dynamic = Dynamic;
    t.grid_workspace = shape.cooperative ? grid.workspace : nullptr;
    t.grid_id = grid.id;
    for (int d = 0; d < 3; ++d) {
      t.block_dim[d] = shape.block[d];
      t.grid_dim[d] = shape.grid[d];
      t.cluster_dim[d] = shape.cluster[d];
    }
    t.dynamic_bytes = shape.dynamicBytes;
    t.static_bytes = grid.kernel.staticBytes;
    t.multiprocessors = shape.multiprocessors;
    fill(t, i);
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
  uint32_t staticBytes = roundUp(grid.kernel.staticBytes, SharedAlign);
  uint32_t all = staticBytes + roundUp(grid.shape.dynamicBytes, SharedAlign);
  size_t usable = wholePages(size_t(all));
  SharedMapBytes = usable + PageBytes;
  void *range =
      mmap(nullptr, SharedMapBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (range == MAP_FAILED)
    throw std::bad_alloc();
  SharedMap = static_cast<char *>(range);
  mprotect(SharedMap + usable, PageBytes, PROT_NONE);
  Shared = SharedMap + usable - all;
  Dynamic = Shared + staticBytes;
}

void BlockRun::fill(gpuinstr_sim_thread &t, uint32_t linear) const {
  const auto &size = grid.shape.block;
  t.linear = linear;
  t.thread[0] = linear % size[0];
  t.thread[1] = linear / size[0] % size[1];
  t.thread[2] = linear / size[0] / size[1];
  t.budget = Budget;
}

void BlockRun::place(uint64_t newIndex) {
  Index = newIndex;
  const GridShape &shape = grid.shape;
  uint32_t at[3] = {static_cast<uint32_t>(Index % shape.grid[0]),
                    static_cast<uint32_t>(Index / shape.grid[0] % shape.grid[1]),
                    static_cast<uint32_t>(Index / shape.grid[0] / shape.grid[1])};
  SimThread *end = Loops ? LoopThread + 1 : &Threads[grid.threads];
  for (SimThread *t = Loops ? LoopThread : &Threads[0]; t != end; ++t) {
    for (int d = 0; d < 3; ++d) {
      t->block[d] = at[d];
      t->cluster[d] = at[d] % shape.cluster[d];
    }
    t->multiprocessor = static_cast<uint32_t>(Index % shape.multiprocessors);
    t->budget = Budget;
    t->started = false;
    t->waitsFor = Waiting::Nothing;
  }
  ResumeAt = CurrentWarp = 0;
  if (InSteps)
    placeFrames();
  if (Loops && !WithWarps)
    return;
  if (WithWarps)
    for (uint32_t i = 0; i < grid.threads; ++i)
      Threads[i].waitsFor = Waiting::Nothing;
  for (uint32_t w = 0; w < WarpCount; ++w) {
    uint32_t lanes = std::min(32u, grid.threads - w * 32);
    Warps[w].live = Warps[w].runnable = lanes == 32 ? ~0u : (1u << lanes) - 1;
    Warps[w].active = Warps[w].groupCount = 0;
  }
  RunnableWarps = WarpCount == 32 ? ~0u : (1u << WarpCount) - 1;
  for (; BarriersInUse; BarriersInUse &= BarriersInUse - 1) // bar.arrive that nobody waited for
    Barriers[__builtin_ctz(BarriersInUse)] = SimBarrier();
  LiveThreads = grid.threads;
  Draining = false;
  Current = nullptr;
}

void BlockRun::jump(void **save, SimThread *next) {
  void *to = next->context;
  Current = next;
  if (!next->started) {
    next->started = true;
    next->on = Stacks.take();
    to = context::make_fcontext(next->on->top(), next->on->bytes, FiberEntry::threads);
  }
  SaveTo = save;
  FiberEntry::arrive(context::jump_fcontext(to, this));
}

void BlockRun::jumpToScheduler(void **save) {
  SaveTo = save;
  FiberEntry::arrive(context::jump_fcontext(Scheduler, this));
}

BlockState BlockRun::run() {
  if (Loops)
    return runSteps();
  BlockRun *before = enter();
  Progress = false;
  for (;;) {
    if (stops()) {
      State = BlockState::Failed;
      break;
    }
    SimThread *next = Current ? this->next(Current->linear, true) : &Threads[0];
    if (!next) {
      if (LiveThreads)
        describeDeadlock();
      State = LiveThreads || Draining ? BlockState::Failed : BlockState::Ended;
      break;
    }
    uint32_t runnable = 0;
    for (uint32_t w = 0; w < WarpCount; ++w)
      runnable += static_cast<uint32_t>(__builtin_popcount(Warps[w].runnable));
    SliceLeft = 2 * runnable + 2;
    State = BlockState::Ended;
    jump(&Scheduler, next);
    // A thread that ended early comes back here, too: the others go on.
    if (State == BlockState::Sliced)
      break;
  }
  if (State == BlockState::Sliced && Draining)
    State = BlockState::Failed; // Threads that still run after this long may wait for the one that
                                // failed.
  leave(before);
  if (State == BlockState::Failed)
    dropThreads();
  return State;
}

void BlockRun::wait(SimThread &t) {
  SimWarp &w = Warps[t.warp()];
  w.runnable &= ~t.bit();
  if (InSteps) {
    frame(t.linear).turn = GPUINSTR_SIM_BLOCKED;
    return;
  }
  if (!w.runnable)
    RunnableWarps &= ~(1u << t.warp());
  SimThread *next = stops() ? nullptr : this->next(t.linear, false);
  if (next == &t) {
    Current = &t;
    return;
  }
  if (next)
    jump(&t.context, next);
  else
    jumpToScheduler(&t.context);
}

void BlockRun::yield(SimThread &t) {
  t.budget = Budget;
  if (Loops)
    return;
  SimWarp &w = Warps[t.warp()];
  if (w.active && ++w.activeYields > 2u * static_cast<uint32_t>(__builtin_popcount(w.runnable)))
    releaseActive(t.warp());
  if (--SliceLeft == 0 || stops()) {
    State = BlockState::Sliced;
    jumpToScheduler(&t.context);
    return;
  }
  SimThread *next = this->next(t.linear, true);
  if (next != &t)
    jump(&t.context, next);
}

SimThread *BlockRun::next(uint32_t after, bool yields) {
  uint32_t warp = after / 32;
  uint32_t own = Warps[warp].runnable;
  if (!own && Warps[warp].active)
    own = releaseActive(warp);
  if (yields)
    own &= ~((2u << after % 32) - 1);
  if (!own) {
    uint32_t later = RunnableWarps & ~((2u << warp) - 1);
    uint32_t choice = later ? later : RunnableWarps;
    if (!choice)
      return nullptr;
    warp = static_cast<uint32_t>(__builtin_ctz(choice));
    own = Warps[warp].runnable;
  }
  return &Threads[warp * 32 + static_cast<uint32_t>(__builtin_ctz(own))];
}

void BlockRun::wake(uint32_t warp, uint32_t lanes) {
  Warps[warp].runnable |= lanes;
  if (lanes)
    RunnableWarps |= 1u << warp;
  for (; InSteps && lanes; lanes &= lanes - 1) {
    const SimThread &t = Threads[warp * 32 + static_cast<uint32_t>(__builtin_ctz(lanes))];
    gpuinstr_sim_frame &frame = this->frame(t.linear);
    frame.turn = StepState.turn;
    frame.result = t.result;
    frame.second = t.second;
  }
}

void BlockRun::ended(SimThread &t) {
  SimWarp &w = Warps[t.warp()];
  w.live &= ~t.bit();
  w.runnable &= ~t.bit();
  if (!w.runnable)
    RunnableWarps &= ~(1u << t.warp());
  --LiveThreads;
  Progress = true;
  recheck(t.warp());
}

} // namespace gpuinstr::sim
