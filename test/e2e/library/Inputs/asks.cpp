// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

extern "C" int foreignAsks() { return cudaGetLastError(); }
