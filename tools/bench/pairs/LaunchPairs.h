// The loops that launch-pairs times, on both sides alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BENCH_LAUNCHPAIRS_H
#define GPUINSTR_BENCH_LAUNCHPAIRS_H

#include <cstddef>

/// Each does its work, waits for the device and returns a cudaError_t.
struct Side {
  int (*launches)(int count);                  ///< of an empty kernel
  int (*steps)(int count);                     ///< of one that gets two pointers
  int (*threads)(int threads, int count);      ///< each that many launches, all at once
  int (*allocations)(int count);               ///< cudaMalloc + cudaFree of 1 MiB
  int (*copies)(int count, std::size_t bytes); ///< cudaMemcpyAsync from pinned memory
  /// That many launches, captured by hundreds; each capture updates the graph, which is launched
  /// and waited for.
  int (*captures)(int count);
};

/// launch-side.cu, built without and with the plugin.
Side plain();
Side instrumented();

#endif
