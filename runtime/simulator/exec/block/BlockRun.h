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
  void *Context = nullptr; ///< Where it continues; null: not started.
  Stack *On = nullptr;
  bool Started = false;
  Waiting For = Waiting::Nothing;
  // Operands and results of the barrier or warp operation that it waits in.
  uint32_t Mask = 0, Value = 0, Lane = 0, Clamp = 0, Result = 0, Second = 0;
  uint64_t Wide = 0;

  uint32_t warp() const { return linear / 32; }
  uint32_t lane() const { return linear % 32; }
  uint32_t bit() const { return 1u << lane(); }
};

/// A warp operation that some lanes have reached and others have not.
struct WarpGroup {
  WarpOp Op;
  uint8_t Kind;
  uint32_t Mask;
  uint32_t Arrived;
};

struct SimWarp {
  uint32_t Live = 0, Runnable = 0; ///< Lanes. The running one counts as runnable.
  uint32_t Active = 0;             ///< Lanes that wait in active_mask.
  uint32_t ActiveYields = 0;
  uint32_t GroupCount = 0;
  WarpGroup Groups[32];
};

struct SimBarrier {
  uint32_t Arrived = 0, Count = 0; ///< Count 0: all live threads.
  uint32_t True = 0, False = 0;    ///< Predicates.
  uint32_t Kind = 0;
  uint32_t Waiting[32] = {}; ///< Lanes by warp.
};

/// Why a block came back to its worker.
enum class BlockState { Ended, Sliced, Failed };

/// Atomic and volatile accesses that a thread may make before others run.
constexpr uint32_t Budget = 128;

class BlockRun {
public:
  BlockRun(GridRun &Grid, StackStore &Stacks);
  ~BlockRun();
  BlockRun(const BlockRun &) = delete;

  /// Makes this block \p Index of the grid; nothing of it runs yet.
  void place(uint64_t Index);
  /// Runs until the block has ended, the launch has failed, or every thread had a turn.
  BlockState run();
  /// Threads in a loop that poll the clock would wait one after the other. From a thread's 32nd
  /// poll on, each poll moves the clock forward. Returns by how much in all, in ns.
  uint64_t skipWait(const gpuinstr_sim_thread &T);
  /// Runs blocks to their ends as long as there are any, threads in a loop (of steps, where they
  /// wait at barriers): for kernels that need no fibers.
  void runLoops();
  /// Whether the last run() made no progress: all threads polled memory.
  bool stalled() const { return !Progress; }

  // Operations of kernel code (Operations.cpp has the rest).
  void barrier(SimThread &T, uint32_t Id, uint32_t Count, uint32_t Kind, bool Predicate, bool Wait);
  void warpOperation(SimThread &T, WarpOp Op, uint32_t Kind, uint32_t Mask);
  uint32_t activeMask(SimThread &T, uint32_t Site);
  void yield(SimThread &T);
  [[noreturn]] void exitThread(gpuinstr_sim_thread *T);
  /// Ends the launch from within kernel code.
  [[noreturn]] void fail(CUresult Error, const std::string &Text);
  /// The same for one thread: the others of its block go on until they wait.
  [[noreturn]] void failThread(gpuinstr_sim_thread *T, CUresult Error);

  /// A fault of kernel code at \p Address (null: unknown), or a stack overflow. Runs on the stack
  /// of the faulting thread, which does not continue.
  [[noreturn]] void faulted(const void *Address, bool StackOverflow);
  /// The stack that kernel code runs on now.
  void *stackTop() const { return Loops ? LoopStack->top() : Current->On->top(); }

  GridRun &Grid;
  std::vector<OutputPiece> Output;
  bool isShared(const void *Address) const;
  bool isLocal(const void *Address) const;
  /// The executor's record of a thread, in kernels whose threads wait for each other.
  SimThread &own(gpuinstr_sim_thread *T) {
    return InSteps ? Threads[T->linear] : *static_cast<SimThread *>(T);
  }
  static BlockRun &of(gpuinstr_sim_thread *T) { return *static_cast<BlockRun *>(T->executor); }
  /// The block that runs on this system thread; null outside of kernel code.
  static BlockRun *current();
  /// "block (1,0,0), thread (2,0,0)"
  static std::string placeOf(const gpuinstr_sim_thread &T);
  uint64_t index() const { return Index; }

private:
  friend struct FiberEntry;
  bool stops() const { return Grid.failed() && !Draining; }
  void mapShared();
  void mapFrames();
  void unmapFrames();
  void placeFrames();
  gpuinstr_sim_frame &frame(uint32_t Linear) {
    return *reinterpret_cast<gpuinstr_sim_frame *>(StepState.frames +
                                                   Linear * StepState.frame_bytes);
  }
  void nextTurn();
  void loopThreads();
  void stepThreads();
  BlockState runSteps();
  BlockState stepWarps();
  BlockState stepBlock();
  void stepWarp(uint32_t Warp);
  void updateWarp(uint32_t Warp);
  std::string whereIs(uint32_t Linear);
  /// Makes this the block that runs on this system thread. Returns the one before, for leave().
  BlockRun *enter();
  static void leave(BlockRun *Before);
  void fill(gpuinstr_sim_thread &T, uint32_t Linear) const;
  void jump(void **Save, SimThread *Next);
  void jumpToScheduler(void **Save);
  void wait(SimThread &T);
  void ended(SimThread &T);
  SimThread *next(uint32_t After, bool Yields);
  void wake(uint32_t Warp, uint32_t Lanes);
  void resumeFirstGroup(SimThread &T, uint32_t FirstLinear);
  void releaseBarrier(SimBarrier &B);
  void complete(SimWarp &W, uint32_t Warp, uint32_t Group);
  uint32_t releaseActive(uint32_t Warp);
  void recheck(uint32_t Warp);
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
