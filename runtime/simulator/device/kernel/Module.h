// Modules, functions and global variables; fat binaries are kept, not read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/state/SimulatorState.h"

namespace gpuinstr::sim {

// A CUkernel handle is the address of the CUfunction it stands for, and a CUlibrary handle the
// address of its CUmodule: launches may then be given either, as the driver documents.
inline CUfunction toFunction(CUkernel Kernel) { return reinterpret_cast<CUfunction>(Kernel); }
inline CUkernel toKernel(CUfunction Function) { return reinterpret_cast<CUkernel>(Function); }
inline CUmodule toModule(CUlibrary Library) { return reinterpret_cast<CUmodule>(Library); }
inline CUlibrary toLibrary(CUmodule Module) { return reinterpret_cast<CUlibrary>(Module); }

/// \p Context null: a library, which no context owns. CUDA_ERROR_INVALID_IMAGE when the bytes are
/// neither a fat binary, a cubin nor PTX.
CUresult loadModule(CUcontext Context, const void *Image, CUmodule *Out);
/// Reads the file and keeps its bytes. CUDA_ERROR_FILE_NOT_FOUND when it cannot be read.
CUresult loadModuleFile(CUcontext Context, const char *Path, CUmodule *Out);
CUresult unloadModule(CUmodule Module);
bool isModule(CUmodule Module);
bool isFunction(CUfunction Function);
/// CUDA_ERROR_NOT_FOUND when the image is readable (PTX) and has no such kernel; kernels in fat
/// binaries and cubins are taken on trust.
CUresult getFunction(CUmodule Module, const char *Name, CUfunction *Out);
CUresult functionCount(CUmodule Module, unsigned *Count);
CUresult enumerateFunctions(CUmodule Module, unsigned Count, CUfunction *Out);

/// A function of a registered fat binary (runtime API).
CUfunction registerFunction(CUmodule Module, const char *Name, const void *HostSymbol);
/// A module of the runtime API: no context owns it and its image is not checked.
CUmodule registerModule(const void *FatBinary);

CUresult functionAttribute(CUfunction Function, CUfunction_attribute Attribute, int *Value);
CUresult setFunctionAttribute(CUfunction Function, CUfunction_attribute Attribute, int Value);

} // namespace gpuinstr::sim
