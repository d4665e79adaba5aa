// NVTX ranges: domain gpuinstr, one registered string per site.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_NVTX_NVTX_H
#define GPUINSTR_NVTX_NVTX_H

#include "calls/sites/Sites.h"
#include <string>

namespace gpuinstr {

/// Whether a tool listens. Without one a call costs the test of this word.
extern bool NvtxActive;

/// Once, at the process's first CUDA call. Loads a tool only where the environment names one.
void startNvtx();
/// Why NVTX is off although a tool is named; "" otherwise.
std::string nvtxNote();

/// A range with the site's name; payload: bytes; category: the operation's kind.
void nvtxPush(SiteIndex site, const gpuinstr_frame &frame);
void nvtxPop();
void nvtxPushName(const char *name);

} // namespace gpuinstr

#endif
