// Allocations, frees and copies: keeps the ledger and finds their misuse.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CORE_MEMORY_H
#define GPUINSTR_CORE_MEMORY_H

#include "core/Observer.h"

namespace gpuinstr::core {

/// ALLOC, FREE, CREATE, DESTROY, EXPORT, RESET_DEVICE.
void addMemoryObserver();
/// COPY*, SET*: bounds and use after free, judged before the driver is called.
void addBoundsObserver();

} // namespace gpuinstr::core

#endif
