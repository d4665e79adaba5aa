// Linked with an older object: that one's function table is smaller than this one's.
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

__attribute__((constructor)) static void early() {
  static void *d_new;
  nvtxRangePushA("early");
  (void)cudaMalloc(&d_new, 100);
  nvtxRangePop();
  (void)cudaFree(d_new);
}
