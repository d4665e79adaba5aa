// CUDA's functions by name, as plugin/api/CudaApi.def has them.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_CUDAFUNCTIONS_H
#define GPUINSTR_CALLS_SITES_CUDAFUNCTIONS_H

#include <cstdint>

namespace gpuinstr {

/// cuda or cu and then an upper-case letter: cuda_foo and cudart are the program's own.
bool isCudaName(const char *name);
/// One of those that may write memory, do work, take memory or tell of errors: all but the harmless
/// ones of OtherApi.def. Or a vendor library's.
bool isCudaWork(const char *name);
/// Of these, one that may run kernels or keep a stream waiting, and one that hands such functions
/// out.
bool runsKernels(const char *name);
/// The loader's, by which code gets functions that it does not name to the linker.
bool isLookUp(const char *name);
/// A function of the CUDA runtime or a vendor's library that is linked in, or one inside it, by the
/// name in a table of symbols.
bool isOfNvidia(const char *name);
/// The runtime's function of that number in RuntimeNames.def; nullptr: one of a newer list.
const char *runtimeFunction(uint32_t number);

} // namespace gpuinstr

#endif
