// NVTX ranges: domain gpuinstr, one registered string per site.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_NVTX_NVTX_H
#define GPUINSTR_NVTX_NVTX_H

#include "calls/CallHooks.h"

namespace gpuinstr {

/// At the process's first CUDA call, and not again in a forked child. Loads a tool only where the
/// environment names one.
void startNvtx();

void nvtxPop();
void nvtxPushName(const char *name);

/// Says why NVTX is off although a tool is named.
class Part;
Part &nvtxPart();

} // namespace gpuinstr

#endif
