// Blocks of a grid over threads: in index order, several at a time where they wait for each other.
// SPDX-License-Identifier: Apache-2.0
#include "exec/schedule/RunGrid.h"

#include "exec/block/BlockRun.h"
#include "exec/schedule/Faults.h"
#include "exec/schedule/Workers.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <new>
#include <thread>

namespace gpuinstr::sim {

namespace {

/// One system thread's share of a grid whose threads may wait for other blocks.
class BlockWorker {
public:
  explicit BlockWorker(GridRun &Grid)
      : Grid(Grid), Stacks(stackBytes(Grid.Shape.StackLimit)),
        MaxResident(Grid.Shape.Cooperative ? SIZE_MAX : std::max(1u, Grid.Shape.ResidentBlocks)) {}

  void work() {
    while (!Grid.failed() && (!Resident.empty() || start()))
      turn();
    Resident.clear();
  }

private:
  /// Takes a block on; false when there is none left.
  bool start() {
    uint64_t Index = 0;
    if (Resident.size() >= MaxResident || !Grid.take(Index))
      return false;
    std::unique_ptr<BlockRun> Block;
    if (Spare) {
      Block = std::move(Spare);
    } else {
      Block = std::make_unique<BlockRun>(Grid, Stacks);
    }
    Block->place(Index);
    Resident.push_back(std::move(Block));
    return true;
  }

  /// Lets the first resident block run for a while.
  void turn() {
    BlockRun &Block = *Resident.front();
    BlockState State = Block.run();
    if (State == BlockState::Sliced) {
      // Blocks that spin may wait for others: for one that has not started, for one of another
      // worker, or for the host.
      bool Stalled = Block.stalled();
      Idle = Stalled ? Idle + 1 : 0;
      if (Resident.size() > 1) {
        Resident.push_back(std::move(Resident.front()));
        Resident.pop_front();
      }
      if (Stalled && Idle > Resident.size() && !start())
        giveWay();
      return;
    }
    Idle = 0;
    if (!Block.Output.empty())
      Grid.keepOutput(Block.index(), std::move(Block.Output));
    Block.Output.clear();
    if (State == BlockState::Ended)
      Spare = std::move(Resident.front());
    Resident.pop_front();
  }

  void giveWay() {
    if (Idle < 64 * Resident.size())
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

  GridRun &Grid;
  StackStore Stacks;
  const size_t MaxResident;
  std::deque<std::unique_ptr<BlockRun>> Resident;
  std::unique_ptr<BlockRun> Spare;
  uint64_t Idle = 0; ///< Turns in a row without progress.
};

void work(GridRun &Grid) {
  try {
    if (Grid.scheduled()) {
      BlockWorker(Grid).work();
      return;
    }
    uint64_t Index = 0;
    if (!Grid.take(Index))
      return;
    StackStore Stacks(stackBytes(Grid.Shape.StackLimit));
    BlockRun Block(Grid, Stacks);
    Block.place(Index);
    Block.runLoops();
  } catch (const std::bad_alloc &) {
    Grid.fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for its threads' stacks");
  }
}

} // namespace

CUresult runGrid(GridRun &Grid) {
  catchFaults();
  shareWork(Grid.Blocks, [&] { work(Grid); });
  Grid.finish();
  return Grid.error();
}

} // namespace gpuinstr::sim
