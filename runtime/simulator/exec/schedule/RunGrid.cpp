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
  explicit BlockWorker(GridRun &grid)
      : Grid(grid), Stacks(stackBytes(grid.shape.stackLimit)),
        MaxResident(grid.shape.cooperative ? SIZE_MAX : std::max(1u, grid.shape.residentBlocks)) {}

  void work() {
    while (!Grid.failed() && (!Resident.empty() || start()))
      turn();
    Resident.clear();
  }

private:
  /// Takes a block on; false when there is none left.
  bool start() {
    uint64_t index = 0;
    if (Resident.size() >= MaxResident || !Grid.take(index))
      return false;
    std::unique_ptr<BlockRun> block;
    if (Spare) {
      block = std::move(Spare);
    } else {
      block = std::make_unique<BlockRun>(Grid, Stacks);
    }
    block->place(index);
    Resident.push_back(std::move(block));
    return true;
  }

  /// Lets the first resident block run for a while.
  void turn() {
    BlockRun &block = *Resident.front();
    BlockState state = block.run();
    if (state == BlockState::Sliced) {
      // Blocks that spin may wait for others: for one that has not started, for one of another
      // worker, or for the host.
      bool stalled = block.stalled();
      Idle = stalled ? Idle + 1 : 0;
      if (Resident.size() > 1) {
        Resident.push_back(std::move(Resident.front()));
        Resident.pop_front();
      }
      if (stalled && Idle > Resident.size() && !start())
        giveWay();
      return;
    }
    Idle = 0;
    if (!block.output.empty())
      Grid.keepOutput(block.index(), std::move(block.output));
    block.output.clear();
    if (state == BlockState::Ended)
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

void work(GridRun &grid) {
  try {
    if (grid.scheduled()) {
      BlockWorker(grid).work();
      return;
    }
    uint64_t index = 0;
    if (!grid.take(index))
      return;
    StackStore stacks(stackBytes(grid.shape.stackLimit));
    BlockRun block(grid, stacks);
    block.place(index);
    block.runLoops();
  } catch (const std::bad_alloc &) {
    grid.fail(CUDA_ERROR_OUT_OF_MEMORY, "no memory for its threads' stacks");
  }
}

} // namespace

CUresult runGrid(GridRun &grid) {
  catchFaults();
  shareWork(grid.blocks, [&] { work(grid); });
  grid.finish();
  return grid.error();
}

} // namespace gpuinstr::sim
