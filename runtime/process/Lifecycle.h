// The start of the runtime, and the modules that come and go.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROCESS_LIFECYCLE_H
#define GPUINSTR_PROCESS_LIFECYCLE_H

#include "gpuinstr/abi.h"
#include <cstdint>

namespace gpuinstr {

/// Once per process, from the first gpuinstr_connect. `beforeLoadNs`: see abi.h.
void startRuntime(uint64_t beforeLoadNs);

/// Entries of gpuinstr_table.
void registerModule(gpuinstr_module *module);
void unregisterModule(gpuinstr_module *module);

} // namespace gpuinstr

#endif
