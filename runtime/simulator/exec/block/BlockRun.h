// One block that runs: its threads as fibers or in steps, barriers, warps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exec/block/GridRun.h"
#include "exec/block/Stacks.h"

#include <memory>

namespace gpuinstr::sim {

class BlockRun;

enum class Waiting : uint8_t { Nothing, Barrier, WarpOp, ActiveMask };
enum class WarpOp : uint8_t { Sync, Shuffle, Vote, MatchAny, MatchAll, Reduce };

/// A simulated thread. Kernel code holds a pointer to the base and passes it to the operations.
struct SimThread : gpuinstr_sim_thread {
  void *context = nullptr; ///< Where it continues; null: not started.
  Stack *on = nullptr;
  bool started = false;
  Waiting waitsFor = Waiting::Nothing;
  // Operands and results of the barrier or warp operation that it waits in.
  uint32_t mask = 0, value = 0, operand = 0, clamp = 0, result = 0, second = 0;
  uint64_t wide = 0;

  uint32_t warp() const { return linear / 32; }
  uint32_t lane() const { return linear % 32; }
  uint32_t bit() const { return 1u << lane(); }
};

/// A warp operation that some lanes have reached and others have not.
struct WarpGroup {
  WarpOp op;
  uint8_t kind;
  uint32_t mask;
  uint32_t arrived;
};

struct SimWarp {
  uint32_t live = 0, runnable = 0; ///< Lanes. The running one counts as runnable.
  uint32_t active = 0;             ///< Lanes that wait in active_mask.
  uint32_t activeYields = 0;
  uint32_t groupCount = 0;
  WarpGroup groups[32];
};

struct SimBarrier {
  uint32_t arrived = 0, count = 0; ///< Count 0: all live threads.
  uint32_t ayes = 0, noes = 0;     ///< Predicates that were true, and false.
  uint32_t kind = 0;
  uint32_t waiting[32] = {}; ///< Lanes by warp.
};

/// Why a block came back to its worker.
enum class BlockState { Ended, Sliced, Failed };

/// Atomic and volatile accesses that a thread may make before others run.
constexpr uint32_t Budget = 128;

class BlockRun {
public:
  BlockRun(GridRun &grid, StackStore &stacks);
  ~BlockRun();
  BlockRun(const BlockRun &) = delete;

  /// Makes this block \p index of the grid; nothing of it runs yet.
  void place(uint64_t index);
  /// Runs until the block has ended, the launch has failed, or every thread had a turn.
  BlockState run();
  /// Threads in a loop that poll the clock would wait one after the other. From a thread's 32nd
  /// poll on, each poll moves the clock forward. Returns by how much in all, in ns.
  uint64_t skipWait(const gpuinstr_sim_thread &t);
  /// Runs blocks to their ends as long as there are any, threads in a loop (of steps, where they
  /// wait at barriers): for kernels that need no fibers.
  void runLoops();
  /// Whether the last run() made no progress: all threads polled memory.
  bool stalled() const { return !Progress; }

  // Operations of kernel code (Operations.cpp has the rest).
  void barrier(SimThread &t, uint32_t id, uint32_t count, uint32_t kind, bool predicate, bool wait);
  void warpOperation(SimThread &t, WarpOp op, uint32_t kind, uint32_t mask);
  uint32_t activeMask(SimThread &t, uint32_t site);
  void yield(SimThread &t);
  [[noreturn]] void exitThread(gpuinstr_sim_thread *t);
  /// Ends the launch from within kernel code.
  [[noreturn]] void fail(CUresult error, const std::string &text);
  /// The same for one thread: the others of its block go on until they wait.
  [[noreturn]] void failThread(gpuinstr_sim_thread *t, CUresult error);

  enum class Fault { Illegal, Misaligned, NoAddress, StackOverflow };
  /// A fault of kernel code at \p address; of NoAddress, which no memory can have, it is not known.
  /// Runs on the stack of the faulting thread, which does not continue.
  [[noreturn]] void faulted(const void *address, Fault fault);
  /// The stack that kernel code runs on now.
  void *stackTop() const { return Loops ? LoopStack->top() : Current->on->top(); }

