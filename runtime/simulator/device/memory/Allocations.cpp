// Allocation and lookup of every kind of memory that CUDA knows.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Allocations.h"

#include "common/Pages.h"
#include "device/memory/MemoryPool.h"
#include "device/stream/Stream.h"

#include <cstring>
#include <sys/mman.h>

namespace gpuinstr::sim {

namespace {

constexpr size_t PitchAlign = 512;
/// Larger requests cannot be meant; arithmetic on them could overflow.
constexpr size_t MaxBytes = size_t(1) << 46;

void *mapHost(size_t Bytes) {
  if (Bytes > MaxBytes)
    return nullptr;
  void *Range = mmap(nullptr, wholePages(Bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return Range == MAP_FAILED ? nullptr : Range;
}

Allocation describe(AllocKind Kind, size_t Bytes, CUcontext Context, unsigned Flags = 0) {
  Allocation Made;
  Made.Kind = Kind;
  Made.Size = Bytes;
  Made.Context = Context;
  Made.Device = Context->Device;
  Made.Flags = Flags;
  return Made;
}

} // namespace

void releaseMemory(State &S, CUdeviceptr Address, const Allocation &Gone) {
  if (Gone.OfProgram)
    return;
  switch (Gone.Kind) {
  case AllocKind::Device:
  case AllocKind::Symbol:
    S.Devices[Gone.Device]->Memory.release(Address);
    break;
  case AllocKind::Pool:
    if (Gone.Graph)
      break; // The graph keeps the range.
    S.Devices[Gone.Device]->Memory.release(Address);
    poolGaveBack(Gone.Pool, Gone.Size);
    break;
  case AllocKind::Managed:
  case AllocKind::Pinned:
    munmap(reinterpret_cast<void *>(Address), wholePages(Gone.Size));
    break;
  case AllocKind::Registered:
  case AllocKind::Mapped:
    break;
  }
}

void addAllocation(State &S, CUdeviceptr Address, Allocation Made) {
  Made.Id = S.nextId();
  S.Allocations[Address] = std::move(Made);
}

Allocation *findAllocation(State &S, CUdeviceptr Address, CUdeviceptr *Base) {
  auto Next = S.Allocations.upper_bound(Address);
  if (Next == S.Allocations.begin())
    return nullptr;
  auto Found = std::prev(Next);
  if (Address - Found->first >= Found->second.Size)
    return nullptr;
  if (Base)
    *Base = Found->first;
  return &Found->second;
}

bool inDeviceMemory(const State &S, CUdeviceptr Address) {
  for (auto &Dev : S.Devices)
    if (Dev->Memory.contains(Address))
      return true;
  return false;
}

CUresult allocateDevice(CUcontext Context, size_t Bytes, CUdeviceptr *Out) {
  if (!Out || !Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  CUdeviceptr Address = S.Devices[Context->Device]->Memory.allocate(Bytes);
  if (!Address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  addAllocation(S, Address, describe(AllocKind::Device, Bytes, Context));
  *Out = Address;
  return CUDA_SUCCESS;
}

CUresult allocatePitched(CUcontext Context, size_t Width, size_t Height, CUdeviceptr *Out,
                         size_t *Pitch) {
  if (!Out || !Pitch || !Width || !Height)
    return CUDA_ERROR_INVALID_VALUE;
  if (Width > MaxBytes || Height > MaxBytes / Width)
    return CUDA_ERROR_INVALID_VALUE;
  size_t RowBytes = (Width + PitchAlign - 1) / PitchAlign * PitchAlign;
  if (CUresult R = allocateDevice(Context, RowBytes * Height, Out))
    return R;
  *Pitch = RowBytes;
  return CUDA_SUCCESS;
}

CUresult allocateManaged(CUcontext Context, size_t Bytes, unsigned Flags, CUdeviceptr *Out) {
  if (!Out || !Bytes || (Flags != CU_MEM_ATTACH_GLOBAL && Flags != CU_MEM_ATTACH_HOST))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  void *Range = mapHost(Bytes);
  if (!Range)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *Out = reinterpret_cast<CUdeviceptr>(Range);
  addAllocation(S, *Out, describe(AllocKind::Managed, Bytes, Context, Flags));
  return CUDA_SUCCESS;
}

CUresult allocatePinned(CUcontext Context, size_t Bytes, unsigned Flags, void **Out) {
  constexpr unsigned Known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!Out || !Bytes || (Flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  void *Range = mapHost(Bytes);
  if (!Range)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *Out = Range;
  addAllocation(S, reinterpret_cast<CUdeviceptr>(Range),
                describe(AllocKind::Pinned, Bytes, Context, Flags));
  return CUDA_SUCCESS;
}

CUresult registerHost(CUcontext Context, void *Address, size_t Bytes, unsigned Flags) {
  constexpr unsigned Known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                             CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  if (!Address || !Bytes || Bytes > MaxBytes || (Flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  CUdeviceptr First = reinterpret_cast<CUdeviceptr>(Address);
  auto Next = S.Allocations.lower_bound(First);
  if (findAllocation(S, First) || (Next != S.Allocations.end() && Next->first < First + Bytes))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (inDeviceMemory(S, First))
    return CUDA_ERROR_INVALID_VALUE;
  addAllocation(S, First, describe(AllocKind::Registered, Bytes, Context, Flags));
  return CUDA_SUCCESS;
}

CUresult unregisterHost(void *Address) {
  State &S = state();
  Lock L(S.M);
  if (!Address)
    return CUDA_ERROR_INVALID_VALUE;
  auto Found = S.Allocations.find(reinterpret_cast<CUdeviceptr>(Address));
  if (Found == S.Allocations.end() || Found->second.Kind != AllocKind::Registered)
    return findAllocation(S, reinterpret_cast<CUdeviceptr>(Address))
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (CUresult R = checkUnsafeCall(S))
    return R;
  waitForContext(L, Found->second.Context);
  S.Allocations.erase(reinterpret_cast<CUdeviceptr>(Address));
  return CUDA_SUCCESS;
}

namespace {
CUresult freeKind(CUcontext Context, CUdeviceptr Address, bool Host) {
  State &S = state();
  Lock L(S.M);
  if (CUresult R = checkUnsafeCall(S))
    return R;
  if (!Address)
    return CUDA_SUCCESS;
  auto Allowed = [&](const Allocation &A) {
    if (A.OfProgram)
      return false;
    if (Host)
      return A.Kind == AllocKind::Pinned;
    return A.Kind == AllocKind::Device || A.Kind == AllocKind::Pool || A.Kind == AllocKind::Managed;
  };
  auto Found = S.Allocations.find(Address);
  if (Found == S.Allocations.end() || !Allowed(Found->second))
    return CUDA_ERROR_INVALID_VALUE;
  waitForContext(L, Context);
  if (isContext(S, Found->second.Context) && Found->second.Context != Context)
    waitForContext(L, Found->second.Context);
  // Another thread may have freed it while this one waited.
  Found = S.Allocations.find(Address);
  if (Found == S.Allocations.end() || !Allowed(Found->second))
    return CUDA_ERROR_INVALID_VALUE;
  Allocation Gone = std::move(Found->second);
  S.Allocations.erase(Found);
  releaseMemory(S, Address, Gone);
  return afterWaiting(L, Context);
}
} // namespace

CUresult freeDevice(CUcontext Context, CUdeviceptr Address) {
  return freeKind(Context, Address, false);
}

CUresult freePinned(CUcontext Context, void *Address) {
  return freeKind(Context, reinterpret_cast<CUdeviceptr>(Address), true);
}

CUresult hostDevicePointer(void *Address, CUdeviceptr *Out) {
  State &S = state();
  Lock L(S.M);
  Allocation *Found = findAllocation(S, reinterpret_cast<CUdeviceptr>(Address));
  if (!Out || !Found || (Found->Kind != AllocKind::Pinned && Found->Kind != AllocKind::Registered))
    return CUDA_ERROR_INVALID_VALUE;
  *Out = reinterpret_cast<CUdeviceptr>(Address);
  return CUDA_SUCCESS;
}

CUresult hostFlags(void *Address, unsigned *Flags) {
  State &S = state();
  Lock L(S.M);
  Allocation *Found = findAllocation(S, reinterpret_cast<CUdeviceptr>(Address));
  if (!Flags || !Found ||
      (Found->Kind != AllocKind::Pinned && Found->Kind != AllocKind::Registered))
    return CUDA_ERROR_INVALID_VALUE;
  // With unified addressing every pinned allocation is mapped.
  *Flags = Found->Flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult memoryInfo(CUcontext Context, size_t *Free, size_t *Total) {
  if (!Free || !Total)
    return CUDA_ERROR_INVALID_VALUE;
  State &S = state();
  Lock L(S.M);
  const Arena &Memory = S.Devices[Context->Device]->Memory;
  *Free = Memory.size() - Memory.used();
  *Total = Memory.size();
  return CUDA_SUCCESS;
}

CUresult allocateSymbol(CUcontext Context, size_t Bytes, bool Managed, CUdeviceptr *Out) {
  State &S = state();
  Lock L(S.M);
  CUdeviceptr Address = 0;
  if (Managed) {
    Address = reinterpret_cast<CUdeviceptr>(mapHost(Bytes));
  } else if ((Address = S.Devices[Context->Device]->Memory.allocate(Bytes))) {
    std::memset(reinterpret_cast<void *>(Address), 0, Bytes);
  }
  if (!Address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  addAllocation(S, Address,
                describe(Managed ? AllocKind::Managed : AllocKind::Symbol, Bytes, Context));
  *Out = Address;
  return CUDA_SUCCESS;
}

CUresult adoptSymbol(CUcontext Context, void *Storage, size_t Bytes, bool Managed,
                     CUdeviceptr *Out) {
  State &S = state();
  Lock L(S.M);
  *Out = reinterpret_cast<CUdeviceptr>(Storage);
  Allocation Made =
      describe(Managed ? AllocKind::Managed : AllocKind::Symbol, Bytes ? Bytes : 1, Context);
  Made.OfProgram = true;
  addAllocation(S, *Out, std::move(Made));
  return CUDA_SUCCESS;
}

void forgetSymbol(CUdeviceptr Address) {
  State &S = state();
  Lock L(S.M);
  auto Found = S.Allocations.find(Address);
  if (Found != S.Allocations.end() && Found->second.OfProgram)
    S.Allocations.erase(Found);
}

void freeAllOf(State &S, CUcontext Context) {
  for (auto It = S.Allocations.begin(); It != S.Allocations.end();) {
    if (It->second.Context != Context || It->second.Kind == AllocKind::Mapped) {
      ++It;
      continue;
    }
    Allocation Gone = std::move(It->second);
    CUdeviceptr Address = It->first;
    It = S.Allocations.erase(It);
    releaseMemory(S, Address, Gone);
  }
}

} // namespace gpuinstr::sim
