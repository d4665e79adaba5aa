// Which kernels each site launched.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_KERNELS_H
#define GPUINSTR_CALLS_SITES_KERNELS_H

#include "calls/threads/Thread.h"
#include <string>
#include <vector>

namespace gpuinstr {

/// Whether this thread has noted already that the outermost call's site launches the kernel.
bool isNotedKernel(const ThreadState &thread, uint64_t function);
/// A launch that is not noted.
void noteKernel(ThreadState &thread, const gpuinstr_frame &frame);
/// Threads find out anew what their sites launch, and when first.
void forgetNotedKernels();

/// Names in the order they came; sorted by nothing else. After so many that a list of them helps
/// nobody, the last is profile::OtherKernels.
std::vector<std::string> kernelsOf(SiteIndex site);

class Part;
Part &kernelsPart();

} // namespace gpuinstr

#endif
