// The launch configuration structs of cudaLaunchKernelExC and cuLaunchKernelEx, as on 64-bit Linux.
// SPDX-License-Identifier: Apache-2.0
//
// Copies, compared with the installed headers by the tests.
#ifndef GPUINSTR_CUDA_LAUNCHCONFIG_H
#define GPUINSTR_CUDA_LAUNCHCONFIG_H

#include "cuda/CallOperands.h"
#include <cstddef>
#include <cstdint>

namespace gpuinstr::timing {

struct LaunchAttribute {
  uint32_t id, pad;
  uint8_t value[64];
};

struct RuntimeLaunchConfig {
  uint32_t grid[3], block[3];
  size_t shared;
  uint64_t stream;
  const LaunchAttribute *attributes;
  uint32_t count;
};

struct DriverLaunchConfig {
  uint32_t grid[3], block[3];
  uint32_t shared;
  uint64_t stream;
  const LaunchAttribute *attributes;
  uint32_t count;
};

/// What a launch asks for, from its slots or its configuration struct.
struct LaunchRequest {
  uint64_t function = 0;
  uint32_t grid[3] = {}, block[3] = {};
  uint32_t shared = 0;
  uint64_t stream = 0;
  /// Launched with a programmatic dependency: an event between it and its neighbour would cut it.
  bool dependent = false;
};

/// False: a shape that is not timed (several devices at once).
bool readLaunch(const Operation &operation, LaunchRequest &request);

} // namespace gpuinstr::timing

#endif
