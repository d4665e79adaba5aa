// Arguments of kernels that are addresses of the host's own memory.
// SPDX-License-Identifier: Apache-2.0
#include "device/kernel/HostArguments.h"

#include "device/memory/Allocations.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <set>

namespace gpuinstr::sim {

namespace {

/// Writable memory of this process: no code, no constants.
bool isWritable(uint64_t address) {
  std::FILE *maps = std::fopen("/proc/self/maps", "re");
  if (!maps)
    return false;
  bool found = false;
  char line[512];
  while (!found && std::fgets(line, sizeof line, maps)) {
    uint64_t begin = 0, end = 0;
    char rights[5] = "";
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, rights) == 3)
      found = address >= begin && address < end && rights[1] == 'w';
  }
  std::fclose(maps);
  return found;
}

} // namespace

void tellHostArguments(State &s, const CUfunc_st &function, const gpuinstr_sim_kernel &kernel,
                       void *const *arguments) {
  constexpr uint64_t LowBytes = uint64_t(1) << 16;
  static std::set<const CUfunc_st *> told;
  for (uint32_t i = 0; i < kernel.parameter_count; ++i) {
    uint64_t value = 0;
    if (kernel.parameters[i].bytes != sizeof value)
      continue;
    std::memcpy(&value, arguments[i], sizeof value);
    CUdeviceptr base = 0;
    if (value < LowBytes || findAllocation(s, value, &base) || told.count(&function) ||
        !isWritable(value))
      continue;
    told.insert(&function);
    std::fprintf(stderr,
                 "gpuinstr simulator: kernel %s gets an address of the host's own memory as "
                 "argument %u: a device that cannot reach that reports an illegal access\n",
                 function.name.c_str(), i + 1);
  }
}

} // namespace gpuinstr::sim
