// Who else is looking at the process: a profiler, sanitizer or debugger.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_ATTACHEDTOOL_H
#define GPUINSTR_CUDA_ATTACHEDTOOL_H

#include <string>

namespace gpuinstr {

/// The profiler, sanitizer or debugger that is attached; "" none. By environment and loaded
/// libraries. `cuptiIsOurs`: the runtime itself uses CUPTI, which then says nothing.
std::string attachedTool(bool cuptiIsOurs);

} // namespace gpuinstr

#endif
