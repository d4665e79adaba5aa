// Modules, functions and global variables; fat binaries are kept, not read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

// A CUkernel handle is the address of the CUfunction it stands for, and one: the driver takes
// either for launches, but tells them apart where it is asked for a function's name or parameters.
// A CUlibrary handle is the address of its CUmodule.
inline CUfunction toFunction(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(reinterpret_cast<uintptr_t>(kernel) & ~uintptr_t(1));
}
inline CUkernel toKernel(CUfunction function) {
  return function ? reinterpret_cast<CUkernel>(reinterpret_cast<uintptr_t>(function) | 1) : nullptr;
}
/// Of what a launch was given: a function or a kernel.
inline CUfunction launched(CUfunction either) {
  return toFunction(reinterpret_cast<CUkernel>(either));
}
inline CUmodule toModule(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }
inline CUlibrary toLibrary(CUmodule module) { return reinterpret_cast<CUlibrary>(module); }

/// \p context null: a library, which no context owns. CUDA_ERROR_INVALID_IMAGE when the bytes are
/// neither a fat binary, a cubin nor PTX.
CUresult loadModule(CUcontext context, const void *image, CUmodule *out);
/// Reads the file and keeps its bytes. CUDA_ERROR_FILE_NOT_FOUND when it cannot be read.
CUresult loadModuleFile(CUcontext context, const char *path, CUmodule *out);
CUresult unloadModule(CUmodule module);
bool isModule(CUmodule module);
bool isFunction(CUfunction function);
/// CUDA_ERROR_NOT_FOUND when the image is readable (PTX) and has no such kernel; kernels in fat
/// binaries and cubins are taken on trust.
CUresult getFunction(CUmodule module, const char *name, CUfunction *out);
/// Variables of PTX texts alone. They live as long as the process; a library's, which has no
/// context of its own, in the current one.
CUresult getGlobal(CUcontext current, CUmodule module, const char *name, CUdeviceptr *address,
                   size_t *bytes);
CUresult functionCount(CUmodule module, unsigned *count);
CUresult enumerateFunctions(CUmodule module, unsigned count, CUfunction *out);

/// A function of a registered fat binary (runtime API).
CUfunction registerFunction(CUmodule module, const char *name, const void *hostSymbol);
/// A module of the runtime API: no context owns it and its image is not checked.
CUmodule registerModule(const void *fatBinary);

CUresult functionAttribute(CUfunction function, CUfunction_attribute attribute, int *value);
CUresult setFunctionAttribute(CUfunction function, CUfunction_attribute attribute, int value);

} // namespace gpuinstr::sim
