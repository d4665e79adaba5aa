// Kernels that also run on the simulated device: each thread is a function for host and device.
// SPDX-License-Identifier: Apache-2.0
//
//   __host__ __device__ inline void addAt(unsigned i, int *x, int y) { x[i] += y; }
//   __global__ void add(int *x, int y) { addAt(globalThread(), x, y); }
//   SIMULATED(add, addAt)
#pragma once

#include "check.h"

#include <cuda_runtime.h>

#include <dlfcn.h>
#include <stddef.h>
#include <utility>

__device__ inline unsigned globalThread() { return blockIdx.x * blockDim.x + threadIdx.x; }

namespace simulated {

using Launched = void (*)(const unsigned *grid, const unsigned *block, void **arguments);
using Define = void (*)(const void *kernel, const char *name, Launched run, unsigned count,
                        const size_t *bytes);

template <auto Thread, typename Function> struct Kernel;

template <auto Thread, typename... Parameters>
struct Kernel<Thread, void (*)(unsigned, Parameters...)> {
  template <size_t... I>
  static void each(unsigned threads, void **arguments, std::index_sequence<I...>) {
    for (unsigned i = 0; i < threads; ++i)
      Thread(i, *static_cast<Parameters *>(arguments[I])...);
  }
  static void run(const unsigned *grid, const unsigned *block, void **arguments) {
    each(grid[0] * block[0], arguments, std::index_sequence_for<Parameters...>());
  }
  /// False on a real device, where nobody asks for it.
  static bool define(const void *kernel) {
    static const size_t bytes[] = {sizeof(Parameters)..., 0};
    auto define = reinterpret_cast<Define>(dlsym(RTLD_DEFAULT, "gpuinstr_simulator_define_kernel"));
    if (define)
      define(kernel, nullptr, run, sizeof...(Parameters), bytes);
    return define != nullptr;
  }
};

} // namespace simulated

/// Lets `kernel` run on the simulated device: `thread` is its work for global thread i of a
/// one-dimensional grid, with the kernel's parameters behind i.
#define SIMULATED(kernel, thread)                                                                  \
  static const bool kernel##IsSimulated =                                                          \
      simulated::Kernel<thread, decltype(&thread)>::define((const void *)kernel);
