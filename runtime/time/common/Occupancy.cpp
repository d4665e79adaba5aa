// Theoretical occupancy of a launch: what its shape lets a multiprocessor hold at once.
// SPDX-License-Identifier: Apache-2.0
#include "time/common/Occupancy.h"
#include "base/locks/LeafMutex.h"
#include "cuda/Driver.h"
#include <algorithm>
#include <map>
#include <mutex>

namespace gpuinstr::timing {

namespace {

constexpr uint64_t WarpSize = 32, RegisterUnit = 256, SharedUnit = 128;

// CUdevice_attribute.
enum : int {
  MaxThreads = 39,
  MaxShared = 81,
  MaxRegisters = 82,
  MaxBlocks = 106,
  ReservedShared = 111
};

uint64_t roundedUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

double occupancyPercent(const MultiprocessorLimits &limits, uint64_t threadsPerBlock,
                        uint64_t registersPerThread, uint64_t sharedPerBlock) {
  uint64_t allWarps = limits.threads / WarpSize;
  if (!threadsPerBlock || !allWarps || !limits.blocks)
    return 0;
  uint64_t warps = roundedUp(threadsPerBlock, WarpSize) / WarpSize;
  uint64_t blocks = std::min<uint64_t>(limits.blocks, allWarps / warps);
  if (registersPerThread && limits.registers) {
    uint64_t perWarp = roundedUp(registersPerThread * WarpSize, RegisterUnit);
    blocks = std::min(blocks, limits.registers / perWarp / warps);
  }
  uint64_t shared = sharedPerBlock + limits.reservedPerBlock;
  if (shared && limits.sharedBytes)
    blocks = std::min(blocks, limits.sharedBytes / roundedUp(shared, SharedUnit));
  return 100.0 * double(blocks * warps) / double(allWarps);
}

MultiprocessorLimits limitsOf(int device) {
  static auto *mutex = new LeafMutex; // leaked: used during exit
  static auto *known = new std::map<int, MultiprocessorLimits>;
  std::lock_guard<std::mutex> lock(*mutex);
  auto found = known->find(device);
  if (found != known->end())
    return found->second;
  MultiprocessorLimits limits;
  const DriverApi *api = driverApi();
  auto ask = [&](int attribute, uint32_t &to) {
    int value = 0;
    if (api && api->deviceGetAttribute && api->deviceGetAttribute(&value, attribute, device) == 0)
      to = uint32_t(std::max(0, value));
  };
  ask(MaxThreads, limits.threads);
  ask(MaxBlocks, limits.blocks);
  ask(MaxRegisters, limits.registers);
  ask(MaxShared, limits.sharedBytes);
  ask(ReservedShared, limits.reservedPerBlock);
  if (limits.threads)
    (*known)[device] = limits;
  return limits;
}

} // namespace gpuinstr::timing
