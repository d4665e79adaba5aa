// The letters for flags in CudaApi.def. For one source file: a using directive makes them its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_API_CUDAAPIFLAGS_H
#define GPUINSTR_PLUGIN_API_CUDAAPIFLAGS_H

#include "gpuinstr/abi.h"
#include <cstdint>

namespace gpuinstr::apiflags {

enum : uint32_t {
  A = GPUINSTR_SITE_ASYNC,
  E = GPUINSTR_SITE_CUDA_ERROR,
  U = GPUINSTR_SITE_CU_RESULT | GPUINSTR_SITE_DRIVER,
  S = GPUINSTR_SITE_STATUS,
  DEVDST = GPUINSTR_SITE_DEVICE_DST,
  DEVSRC = GPUINSTR_SITE_DEVICE_SRC,
  HD = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_HOST_SRC,
  DH = GPUINSTR_SITE_HOST_DST | GPUINSTR_SITE_DEVICE_SRC,
  DD = GPUINSTR_SITE_DEVICE_DST | GPUINSTR_SITE_DEVICE_SRC,
};

} // namespace gpuinstr::apiflags

#endif
