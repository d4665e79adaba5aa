// What a record of CUPTI says of one activity of the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TIME_EXACT_CUPTI_DEVICERECORD_H
#define GPUINSTR_TIME_EXACT_CUPTI_DEVICERECORD_H

#include <cstdint>

namespace gpuinstr::timing {

enum class Done : uint8_t { Kernel, Copy, Set };

/// One activity of the device, from any kind of CUPTI record. Times in ns of the host's clock.
struct DeviceRecord {
  Done done = Done::Kernel;
  uint8_t copyKind = 0, srcKind = 0, dstKind = 0; ///< CUPTI's numbers
  uint16_t registers = 0;
  uint32_t correlation = 0, device = 0, stream = 0;
  uint32_t shape = 0;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t staticShared = 0, dynamicShared = 0;
  uint64_t start = 0, end = 0;
  uint64_t bytes = 0;
  const char *name = nullptr; ///< kernels: mangled
  uint64_t graphNode = 0;
  uint32_t graph = 0;
};

/// Tells launches of different grids, blocks and dynamic shared memory apart.
inline uint32_t shapeOf(const uint32_t *grid, const uint32_t *block, uint32_t shared) {
  uint32_t h = grid[0] * 0x9e3779b1u ^ grid[1] * 0x85ebca77u ^ grid[2] * 0xc2b2ae3du;
  return h ^ block[0] * 0x27d4eb2fu ^ block[1] * 0x165667b1u ^ block[2] * 0xd3a2646du ^
         shared * 0xfd7046c5u;
}

} // namespace gpuinstr::timing

#endif
