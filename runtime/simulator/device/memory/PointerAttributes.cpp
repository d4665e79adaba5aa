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

template <typename T> CUresult put(void *Data, T Value) {
  std::memcpy(Data, &Value, sizeof(T));
  return CUDA_SUCCESS;
}

CUresult answer(void *Data, CUpointer_attribute Attribute, CUdeviceptr Address, CUdeviceptr Base,
                const Allocation &A) {
  bool Host = A.Kind == AllocKind::Pinned || A.Kind == AllocKind::Registered;
  switch (Attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    // Stream-ordered and mapped memory belongs to a device, not to a context.
    return put(Data, A.Kind == AllocKind::Pool || A.Kind == AllocKind::Mapped ? CUcontext(nullptr)
                                                                              : A.Context);
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put(Data, static_cast<unsigned>(Host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return put(Data, Address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    return A.hostVisible() ? put(Data, Address) : CUDA_ERROR_INVALID_VALUE;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return put(Data, A.SyncMemops);
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return put(Data, A.Id);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return put(Data, static_cast<unsigned>(A.Kind == AllocKind::Managed));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put(Data, A.Device);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    return put(Data, 0u);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    return put(Data, Base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    return put(Data, A.Size);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put(Data, 1u);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put(Data, uint64_t(0));
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return put(Data, A.Access);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(Data, A.Pool);
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    return put(Data, A.Id);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// Bytes that an attribute writes, for the zeroes of unknown addresses; 0 when it is unknown.
size_t attributeSize(CUpointer_attribute Attribute) {
  switch (Attribute) {
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
Allocation *managedRange(State &S, CUdeviceptr Address, size_t Bytes) {
  CUdeviceptr Base = 0;
  Allocation *Found = findAllocation(S, Address, &Base);
  if (!Found || Found->Kind != AllocKind::Managed || Bytes > Base + Found->Size - Address)
    return nullptr;
  return Found;
}

bool validLocation(const State &S, const CUmemLocation &Location) {
  if (Location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    return isDevice(S, Location.id);
  return Location.type == CU_MEM_LOCATION_TYPE_HOST ||
         Location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
         Location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

int place(const CUmemLocation &Location) {
  return Location.type == CU_MEM_LOCATION_TYPE_DEVICE ? Location.id : CU_DEVICE_CPU;
}

} // namespace

bool pointerInfo(CUdeviceptr Address, PointerInfo *Out) {
  State &S = state();
  Lock L(S.M);
  CUdeviceptr Base = 0;
  Allocation *Found = findAllocation(S, Address, &Base);
  if (!Found)
    return false;
  *Out = {Found->Kind, Base, Found->Size, Found->Device, Found->Flags};
  return true;
}

CUresult addressRange(CUdeviceptr Address, CUdeviceptr *Base, size_t *Size) {
  State &S = state();
  Lock L(S.M);
  CUdeviceptr First = 0;
  Allocation *Found = findAllocation(S, Address, &First);
  if (!Found)
    return CUDA_ERROR_NOT_FOUND;
  if (Base)
    *Base = First;
  if (Size)
    *Size = Found->Size;
  return CUDA_SUCCESS;
}

CUresult pointerAttribute(void *Data, CUpointer_attribute Attribute, CUdeviceptr Address) {
  State &S = state();
  Lock L(S.M);
  CUdeviceptr Base = 0;
  Allocation *Found = findAllocation(S, Address, &Base);
  if (!Data || !Found)
    return CUDA_ERROR_INVALID_VALUE;
  return answer(Data, Attribute, Address, Base, *Found);
}

CUresult pointerAttributes(unsigned Count, CUpointer_attribute *Attributes, void **Data,
                           CUdeviceptr Address) {
  if (!Count || !Attributes || !Data)
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  CUdeviceptr Base = 0;
  Allocation *Found = findAllocation(S, Address, &Base);
  for (unsigned I = 0; I < Count; ++I) {
    size_t Bytes = attributeSize(Attributes[I]);
    if (!Bytes || !Data[I])
      return CUDA_ERROR_INVALID_VALUE;
    if (Found && answer(Data[I], Attributes[I], Address, Base, *Found) == CUDA_SUCCESS)
      continue;
    std::memset(Data[I], 0, Bytes);
    if (Attributes[I] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
      put(Data[I], -2);
  }
  return CUDA_SUCCESS;
}

CUresult setPointerAttribute(const void *Value, CUpointer_attribute Attribute,
                             CUdeviceptr Address) {
  State &S = state();
  Lock L(S.M);
  Allocation *Found = findAllocation(S, Address);
  if (!Value || !Found || Attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&Found->SyncMemops, Value, sizeof(Found->SyncMemops));
  return CUDA_SUCCESS;
}

CUresult advise(CUdeviceptr Address, size_t Bytes, CUmem_advise Advice, CUmemLocation Location) {
  State &S = state();
  Lock L(S.M);
  Allocation *Range = managedRange(S, Address, Bytes);
  if (!Range || !Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  switch (Advice) {
  case CU_MEM_ADVISE_SET_READ_MOSTLY:
    Range->Advice[CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY] = 1;
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    Range->Advice.erase(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY);
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
    Range->Advice.erase(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION);
    return CUDA_SUCCESS;
  default:
    break;
  }
  if (!validLocation(S, Location))
    return CUDA_ERROR_INVALID_VALUE;
  switch (Advice) {
  case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
    Range->Advice[CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION] = place(Location);
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_SET_ACCESSED_BY:
    Range->Advice[CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY] = place(Location);
    return CUDA_SUCCESS;
  case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
    Range->Advice.erase(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult rangeAttribute(void *Data, size_t DataSize, CUmem_range_attribute Attribute,
                        CUdeviceptr Address, size_t Bytes) {
  State &S = state();
  Lock L(S.M);
  Allocation *Range = managedRange(S, Address, Bytes);
  if (!Data || !Range || !Bytes || DataSize < sizeof(int) || DataSize % sizeof(int))
    return CUDA_ERROR_INVALID_VALUE;
  bool ReadMostly = Attribute == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
  int Key = Attribute;
  if (Attribute == CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION)
    Key = LastPrefetch;
  else if (!ReadMostly && Attribute != CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION &&
           Attribute != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
    return CUDA_ERROR_INVALID_VALUE;
  auto Found = Range->Advice.find(Key);
  int Unset = ReadMostly ? 0 : CU_DEVICE_INVALID;
  auto *Out = static_cast<int *>(Data);
  std::fill_n(Out, DataSize / sizeof(int), CU_DEVICE_INVALID);
  Out[0] = Found == Range->Advice.end() ? Unset : Found->second;
  return CUDA_SUCCESS;
}

CUresult prefetch(CUcontext Context, CUdeviceptr Address, size_t Bytes, CUmemLocation Location,
                  CUstream Stream) {
  State &S = state();
  {
    Lock L(S.M);
    Allocation *Range = managedRange(S, Address, Bytes);
    if (!Range || !Bytes)
      return CUDA_ERROR_INVALID_VALUE;
    if (!validLocation(S, Location))
      return CUDA_ERROR_INVALID_DEVICE;
    Range->Advice[LastPrefetch] = place(Location);
  }
  return enqueue(Context, Stream, EmptyOp{}, /*Wait=*/false);
}

} // namespace gpuinstr::sim
