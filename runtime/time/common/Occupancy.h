// Theoretical occupancy of a launch: what its shape lets a multiprocessor hold at once.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_COMMON_OCCUPANCY_H
#define GPUINSTR_TIME_COMMON_OCCUPANCY_H

#include <cstdint>

namespace gpuinstr::timing {

/// Of one multiprocessor, as the driver states them.
struct MultiprocessorLimits {
  uint32_t threads = 0, blocks = 0, registers = 0;
  uint32_t sharedBytes = 0, reservedPerBlock = 0;
};

/// Per cent of the warps that could be resident; 0 when a limit is not known or nothing fits.
/// Registers are allotted to a warp by 256, shared memory to a block by 128 bytes (compute
/// capability 7 and later).
double occupancyPercent(const MultiprocessorLimits &limits, uint64_t threadsPerBlock,
                        uint64_t registersPerThread, uint64_t sharedPerBlock);

/// This device's; asked once, zeros unknown. Only while CUDA is alive.
MultiprocessorLimits limitsOf(int device);

} // namespace gpuinstr::timing

#endif
