// The start of the runtime, and the modules that come and go.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_LIFECYCLE_H
#define GPUINSTR_PROCESS_LIFECYCLE_H

#include "gpuinstr/abi.h"
#include <cstdint>

namespace gpuinstr {

/// A sanitizer that takes what it has not compiled for faulty, where the C library is called from
/// there: MemorySanitizer knows of nothing that this library writes, ThreadSanitizer of no order
/// between its threads. The runtime is switched off beside it. Null: none, or this library was
/// built with it.
const char *strictSanitizer();

/// Once per process, from the first gpuinstr_connect. `beforeLoadNs`: see abi.h.
void startRuntime(uint64_t beforeLoadNs);

/// Entries of gpuinstr_table.
void registerModule(gpuinstr_module *module);
void unregisterModule(gpuinstr_module *module);

} // namespace gpuinstr

#endif
