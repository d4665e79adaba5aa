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
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  uint32_t dynamicBytes = 0;
  bool cooperative = false;
  size_t stackLimit = 1024;            ///< CU_LIMIT_STACK_SIZE
  size_t heapBytes = size_t(8) << 20;  ///< CU_LIMIT_MALLOC_HEAP_SIZE
  size_t printBytes = size_t(8) << 20; ///< CU_LIMIT_PRINTF_FIFO_SIZE
  unsigned multiprocessors = 16;
  unsigned residentBlocks = 16; ///< How many a device would hold at a time.
};

class GridRun {
public:
  GridRun(const EmbeddedKernel &kernel, void *const *arguments, const GridShape &shape,
          DeviceOutput &output);

  const EmbeddedKernel kernel;
  void *const *const arguments;
  const GridShape shape;
  DeviceOutput &output;
  const uint32_t threads; ///< Of a block.
  const uint64_t blocks;
  const uint64_t id;
  alignas(64) unsigned char workspace[64] = {}; ///< Of a cooperative launch.

  /// The next block in index order; false when all are taken or the launch has failed.
  bool take(uint64_t &block) {
    if (failed())
      return false;
    block = NextBlock.fetch_add(1, std::memory_order_relaxed);
    return block < blocks;
  }
  bool fibers() const { return kernel.record->flags & GPUINSTR_SIM_NEEDS_FIBERS; }
  bool warps() const { return kernel.record->flags & GPUINSTR_SIM_WARPS; }
  /// Threads wait for each other not only at barriers of the whole block.
  bool scheduled() const {
    return kernel.record->flags &
           (GPUINSTR_SIM_NEEDS_FIBERS | GPUINSTR_SIM_WARPS | GPUINSTR_SIM_LOOKS);
  }

  /// Ends the launch with \p error; the first one counts. \p text goes to stderr in one line with
  /// the kernel's name, unless it is empty.
  void fail(CUresult error, const std::string &text);
  bool failed() const { return Failed.load(std::memory_order_relaxed); }
  CUresult error() const { return Error; }

  /// What a block has printed, put out in the order of blocks when the launch ends.
  void keepOutput(uint64_t block, std::vector<OutputPiece> &&pieces);
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
