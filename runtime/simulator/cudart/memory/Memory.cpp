// Allocation and release.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Allocations.h"

#include "cudart/RuntimeCall.h"
#include "device/memory/MemoryPool.h"

using namespace gpuinstr::sim;

namespace {

/// The address written as the pointer the caller passed; zeroed when the call fails.
template <typename F> CUresult allocateInto(void **Out, size_t Bytes, F &&Allocate) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!Bytes) {
    *Out = nullptr;
    return CUDA_SUCCESS;
  }
  CUdeviceptr Address = 0;
  CUresult R = Allocate(&Address);
  if (!R)
    *Out = reinterpret_cast<void *>(Address);
  return R;
}

} // namespace

extern "C" {

cudaError_t CUDARTAPI cudaMalloc(void **Out, size_t Bytes) {
  return deviceCall(__func__, [&](CUcontext C) {
    return allocateInto(Out, Bytes, [&](CUdeviceptr *P) { return allocateDevice(C, Bytes, P); });
  });
}

cudaError_t CUDARTAPI cudaMallocAsync(void **Out, size_t Bytes, cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    return allocateInto(
        Out, Bytes, [&](CUdeviceptr *P) { return allocateAsync(C, Bytes, nullptr, Stream, P); });
  });
}

cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void **Out, size_t Bytes, cudaMemPool_t Pool,
                                              cudaStream_t Stream) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Pool)
      return CUDA_ERROR_INVALID_VALUE;
    return allocateInto(Out, Bytes,
                        [&](CUdeviceptr *P) { return allocateAsync(C, Bytes, Pool, Stream, P); });
  });
}

cudaError_t CUDARTAPI cudaMallocPitch(void **Out, size_t *Pitch, size_t Width, size_t Height) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Pitch)
      return CUDA_ERROR_INVALID_VALUE;
    if (!Width || !Height)
      *Pitch = 0;
    return allocateInto(Out, Width && Height, [&](CUdeviceptr *P) {
      return allocatePitched(C, Width, Height, P, Pitch);
    });
  });
}

cudaError_t CUDARTAPI cudaMalloc3D(cudaPitchedPtr *Out, cudaExtent Extent) {
  return deviceCall(__func__, [&](CUcontext C) {
    if (!Out)
      return CUDA_ERROR_INVALID_VALUE;
    cudaPitchedPtr Made = {nullptr, 0, Extent.width, Extent.height};
    size_t Rows = 0;
    if (__builtin_mul_overflow(Extent.height, Extent.depth, &Rows))
      return CUDA_ERROR_INVALID_VALUE;
    CUresult R = allocateInto(&Made.ptr, Extent.width && Rows, [&](CUdeviceptr *P) {
      return allocatePitched(C, Extent.width, Rows, P, &Made.pitch);
    });
    if (!R)
      *Out = Made;
    return R;
  });
}

cudaError_t CUDARTAPI cudaMallocManaged(void **Out, size_t Bytes, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) {
    return allocateInto(Out, Bytes,
                        [&](CUdeviceptr *P) { return allocateManaged(C, Bytes, Flags, P); });
  });
}

cudaError_t CUDARTAPI cudaHostAlloc(void **Out, size_t Bytes, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) {
    return allocateInto(Out, Bytes, [&](CUdeviceptr *P) {
      return allocatePinned(C, Bytes, Flags, reinterpret_cast<void **>(P));
    });
  });
}

cudaError_t CUDARTAPI cudaMallocHost(void **Out, size_t Bytes) {
  return deviceCall(__func__, [&](CUcontext C) {
    return allocateInto(Out, Bytes, [&](CUdeviceptr *P) {
      return allocatePinned(C, Bytes, 0, reinterpret_cast<void **>(P));
    });
  });
}

cudaError_t CUDARTAPI cudaFree(void *Address) {
  return deviceCall(__func__, [&](CUcontext C) { return freeDevice(C, toAddress(Address)); });
}

cudaError_t CUDARTAPI cudaFreeAsync(void *Address, cudaStream_t Stream) {
  return deviceCall(__func__,
                    [&](CUcontext C) { return freeAsync(C, toAddress(Address), Stream); });
}

cudaError_t CUDARTAPI cudaFreeHost(void *Address) {
  return deviceCall(__func__, [&](CUcontext C) { return freePinned(C, Address); });
}

cudaError_t CUDARTAPI cudaHostRegister(void *Address, size_t Bytes, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext C) { return registerHost(C, Address, Bytes, Flags); });
}

cudaError_t CUDARTAPI cudaHostUnregister(void *Address) {
  return deviceCall(__func__, [&](CUcontext) { return unregisterHost(Address); });
}

cudaError_t CUDARTAPI cudaHostGetDevicePointer(void **Out, void *Host, unsigned Flags) {
  return deviceCall(__func__, [&](CUcontext) {
    CUdeviceptr Address = 0;
    if (!Out || Flags)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult R = hostDevicePointer(Host, &Address);
    *Out = R ? nullptr : reinterpret_cast<void *>(Address);
    return R;
  });
}

cudaError_t CUDARTAPI cudaHostGetFlags(unsigned *Flags, void *Host) {
  return deviceCall(__func__, [&](CUcontext) { return hostFlags(Host, Flags); });
}

cudaError_t CUDARTAPI cudaMemGetInfo(size_t *Free, size_t *Total) {
  return deviceCall(__func__, [&](CUcontext C) { return memoryInfo(C, Free, Total); });
}

} // extern "C"
