// Loaded modules: who uses CUDA without being instrumented, and which vendor libraries are there.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_IMAGES_H
#define GPUINSTR_CALLS_SITES_IMAGES_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr {

struct LoadedImage {
  std::string path;   ///< the executable's own for the main program
  bool usesCuda;      ///< wants functions of CUDA's, or has the runtime linked in
  std::string vendor; ///< "cuBLAS" ..., "" otherwise
};

std::vector<LoadedImage> loadedImages();

/// Of the module that libgpuinstr_attach.so registers once the driver tells it of every call.
constexpr const char *AttachedProducer = "gpuinstr attach";
/// Of those that it registers once a library that communicates has allocated: `source` is a part of
/// the library's path.
constexpr const char *CommunicatingProducer = "gpuinstr attach: communicates";

/// Of these, the ones that use CUDA and hold no instrumented code. Where the driver's calls are
/// watched, all but libraries that communicate are seen; NCCL and NVSHMEM, which frameworks load in
/// any case, once they allocate.
std::vector<std::string> unseenCudaUsers(const std::vector<LoadedImage> &images);

/// Whether code that is not instrumented may run kernels: then none of them is ever known to be
/// done. Asked anew when libraries come or go, or register.
bool unseenCodeUsesCuda();
/// How many libraries went since the start: one that is not there any more was never asked about.
uint64_t librariesGone();

/// Whether the address lies in the executable, not in a library.
bool isInMainProgram(const void *address);

} // namespace gpuinstr

#endif
