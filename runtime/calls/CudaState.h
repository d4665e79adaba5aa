// What happened in this process as a whole.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CUDASTATE_H
#define GPUINSTR_CALLS_CUDASTATE_H

#include "calls/sites/Sites.h"

namespace gpuinstr {

struct ThreadState;

/// A site that calls CUDA ran (for the first time on a thread). The first of all is kept.
void noteCudaCall(SiteIndex site);
bool cudaUsed();
SiteIndex firstCudaSite();

/// After the first successful call: finds the driver, and arranges what must run while CUDA is
/// still alive. Calls that need no device may succeed for ever without one: it asks ever less
/// often, but after each slow call.
void noteSuccess(ThreadState &thread, const gpuinstr_site &site);

class Part;
Part &cudaStatePart();

} // namespace gpuinstr

#endif
