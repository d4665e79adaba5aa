// The functions of the driver API that the simulator has not.
// SPDX-License-Identifier: Apache-2.0

// No CUDA header here: the table has only names, and these definitions take no arguments. That is
// sound for C functions whose caller cleans up, and they look at none.
namespace gpuinstr::sim {
void warnUnsupported(const char *name);
void logCall(const char *name, int result);
int chosenFailure(const char *name);
} // namespace gpuinstr::sim

namespace {
constexpr int NotSupported = 801; // CUDA_ERROR_NOT_SUPPORTED

int refuse(const char *name) {
  if (int wanted = gpuinstr::sim::chosenFailure(name))
    return wanted;
  gpuinstr::sim::warnUnsupported(name);
  gpuinstr::sim::logCall(name, NotSupported);
  return NotSupported;
}
} // namespace

#define GPUINSTR_UNSUPPORTED(Name)                                                                 \
  extern "C" int Name() { return refuse(#Name); }
#include "driver/symbols/Unsupported.def"
