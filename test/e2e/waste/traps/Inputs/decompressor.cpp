// Stands in for the driver's decompression engine: it finds its addresses in the host's memory, and writes.
// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <string.h>

extern "C" CUresult cuMemBatchDecompressAsync(CUmemDecompressParams *params, size_t count, unsigned,
                                              size_t *, CUstream) {
  for (size_t i = 0; i < count; ++i)
    memcpy(params[i].dst, params[i].src, params[i].dstNumBytes);
  return CUDA_SUCCESS;
}
