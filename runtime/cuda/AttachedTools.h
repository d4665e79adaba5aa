// Who else is looking at the process: profilers, sanitizers, debuggers.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_ATTACHEDTOOLS_H
#define GPUINSTR_CUDA_ATTACHEDTOOLS_H

#include <string>

namespace gpuinstr::cuda {

/// The profiler, sanitizer or debugger that is attached; "" none. By environment and loaded
/// libraries.
std::string attachedTool();

/// While gpuinstr itself uses CUPTI, its library is no sign of another tool.
void setCuptiIsOurs(bool ours);

} // namespace gpuinstr::cuda

#endif