  GridRun &grid;
  std::vector<OutputPiece> output;
  bool isShared(const void *address) const;
  bool isLocal(const void *address) const;
  /// The executor's record of a thread, in kernels whose threads wait for each other.
  SimThread &own(gpuinstr_sim_thread *t) {
    return InSteps ? Threads[t->linear] : *static_cast<SimThread *>(t);
  }
  static BlockRun &of(gpuinstr_sim_thread *t) { return *static_cast<BlockRun *>(t->executor); }
  /// The block that runs on this system thread; null outside of kernel code.
  static BlockRun *current();
  /// "block (1,0,0), thread (2,0,0)"
  static std::string placeOf(const gpuinstr_sim_thread &t);
  uint64_t index() const { return Index; }

private:
  friend struct FiberEntry;
  bool stops() const { return grid.failed() && !Draining; }
  void mapShared();
  void mapFrames();
  void unmapFrames();
  void placeFrames();
  gpuinstr_sim_frame &frame(uint32_t linear) {
    return *reinterpret_cast<gpuinstr_sim_frame *>(StepState.frames +
                                                   linear * StepState.frame_bytes);
  }
  void nextTurn();
  void loopThreads();
  void stepThreads();
  BlockState runSteps();
  BlockState stepWarps();
  BlockState stepBlock();
  void stepWarp(uint32_t warp);
  void updateWarp(uint32_t warp);
  std::string whereIs(uint32_t linear);
  /// Makes this the block that runs on this system thread. Returns the one before, for leave().
  BlockRun *enter();
  static void leave(BlockRun *before);
  void fill(gpuinstr_sim_thread &t, uint32_t linear) const;
  void jump(void **save, SimThread *next);
  void jumpToScheduler(void **save);
  void wait(SimThread &t);
  void ended(SimThread &t);
  SimThread *next(uint32_t after, bool yields);
  void wake(uint32_t warp, uint32_t lanes);
  void resumeFirstGroup(SimThread &t, uint32_t firstLinear);
  void releaseBarrier(SimBarrier &b);
  void complete(SimWarp &w, uint32_t warp, uint32_t group);
  uint32_t releaseActive(uint32_t warp);
  void recheck(uint32_t warp);
  void describeDeadlock();
  void dropThreads();

  StackStore &Stacks;
  uint64_t Index = 0;
  char *SharedMap = nullptr, *Shared = nullptr, *Dynamic = nullptr;
  size_t SharedMapBytes = 0;
  std::unique_ptr<SimThread[]> Threads;
  std::unique_ptr<SimWarp[]> Warps;
  uint32_t WarpCount = 0, RunnableWarps = 0, LiveThreads = 0;
  SimBarrier Barriers[16];
  uint32_t BarriersInUse = 0; ///< Bit for each that somebody waits at.
  SimThread *Current = nullptr;
  void *Scheduler = nullptr; ///< Context of the worker.
  void **SaveTo = nullptr;   ///< Where the context that was left is kept; null: nobody returns.
  BlockState State = BlockState::Ended;
  bool Progress = false;
  bool Loops = false;
  bool Draining = false; ///< The launch failed in this block; its other threads may finish.
  uint32_t SliceLeft = 0;
  uint32_t OperationsDone = 0;
  uint32_t ResumeAt = 0; ///< Loops: the thread after one that ended early.
  Stack *LoopStack = nullptr;
  SimThread *LoopThread = nullptr; ///< Loops: holds the thread that runs now.
  bool InSteps = false;            ///< Threads run in steps, not in one go.
  bool WithWarps = false;          ///< Steps that end at warp operations, too.
  bool ThreadEnded = false;        ///< Loops: a thread left its step early.
  uint32_t CurrentWarp = 0;        ///< WithWarps: the warp that runs.
  gpuinstr_sim_steps StepState = {};
  size_t FrameMapBytes = 0;
  uint32_t ClockThread = 0, ClockLooks = 0;
  uint64_t ClockGain = 0;
};

/// The table of operations that kernel code calls.
extern const gpuinstr_sim_ops Operations;

} // namespace gpuinstr::sim
