// The functions of the runtime API that the simulator has not.
// SPDX-License-Identifier: Apache-2.0

// No CUDA header here: the table has only names, and these definitions take no arguments. That is
// sound for C functions whose caller cleans up, and they look at none.
namespace gpuinstr::sim {
int unsupportedResult(const char *name);
} // namespace gpuinstr::sim

#define GPUINSTR_UNSUPPORTED(Name)                                                                 \
  extern "C" int Name() { return gpuinstr::sim::unsupportedResult(#Name); }
#include "cudart/symbols/Unsupported.def"
