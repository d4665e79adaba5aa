// Allocations, frees and copies: keeps the ledger and finds their misuse.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_MEMORY_MEMORYOBSERVER_H
#define GPUINSTR_MEMORY_MEMORYOBSERVER_H

#include "calls/Observer.h"

namespace gpuinstr {

/// ALLOC, FREE, CREATE, DESTROY, EXPORT, RESET_DEVICE.
void addMemoryObserver();
/// LIBRARY calls that create or destroy a handle.
void addVendorHandleObserver();
/// COPY*, SET*: bounds and use after free, judged before the driver is called.
void addBoundsObserver();
/// Copies and sets so far whose memory on the device no instrumented code allocated.
uint64_t foreignOperations();
void forgetForeignOperations();

} // namespace gpuinstr

#endif
