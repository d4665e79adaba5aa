// Between the runtime API's node parameters and the operations of the simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "cudart/graph/NodeWork.h"

#include "cudart/kernel/LaunchParams.h"
#include "cudart/kernel/Registry.h"
#include "cudart/memory/CopyParams.h"
#include "device/kernel/KernelCode.h"

namespace gpuinstr::sim {

NodeWork kernelWork(const cudaKernelNodeParams *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  KernelOp kernel = kernelOp(p->func, p->gridDim, p->blockDim, p->kernelParams, p->sharedMemBytes);
  kernel.params.extra = p->extra;
  if (!kernel.params.func)
    return toResult(cudaErrorInvalidDeviceFunction);
  keepArguments(kernel);
  return kernel;
}

NodeWork copyWork(const cudaMemcpy3DParms *p) {
  CopyOp copy;
  if (cudaError_t e = p ? toDriverCopy(*p, copy.params) : cudaErrorInvalidValue)
    return toResult(e);
  return copy;
}

NodeWork copyWork1D(void *dst, const void *src, size_t bytes, cudaMemcpyKind kind) {
  CUmemorytype to, from;
  if (!memoryTypes(kind, to, from))
    return toResult(cudaErrorInvalidMemcpyDirection);
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  return CopyOp{linearCopy(to, dst, from, src, bytes), nullptr};
}

NodeWork setWork(const cudaMemsetParams *p) {
  if (!p || !p->width || !p->height)
    return CUDA_ERROR_INVALID_VALUE;
  SetOp set;
  set.params = {toAddress(p->dst), p->pitch, p->value, p->elementSize, p->width, p->height};
  return set;
}

NodeWork hostWork(const cudaHostNodeParams *p) {
  if (!p || !p->fn)
    return CUDA_ERROR_INVALID_VALUE;
  HostOp host;
  host.params = {p->fn, p->userData};
  return host;
}

NodeWork allocWork(cudaMemAllocNodeParams *p) {
  static_assert(sizeof(*p) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "the APIs share this structure");
  if (!p || !p->bytesize || p->poolProps.location.type != cudaMemLocationTypeDevice)
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  int ordinal = p->poolProps.location.id;
  if (!isDevice(s, ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  CUdeviceptr address = s.devices[ordinal]->memory.allocate(p->bytesize);
  if (!address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  p->dptr = reinterpret_cast<void *>(address);
  return AllocOp{
      std::make_shared<GraphMemory>(address, &s.devices[ordinal]->primary,
                                    reinterpret_cast<const CUDA_MEM_ALLOC_NODE_PARAMS &>(*p))};
}

NodeWork freeWork(void *address) {
  if (!address)
    return CUDA_ERROR_INVALID_VALUE;
  return FreeOp{toAddress(address), nullptr};
}

NodeWork symbolWork(CUcontext c, bool to, const void *symbol, const void *other, size_t bytes,
                    size_t offset, cudaMemcpyKind kind) {
  void *address = nullptr;
  size_t size = 0;
  if (cudaError_t e = symbolMemory(c, symbol, &address, &size))
    return toResult(e);
  if (offset > size || bytes > size - offset)
    return CUDA_ERROR_INVALID_VALUE;
  char *inside = static_cast<char *>(address) + offset;
  return to ? copyWork1D(inside, other, bytes, kind)
            : copyWork1D(const_cast<void *>(other), inside, bytes, kind);
}

NodeWork genericWork(cudaGraphNodeParams *p) {
  if (!p)
    return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case cudaGraphNodeTypeKernel: {
    cudaKernelNodeParams k = {p->kernel.func,           p->kernel.gridDim,      p->kernel.blockDim,
                              p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
    return kernelWork(&k);
  }
  case cudaGraphNodeTypeMemcpy:
    return copyWork(&p->memcpy.copyParams);
  case cudaGraphNodeTypeMemset: {
    cudaMemsetParams m = {p->memset.dst,         p->memset.pitch, p->memset.value,
                          p->memset.elementSize, p->memset.width, p->memset.height};
    return setWork(&m);
  }
  case cudaGraphNodeTypeHost: {
    cudaHostNodeParams h = {p->host.fn, p->host.userData};
    return hostWork(&h);
  }
  case cudaGraphNodeTypeGraph:
    return childWork(p->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return EmptyOp{};
  case cudaGraphNodeTypeWaitEvent:
    return WaitOp{p->eventWait.event};
  case cudaGraphNodeTypeEventRecord:
    return RecordOp{p->eventRecord.event, nullptr};
  case cudaGraphNodeTypeMemAlloc:
    static_assert(sizeof(cudaMemAllocNodeParamsV2) == sizeof(cudaMemAllocNodeParams), "");
    return allocWork(reinterpret_cast<cudaMemAllocNodeParams *>(&p->alloc));
  case cudaGraphNodeTypeMemFree:
    return FreeOp{toAddress(p->free.dptr), nullptr};
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

} // namespace gpuinstr::sim
