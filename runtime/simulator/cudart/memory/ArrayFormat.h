// Between the two APIs' descriptions of array elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

/// False for formats that no array has.
bool toDriverFormat(const cudaChannelFormatDesc &desc, CUarray_format &format, unsigned &channels);
cudaChannelFormatDesc toRuntimeFormat(CUarray_format format, unsigned channels);

} // namespace gpuinstr::sim
