// A device and kernels for programs of the driver API, on a GPU and on the simulated device, which
// runs no PTX. SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TEST_ATTACH_INPUTS_KERNELS_H
#define GPUINSTR_TEST_ATTACH_INPUTS_KERNELS_H

#include <cstddef>
#include <cuda.h>
#include <dlfcn.h>

/// What the simulated device runs in place of the PTX: block, thread, arguments.
using Kernel = void (*)(const unsigned *, const unsigned *, void **);
#define PTX_HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

inline void nothing(const unsigned *, const unsigned *, void **) {}

/// Each gives the first error.
inline CUresult useFirstDevice(CUcontext &context) {
  CUdevice device;
  CUresult result = cuInit(0);
  if (result == CUDA_SUCCESS)
    result = cuDeviceGet(&device, 0);
  if (result == CUDA_SUCCESS)
    result = cuDevicePrimaryCtxRetain(&context, device);
  return result == CUDA_SUCCESS ? cuCtxSetCurrent(context) : result;
}
/// `sizes`: of the parameters; used as long as the kernel is.
inline CUresult findKernel(CUmodule module, CUfunction &function, const char *name, Kernel kernel,
                           unsigned count, const size_t *sizes) {
  using Define = void (*)(const void *, const char *, Kernel, unsigned, const size_t *);
  if (auto define =
          reinterpret_cast<Define>(dlsym(RTLD_DEFAULT, "gpuinstr_simulator_define_kernel")))
    define(nullptr, name, kernel, count, sizes);
  return cuModuleGetFunction(&function, module, name);
}

#endif
