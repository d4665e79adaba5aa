// The transfers that transfer-pairs times, on both sides alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BENCH_TRANSFERPAIRS_H
#define GPUINSTR_BENCH_TRANSFERPAIRS_H

#include <cstddef>

/// One kind of transfer with its buffers, which stay from turn to turn.
struct Workload {
  void *host = nullptr, *device = nullptr, *result = nullptr, *work = nullptr;
  std::size_t bytes = 0;
  bool pinned = false;
};

/// Each returns a cudaError_t.
struct TransferSide {
  int (*make)(Workload &w, std::size_t bytes, bool pinned);
  int (*drop)(Workload &w);
  int (*uploads)(Workload &w, int count); ///< back to back; with pinned memory asynchronous
  int (*steps)(Workload &w, int count);   ///< upload, kernels, download, synchronize
  int (*rounds)(Workload &w, int count);  ///< kernel, blocking download of one number
};

/// transfer-side.cu, built without and with the plugin.
TransferSide plainTransfers();
TransferSide instrumentedTransfers();

#endif
