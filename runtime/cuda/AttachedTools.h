// Who else is looking at the process: profilers, sanitizers, debuggers.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CUDA_ATTACHEDTOOLS_H
#define GPUINSTR_CUDA_ATTACHEDTOOLS_H

#include <string>

namespace gpuinstr::cuda {

/// A profiler, sanitizer or debugger.
struct AttachedTool {
  std::string name;       ///< "" none
  bool someCupti = false; ///< CUPTI is loaded, by whom is not known
};

/// By environment and loaded libraries.
AttachedTool attachedTool();

/// While gpuinstr itself uses CUPTI, its library is no sign of another tool.
void setCuptiIsOurs(bool ours);

} // namespace gpuinstr::cuda

#endif
