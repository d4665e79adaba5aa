// Which memory does not leave its function by the result, whatever else the function returns.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PLUGIN_IR_LOCALMEMORY_H
#define GPUINSTR_PLUGIN_IR_LOCALMEMORY_H

#include "ir/SitePlanner.h"

namespace gpuinstr {

/// Flags with GPUINSTR_SITE_LOCAL what makes memory or a handle, and lines that receive some, where
/// the function returns a pointer or an object that it cannot be in. A host array that is computed
/// through device memory is no name for that memory.
void markLocalMemory(const std::vector<PlannedFunction> &Planned, ModuleView &View,
                     DescriptorEmitter &Sites);

} // namespace gpuinstr

#endif
