// The launch configuration structs of cudaLaunchKernelExC and cuLaunchKernelEx, as on 64-bit Linux.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/LaunchConfig.h"
#include <algorithm>

namespace gpuinstr::timing {

namespace {

// cudaLaunchAttributeID, the same numbers in the driver's.
enum : uint32_t { ProgrammaticSerialization = 6, ProgrammaticEvent = 7, CompletionEvent = 12 };

template <class Config> void readConfig(uint64_t address, LaunchRequest &r) {
  const Config &c = *reinterpret_cast<const Config *>(address);
  std::copy(c.grid, c.grid + 3, r.grid);
  std::copy(c.block, c.block + 3, r.block);
  r.shared = uint32_t(c.shared);
  r.stream = c.stream;
  for (uint32_t i = 0; c.attributes && i < c.count; ++i) {
    uint32_t id = c.attributes[i].id;
    r.dependent |=
        id == ProgrammaticSerialization || id == ProgrammaticEvent || id == CompletionEvent;
  }
}

} // namespace

bool readLaunch(const Operation &o, LaunchRequest &r) {
  if (o.detail == 1)
    return false;
  r.function = o.slot(GPUINSTR_SLOT_FUNC);
  r.stream = o.stream;
  if (uint64_t config = o.slot(GPUINSTR_SLOT_PARAMS)) {
    if (o.flags & GPUINSTR_SITE_DRIVER)
      readConfig<DriverLaunchConfig>(config, r);
    else
      readConfig<RuntimeLaunchConfig>(config, r);
    if (r.stream == 0 && (o.flags & GPUINSTR_SITE_PER_THREAD))
      r.stream = 2;
    return true;
  }
  uint64_t xy = o.slot(GPUINSTR_SLOT_GRID_XY), block = o.slot(GPUINSTR_SLOT_BLOCK_XY);
  r.grid[0] = uint32_t(xy);
  r.grid[1] = uint32_t(xy >> 32);
  r.grid[2] = uint32_t(o.slot(GPUINSTR_SLOT_GRID_Z));
  r.block[0] = uint32_t(block);
  r.block[1] = uint32_t(block >> 32);
  r.block[2] = uint32_t(o.slot(GPUINSTR_SLOT_BLOCK_Z));
  r.shared = uint32_t(o.slot(GPUINSTR_SLOT_SHARED));
  return true;
}

} // namespace gpuinstr::timing
