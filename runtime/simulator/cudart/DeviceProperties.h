// The large structure that cudaGetDeviceProperties fills.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace gpuinstr::sim {

/// \p ordinal must be a device's.
cudaDeviceProp deviceProperties(int ordinal);

} // namespace gpuinstr::sim
