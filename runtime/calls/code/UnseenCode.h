// Code that uses CUDA and was not compiled with the plugin.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CODE_UNSEENCODE_H
#define GPUINSTR_CALLS_CODE_UNSEENCODE_H

#include "calls/code/Images.h"

namespace gpuinstr {

class Part;

/// Of the modules that libgpuinstr_attach.so registers once a library that communicates has
/// allocated: `source` is a part of the library's path.
constexpr const char *CommunicatingProducer = "gpuinstr attach: communicates";

/// Of these, the ones that use CUDA and hold no instrumented code, or other
/// code beside it that uses CUDA; also ones that were met before and are closed. Where the driver's
/// calls are watched, all but libraries that communicate are seen; NCCL and NVSHMEM, which
/// frameworks load in any case, once they allocate.
std::vector<std::string> unseenCudaUsers(const std::vector<LoadedImage> &images);

/// Whether any code that is not instrumented uses CUDA, or calls of an attached program went unseen
/// (calls/budget/WatchWindows.h). Asked anew when libraries come or go, or register.
bool unseenCodeUsesCuda();
/// Whether it may run kernels, or keep streams waiting: then no work is ever known to be done.
bool unseenCodeRunsKernels();
/// Whether it may run kernels that nobody sees: none do in an attached program, whose launches that
/// went unseen count in their streams.
bool unseenCodeLaunches();
/// An attached program, of whose own code nothing is known but its calls of the driver.
bool isAttachedAlone();
/// Whether it may have waits of its own: code alone, for no wait of an attached program is unseen.
bool unseenCodeSynchronises();
/// How often it was looked for. The first time takes 0.3 ms and more, which the thread that writes
/// in the background spends while the program's first call brings CUDA up.
unsigned searchesForUnseenCode();

/// Its lock is that of the images.
Part &imagesPart();

} // namespace gpuinstr

#endif
