// What every entry point of both APIs does around its work.
// SPDX-License-Identifier: Apache-2.0
#include "api/Call.h"

#include "common/SimulatorOptions.h"

#include <cstdio>
#include <string>
#include <unordered_set>

namespace gpuinstr::sim {

void logCall(const char *Name, int Result) {
  if (options().Log)
    std::fprintf(stderr, "gpuinstr simulator: %s -> %d\n", Name, Result);
}

void warnUnsupported(const char *Name) {
  static std::mutex M;
  static auto *Warned = new std::unordered_set<std::string>;
  std::lock_guard<std::mutex> L(M);
  if (Warned->insert(Name).second)
    std::fprintf(stderr, "gpuinstr simulator: %s is not simulated, it returns 'not supported'\n",
                 Name);
}

} // namespace gpuinstr::sim
