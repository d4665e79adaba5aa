// The heap of kernel code: malloc and free on the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace gpuinstr::sim {

/// Null when \p bytes do not fit into what is left of \p limit (CU_LIMIT_MALLOC_HEAP_SIZE). Aligned
/// to 16 bytes. Lives until it is freed by kernel code, beyond its launch, too.
void *deviceHeapAlloc(size_t bytes, size_t limit);
void deviceHeapFree(void *block);

} // namespace gpuinstr::sim
