// Virtual memory management: physical handles are memory files, mapped where the program says.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/VirtualMemory.h"

#include "device/memory/Allocations.h"
#include "device/stream/Stream.h"

#include <sys/mman.h>
#include <unistd.h>

namespace gpuinstr::sim {

namespace {

struct Physical {
  int File = -1;
  size_t Bytes = 0;
  CUmemAllocationProp Props = {};
  unsigned References = 1; ///< By the program.
  unsigned Mappings = 0;
};

/// Guarded by the state's mutex.
struct Vmm {
  std::map<CUmemGenericAllocationHandle, Physical> Handles;
  std::map<CUdeviceptr, size_t> Ranges;
};

Vmm &vmm() {
  static auto *V = new Vmm;
  return *V;
}

bool aligned(size_t Value) { return Value % VmmGranularity == 0; }

void *pointer(CUdeviceptr Address) { return reinterpret_cast<void *>(Address); }

/// Physical memory lives until the last reference and the last mapping are gone.
void dropUnused(State &S, std::map<CUmemGenericAllocationHandle, Physical>::iterator Found) {
  Physical &P = Found->second;
  if (P.References || P.Mappings)
    return;
  close(P.File);
  S.Devices[P.Props.location.id]->Memory.discharge(P.Bytes);
  vmm().Handles.erase(Found);
}

bool inReservedRange(CUdeviceptr Address, size_t Bytes) {
  auto Next = vmm().Ranges.upper_bound(Address);
  if (Next == vmm().Ranges.begin())
    return false;
  auto Range = std::prev(Next);
  return Address - Range->first < Range->second &&
         Bytes <= Range->second - (Address - Range->first);
}

/// Calls \p Visit for each mapping in the range; false unless they cover it exactly.
template <typename F> bool forMappings(State &S, CUdeviceptr Address, size_t Bytes, F &&Visit) {
  CUdeviceptr End = Address + Bytes;
  for (CUdeviceptr At = Address; At < End;) {
    auto Found = S.Allocations.find(At);
    if (Found == S.Allocations.end() || Found->second.Kind != AllocKind::Mapped ||
        Found->second.Size > End - At)
      return false;
    At += Found->second.Size;
  }
  for (CUdeviceptr At = Address; At < End;) {
    auto Found = S.Allocations.find(At);
    At += Found->second.Size;
    Visit(Found);
  }
  return true;
}

} // namespace

CUresult vmmCreate(size_t Bytes, const CUmemAllocationProp *Props,
                   CUmemGenericAllocationHandle *Out) {
  if (!Out || !Props || !Bytes || !aligned(Bytes) || Props->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (Props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_NOT_SUPPORTED;
  State &S = state();
  Lock L(S.M);
  if (!isDevice(S, Props->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  Arena &Memory = S.Devices[Props->location.id]->Memory;
  if (!Memory.charge(Bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  int File = memfd_create("gpuinstr-simulator", MFD_CLOEXEC);
  if (File < 0 || ftruncate(File, static_cast<off_t>(Bytes))) {
    if (File >= 0)
      close(File);
    Memory.discharge(Bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *Out = S.nextId();
  Physical &P = vmm().Handles[*Out];
  P.File = File;
  P.Bytes = Bytes;
  P.Props = *Props;
  return CUDA_SUCCESS;
}

CUresult vmmRelease(CUmemGenericAllocationHandle Handle) {
  State &S = state();
  Lock L(S.M);
  auto Found = vmm().Handles.find(Handle);
  if (Found == vmm().Handles.end() || !Found->second.References)
    return CUDA_ERROR_INVALID_VALUE;
  --Found->second.References;
  dropUnused(S, Found);
  return CUDA_SUCCESS;
}

CUresult vmmReserve(size_t Bytes, size_t Align, CUdeviceptr *Out) {
  if (!Out || !Bytes || !aligned(Bytes) || (Align & (Align - 1)) || Bytes > size_t(1) << 46)
    return CUDA_ERROR_INVALID_VALUE;
  Align = Align < VmmGranularity ? VmmGranularity : Align;
  // Asking for more than needed leaves room to align.
  void *Range =
      mmap(nullptr, Bytes + Align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Range == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr First = reinterpret_cast<CUdeviceptr>(Range);
  CUdeviceptr Start = (First + Align - 1) / Align * Align;
  if (Start > First)
    munmap(Range, Start - First);
  if (First + Align > Start)
    munmap(pointer(Start + Bytes), First + Align - Start);
  Lock L(state().M);
  vmm().Ranges[Start] = Bytes;
  *Out = Start;
  return CUDA_SUCCESS;
}

CUresult vmmFreeRange(CUdeviceptr Address, size_t Bytes) {
  State &S = state();
  Lock L(S.M);
  auto Found = vmm().Ranges.find(Address);
  if (Found == vmm().Ranges.end() || Found->second != Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  auto Mapped = S.Allocations.lower_bound(Address);
  if (Mapped != S.Allocations.end() && Mapped->first < Address + Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  munmap(pointer(Address), Bytes);
  vmm().Ranges.erase(Found);
  return CUDA_SUCCESS;
}

CUresult vmmMap(CUdeviceptr Address, size_t Bytes, size_t Offset,
                CUmemGenericAllocationHandle Handle) {
  State &S = state();
  Lock L(S.M);
  auto Found = vmm().Handles.find(Handle);
  if (Found == vmm().Handles.end() || !Bytes || !aligned(Address) || !aligned(Bytes) || Offset ||
      Bytes > Found->second.Bytes || !inReservedRange(Address, Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  auto Next = S.Allocations.lower_bound(Address);
  if (findAllocation(S, Address) || (Next != S.Allocations.end() && Next->first < Address + Bytes))
    return CUDA_ERROR_INVALID_VALUE;
  void *Mapped =
      mmap(pointer(Address), Bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, Found->second.File, 0);
  if (Mapped == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ++Found->second.Mappings;
  Allocation Made;
  Made.Kind = AllocKind::Mapped;
  Made.Size = Bytes;
  Made.Device = Found->second.Props.location.id;
  Made.Handle = Handle;
  Made.Access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  addAllocation(S, Address, std::move(Made));
  return CUDA_SUCCESS;
}

CUresult vmmUnmap(CUdeviceptr Address, size_t Bytes) {
  State &S = state();
  Lock L(S.M);
  for (auto &Dev : S.Devices)
    if (Dev->Primary.Alive)
      waitForContext(L, &Dev->Primary);
  bool Covered = forMappings(S, Address, Bytes, [&](auto Mapping) {
    auto Found = vmm().Handles.find(Mapping->second.Handle);
    --Found->second.Mappings;
    dropUnused(S, Found);
    S.Allocations.erase(Mapping);
  });
  if (!Covered || !Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  mmap(pointer(Address), Bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
  return CUDA_SUCCESS;
}

CUresult vmmSetAccess(CUdeviceptr Address, size_t Bytes, const CUmemAccessDesc *Descs,
                      size_t Count) {
  State &S = state();
  Lock L(S.M);
  if (!Descs || !Count || !Bytes)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t I = 0; I < Count; ++I) {
    if (Descs[I].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(S, Descs[I].location.id))
      return CUDA_ERROR_INVALID_DEVICE;
    CUmemAccess_flags Flags = Descs[I].flags;
    bool Covered =
        forMappings(S, Address, Bytes, [&](auto Mapping) { Mapping->second.Access = Flags; });
    if (!Covered)
      return CUDA_ERROR_INVALID_VALUE;
    // The device is this process, so its access is the page protection.
    int Protection = Flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                     : Flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                 : PROT_NONE;
    mprotect(pointer(Address), Bytes, Protection);
  }
  return CUDA_SUCCESS;
}

CUresult vmmGetAccess(CUdeviceptr Address, const CUmemLocation *Location,
                      unsigned long long *Flags) {
  State &S = state();
  Lock L(S.M);
  Allocation *Found = findAllocation(S, Address);
  if (!Location || !Flags || !Found || Found->Kind != AllocKind::Mapped)
    return CUDA_ERROR_INVALID_VALUE;
  *Flags = Found->Access;
  return CUDA_SUCCESS;
}

CUresult vmmProperties(CUmemGenericAllocationHandle Handle, CUmemAllocationProp *Out) {
  Lock L(state().M);
  auto Found = vmm().Handles.find(Handle);
  if (!Out || Found == vmm().Handles.end())
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Found->second.Props;
  return CUDA_SUCCESS;
}

CUresult vmmRetain(CUdeviceptr Address, CUmemGenericAllocationHandle *Out) {
  State &S = state();
  Lock L(S.M);
  Allocation *Found = findAllocation(S, Address);
  if (!Out || !Found || Found->Kind != AllocKind::Mapped)
    return CUDA_ERROR_INVALID_VALUE;
  ++vmm().Handles[Found->Handle].References;
  *Out = Found->Handle;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
