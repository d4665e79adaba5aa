/* Asks for the last error, without instrumentation.
   SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>

int failedBefore(void) { return cudaGetLastError() != cudaSuccess; }
