// One launch of an embedded kernel: what its blocks share while they run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exec/kernels/DeviceOutput.h"
#include "exec/kernels/EmbeddedKernels.h"

#include <cuda.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>

namespace gpuinstr::sim {

/// A launch as it was asked for. All sizes are valid.
struct GridShape {
  std::array<unsigned, 3> Grid = {1, 1, 1}, Block = {1, 1, 1}, Cluster = {1, 1, 1};
  uint32_t DynamicBytes = 0;
  bool Cooperative = false;
  size_t StackLimit = 1024;            ///< CU_LIMIT_STACK_SIZE
  size_t HeapBytes = size_t(8) << 20;  ///< CU_LIMIT_MALLOC_HEAP_SIZE
  size_t PrintBytes = size_t(8) << 20; ///< CU_LIMIT_PRINTF_FIFO_SIZE
  unsigned Multiprocessors = 16;
  unsigned ResidentBlocks = 16; ///< How many a device would hold at a time.
};

class GridRun {
public:
  GridRun(const EmbeddedKernel &Kernel, void *const *Arguments, const GridShape &Shape,
          DeviceOutput &Output);

  const EmbeddedKernel Kernel;
  void *const *const Arguments;
  const GridShape Shape;
  DeviceOutput &Output;
  const uint32_t Threads; ///< Of a block.
  const uint64_t Blocks;
  const uint64_t Id;
  alignas(64) unsigned char Workspace[64] = {}; ///< Of a cooperative launch.

  /// The next block in index order; false when all are taken or the launch has failed.
  bool take(uint64_t &Block) {
    if (failed())
      return false;
    Block = NextBlock.fetch_add(1, std::memory_order_relaxed);
    return Block < Blocks;
  }
  bool fibers() const { return Kernel.Record->flags & GPUINSTR_SIM_NEEDS_FIBERS; }
  bool warps() const { return Kernel.Record->flags & GPUINSTR_SIM_WARPS; }
  /// Threads wait for each other not only at barriers of the whole block.
  bool scheduled() const {
    return Kernel.Record->flags &
           (GPUINSTR_SIM_NEEDS_FIBERS | GPUINSTR_SIM_WARPS | GPUINSTR_SIM_LOOKS);
  }

  /// Ends the launch with \p Error; the first one counts. \p Text goes to stderr in one line with
  /// the kernel's name, unless it is empty.
  void fail(CUresult Error, const std::string &Text);
  bool failed() const { return Failed.load(std::memory_order_relaxed); }
  CUresult error() const { return Error; }

  /// What a block has printed, put out in the order of blocks when the launch ends.
  void keepOutput(uint64_t Block, std::vector<OutputPiece> &&Pieces);
  /// Ends the launch: passes its output to the context.
  void finish();

private:
  std::atomic<uint64_t> NextBlock{0};
  std::atomic<bool> Failed{false};
  CUresult Error = CUDA_SUCCESS;
  std::mutex M;
  std::map<uint64_t, std::vector<OutputPiece>> Printed;
};

} // namespace gpuinstr::sim
