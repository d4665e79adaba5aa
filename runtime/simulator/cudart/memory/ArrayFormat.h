// Between the two APIs' descriptions of array elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cudart/RuntimeCall.h"

namespace gpuinstr::sim {

/// False for formats that no array has.
bool toDriverFormat(const cudaChannelFormatDesc &Desc, CUarray_format &Format, unsigned &Channels);
cudaChannelFormatDesc toRuntimeFormat(CUarray_format Format, unsigned Channels);

} // namespace gpuinstr::sim
