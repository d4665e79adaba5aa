// Allocation and release.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Allocations.h"

#include "cudart/RuntimeCall.h"
#include "device/memory/MemoryPool.h"

using namespace gpuinstr::sim;

namespace {

/// The address written as the pointer the caller passed; zeroed when the call fails.
template <typename F> CUresult allocateInto(void **out, size_t bytes, F &&allocate) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!bytes) {
    *out = nullptr;
    return CUDA_SUCCESS;
  }
  CUdeviceptr address = 0;
  CUresult r = allocate(&address);
  if (!r)
    *out = reinterpret_cast<void *>(address);
  return r;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMalloc(void **out, size_t bytes) {
  return deviceCall(__func__, [&](CUcontext c) {
    return allocateInto(out, bytes, [&](CUdeviceptr *p) { return allocateDevice(c, bytes, p); });
  });
}

cudaError_t CUDARTAPI cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    return allocateInto(
        out, bytes, [&](CUdeviceptr *p) { return allocateAsync(c, bytes, nullptr, stream, p); });
  });
}

cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                              cudaStream_t stream) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!pool)
      return CUDA_ERROR_INVALID_VALUE;
    return allocateInto(out, bytes,
                        [&](CUdeviceptr *p) { return allocateAsync(c, bytes, pool, stream, p); });
  });
}

cudaError_t CUDARTAPI cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!pitch)
      return CUDA_ERROR_INVALID_VALUE;
    if (!width || !height)
      *pitch = 0;
    return allocateInto(out, width && height, [&](CUdeviceptr *p) {
      return allocatePitched(c, width, height, p, pitch);
    });
  });
}

cudaError_t CUDARTAPI cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent) {
  return deviceCall(__func__, [&](CUcontext c) {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    cudaPitchedPtr made = {nullptr, 0, extent.width, extent.height};
    size_t rows = 0;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
      return CUDA_ERROR_INVALID_VALUE;
    CUresult r = allocateInto(&made.ptr, extent.width && rows, [&](CUdeviceptr *p) {
      return allocatePitched(c, extent.width, rows, p, &made.pitch);
    });
    if (!r)
      *out = made;
    return r;
  });
}

cudaError_t CUDARTAPI cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) {
    return allocateInto(out, bytes,
                        [&](CUdeviceptr *p) { return allocateManaged(c, bytes, flags, p); });
  });
}

cudaError_t CUDARTAPI cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) {
    return allocateInto(out, bytes, [&](CUdeviceptr *p) {
      return allocatePinned(c, bytes, flags, reinterpret_cast<void **>(p));
    });
  });
}

cudaError_t CUDARTAPI cudaMallocHost(void **out, size_t bytes) {
  return deviceCall(__func__, [&](CUcontext c) {
    return allocateInto(out, bytes, [&](CUdeviceptr *p) {
      return allocatePinned(c, bytes, 0, reinterpret_cast<void **>(p));
    });
  });
}

cudaError_t CUDARTAPI cudaFree(void *address) {
  return deviceCall(__func__, [&](CUcontext c) { return freeDevice(c, toAddress(address)); });
}

cudaError_t CUDARTAPI cudaFreeAsync(void *address, cudaStream_t stream) {
  return deviceCall(__func__,
                    [&](CUcontext c) { return freeAsync(c, toAddress(address), stream); });
}

cudaError_t CUDARTAPI cudaFreeHost(void *address) {
  return deviceCall(__func__, [&](CUcontext c) { return freePinned(c, address); });
}

cudaError_t CUDARTAPI cudaHostRegister(void *address, size_t bytes, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext c) { return registerHost(c, address, bytes, flags); });
}

cudaError_t CUDARTAPI cudaHostUnregister(void *address) {
  return deviceCall(__func__, [&](CUcontext) { return unregisterHost(address); });
}

cudaError_t CUDARTAPI cudaHostGetDevicePointer(void **out, void *host, unsigned flags) {
  return deviceCall(__func__, [&](CUcontext) {
    CUdeviceptr address = 0;
    if (!out || flags)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult r = hostDevicePointer(host, &address);
    *out = r ? nullptr : reinterpret_cast<void *>(address);
    return r;
  });
}

cudaError_t CUDARTAPI cudaHostGetFlags(unsigned *flags, void *host) {
  return deviceCall(__func__, [&](CUcontext) { return hostFlags(host, flags); });
}

cudaError_t CUDARTAPI cudaMemGetInfo(size_t *free, size_t *total) {
  return deviceCall(__func__, [&](CUcontext c) { return memoryInfo(c, free, total); });
}

} // extern "C"
