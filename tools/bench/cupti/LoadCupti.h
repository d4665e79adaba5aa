// CUPTI for the benchmarks' injection libraries.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TOOLS_BENCH_LOADCUPTI_H
#define GPUINSTR_TOOLS_BENCH_LOADCUPTI_H

#include <cstdlib>
#include <dlfcn.h>
#include <initializer_list>

/// By the loader's search path. Without it the process ends with 3: the column is then left out by
/// name.
inline void *loadCupti() {
  for (const char *name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
    if (void *cupti = dlopen(name, RTLD_NOW))
      return cupti;
  std::_Exit(3);
}

#endif
