// Loaded modules: what each does of CUDA's, and which vendor libraries are there.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CODE_IMAGES_H
#define GPUINSTR_CALLS_CODE_IMAGES_H

#include "calls/sites/Sites.h"
#include <cstdint>
#include <mutex>
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

/// The same with imagesMutex() held.
std::vector<LoadedImage> listImages();
/// Guards what is kept of modules; taken behind the auditor's lock, before that of the registered
/// modules.
std::mutex &imagesMutex();

/// Of the module that libgpuinstr_attach.so registers once the driver tells it of every call.
constexpr const char *AttachedProducer = "gpuinstr attach";
/// One of the modules is that: whoever makes a call, it is seen.
bool allIsSeen(const std::vector<ModuleInfo> &modules);

/// How many were loaded and unloaded since the start.
struct ModuleChanges {
  unsigned long long added = 0, gone = 0;
};
ModuleChanges changesOfModules();
/// How many libraries went since the start: one that is not there any more was never asked about.
uint64_t librariesGone();

/// Whether the address lies in the executable, not in a library.
bool isInMainProgram(const void *address);

/// Where a loaded module lies.
struct ImagePlace {
  uint64_t begin = 0, end = 0;

  bool has(uint64_t address) const { return address >= begin && address < end; }
};
/// Of the module that the address lies in; empty where there is none.
ImagePlace placeOfImage(const void *address);
/// It lies in no library, or in one that is instrumented: Hooks.codeGoes tells when that goes.
bool staysOrIsSeenGoing(const void *address);

} // namespace gpuinstr

#endif
