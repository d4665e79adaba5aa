// What every entry point of both APIs does around its work.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"

#include "common/SimulatorOptions.h"

#include <cstdio>
#include <string>
#include <unordered_set>

namespace gpuinstr::sim {

void logCall(const char *name, int result) {
  if (options().log)
    std::fprintf(stderr, "gpuinstr simulator: %s -> %d\n", name, result);
}

void warnUnsupported(const char *name) {
  static std::mutex m;
  static auto *warned = new std::unordered_set<std::string>;
  std::lock_guard<std::mutex> l(m);
  if (warned->insert(name).second)
    std::fprintf(stderr, "gpuinstr simulator: %s is not simulated, it returns 'not supported'\n",
                 name);
}

} // namespace gpuinstr::sim
