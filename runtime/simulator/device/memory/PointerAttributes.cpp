// What the driver knows about an address.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/PointerAttributes.h"

#include "device/memory/Allocations.h"
#include "device/stream/Stream.h"

#include <cstring>

namespace gpuinstr::sim {

namespace {

/// Key in Allocation::Advice for the last prefetch; no CUmem_advise has it.
constexpr int LastPrefetch = -1;

template <typename T> CUresult put(void *data, T value) {
  std::memcpy(data, &value, sizeof(T));
  return CUDA_SUCCESS;
}

CUresult answer(void *data, CUpointer_attribute attribute, CUdeviceptr address, CUdeviceptr base,
                const Allocation &a) {
  bool host = a.kind == AllocKind::Pinned || a.kind == AllocKind::Registered;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    // Stream-ordered and mapped memory belongs to a device, not to a context.
    return put(data, a.kind == AllocKind::Pool || a.kind == AllocKind::Mapped ? CUcontext(nullptr)
                                                                              : a.context);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put(data, static_cast<unsigned>(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return put(data, address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return a.hostVisible() ? put(data, address) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return put(data, a.syncMemops);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return put(data, a.id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return put(data, static_cast<unsigned>(a.isManaged()));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put(data, a.device);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return put(data, 0u);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return put(data, base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return put(data, a.size);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put(data, 1u);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put(data, uint64_t(0));
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return put(data, a.access);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(data, a.pool);
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return put(data, a.id);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Bytes that an attribute writes, for the zeroes of unknown addresses; 0 when it is unknown.
size_t attributeSize(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return 8;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return 4;
  default:
    return 0;
  }
}

/// The managed allocation that holds the whole range.
Allocation *managedRange(State &s, CUdeviceptr address, size_t bytes) {
  CUdeviceptr base = 0;
  Allocation *found = findAllocation(s, address, &base);
  if (!found || found->kind != AllocKind::Managed || bytes > base + found->size - address)
    return nullptr;
  return found;
}

bool validLocation(const State &s, const CUmemLocation &location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    return isDevice(s, location.id);
  return location.type == CU_MEM_LOCATION_TYPE_HOST ||
         location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
         location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

int place(const CUmemLocation &location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : CU_DEVICE_CPU;
}

} // namespace

bool pointerInfo(CUdeviceptr address, PointerInfo *out) {
  State &s = state();
  Lock l(s.m);
  CUdeviceptr base = 0;
  Allocation *found = findAllocation(s, address, &base);
  if (!found)
    return false;
  *out = {found->isManaged() ? AllocKind::Managed : found->kind, base, found->size, found->device,
          found->flags};
  return true;
}

CUresult addressRange(CUdeviceptr address, CUdeviceptr *base, size_t *size) {
  State &s = state();
  Lock l(s.m);
  CUdeviceptr first = 0;
  Allocation *found = findAllocation(s, address, &first);
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = first;
  if (size)
    *size = found->size;
  return CUDA_SUCCESS;
}

CUresult pointerAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  State &s = state();
  Lock l(s.m);
  CUdeviceptr base = 0;
  Allocation *found = findAllocation(s, address, &base);
  if (!data || !found)
    return CUDA_ERROR_INVALID_VALUE;
  return answer(data, attribute, address, base, *found);
}

CUresult pointerAttributes(unsigned count, CUpointer_attribute *attributes, void **data,
                           CUdeviceptr address) {
  if (!count || !attributes || !data)
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  CUdeviceptr base = 0;
  Allocation *found = findAllocation(s, address, &base);
  for (unsigned i = 0; i < count; ++i) {
    size_t bytes = attributeSize(attributes[i]);
    if (!bytes || !data[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (found && answer(data[i], attributes[i], address, base, *found) == CUDA_SUCCESS)
      continue;
    std::memset(data[i], 0, bytes);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      put(data[i], -2);
  }
  return CUDA_SUCCESS;
}

CUresult setPointerAttribute(const void *value, CUpointer_attribute attribute,
                             CUdeviceptr address) {
  State &s = state();
  Lock l(s.m);
  Allocation *found = findAllocation(s, address);
  if (!value || !found || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&found->syncMemops, value, sizeof(found->syncMemops));
  return CUDA_SUCCESS;
}

CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  State &s = state();
  Lock l(s.m);
  Allocation *range = managedRange(s, address, bytes);
  if (!range || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  switch (advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY:
    range->advice[CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY] = 1;
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    range->advice.erase(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY);
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
    range->advice.erase(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION);
    return CUDA_SUCCESS;
  default:
    break;
  }
  if (!validLocation(s, location))
    return CUDA_ERROR_INVALID_VALUE;
  switch (advice) {
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    range->advice[CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION] = place(location);
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_SET_ACCESSED_BY:
    range->advice[CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY] = place(location);
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
    range->advice.erase(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult rangeAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute,
                        CUdeviceptr address, size_t bytes) {
  State &s = state();
  Lock l(s.m);
  Allocation *range = managedRange(s, address, bytes);
  if (!data || !range || !bytes || dataSize < sizeof(int) || dataSize % sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  bool readMostly = attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  int key = attribute;
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)
    key = LastPrefetch;
  else if (!readMostly && attribute != CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION &&
           attribute != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = range->advice.find(key);
  int unset = readMostly ? 0 : CU_DEVICE_INVALID;
  auto *out = static_cast<int *>(data);
  std::fill_n(out, dataSize / sizeof(int), CU_DEVICE_INVALID);
  out[0] = found == range->advice.end() ? unset : found->second;
  return CUDA_SUCCESS;
}

CUresult prefetch(CUcontext context, CUdeviceptr address, size_t bytes, CUmemLocation location,
                  CUstream stream) {
  State &s = state();
  {
    Lock l(s.m);
    Allocation *range = managedRange(s, address, bytes);
    if (!range || !bytes)
      return CUDA_ERROR_INVALID_VALUE;
    if (!validLocation(s, location))
      return CUDA_ERROR_INVALID_DEVICE;
    range->advice[LastPrefetch] = place(location);
  }
  return enqueue(context, stream, EmptyOp{}, /*Wait=*/false);
}

} // namespace gpuinstr::sim
