// The hash kernels' machine code, as built into the runtime.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_HASH_DEVICECODE_H
#define GPUINSTR_AUDIT_HASH_DEVICECODE_H

#include <cstddef>

namespace gpuinstr::audit {

/// For cuModuleLoadData: a fat binary when the build had ptxas, else PTX with a zero behind it,
/// which the driver compiles at first use. Holds the kernels of HashKernel.
const void *deviceCode();
size_t deviceCodeBytes();

} // namespace gpuinstr::audit

#endif
