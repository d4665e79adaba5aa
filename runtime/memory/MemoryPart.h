// Memory as a part of the process: allocations, leaks, bounds, custom pools.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_MEMORY_MEMORYPART_H
#define GPUINSTR_MEMORY_MEMORYPART_H

#include "base/Part.h"

namespace gpuinstr {

Part &memoryPart();

} // namespace gpuinstr

#endif
