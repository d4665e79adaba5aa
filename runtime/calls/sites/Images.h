// Loaded modules: who uses CUDA without being instrumented, and which vendor libraries are there.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_IMAGES_H
#define GPUINSTR_CALLS_SITES_IMAGES_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

/// What code does that was not compiled with the plugin: nothing of CUDA's; it may move, take and
/// free memory, or ask for errors; it may run kernels, which may wait for the host.
enum class UnseenCode : uint8_t { None, Uses, Runs };

struct LoadedImage {
  std::string path; ///< the executable's own for the main program
  /// Of one that is not instrumented: by the functions of CUDA's that it wants, or may look up.
  UnseenCode does = UnseenCode::None;
  std::string vendor; ///< "cuBLAS" ..., "" otherwise
  /// Of an instrumented image: what objects without instrumentation call of CUDA's, and
  /// ModuleInfo::image.
  std::vector<std::string> unseenCalls;
  std::string registeredAs;
  bool isTrusted = false; ///< option trust
};

std::vector<LoadedImage> loadedImages();

/// Of the module that libgpuinstr_attach.so registers once the driver tells it of every call.
constexpr const char *AttachedProducer = "gpuinstr attach";
/// Of those that it registers once a library that communicates has allocated: `source` is a part of
/// the library's path.
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
/// How many libraries went since the start: one that is not there any more was never asked about.
uint64_t librariesGone();

/// Whether the address lies in the executable, not in a library.
bool isInMainProgram(const void *address);

} // namespace gpuinstr

#endif
