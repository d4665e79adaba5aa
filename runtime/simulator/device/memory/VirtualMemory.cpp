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
  int file = -1;
  size_t bytes = 0;
  CUmemAllocationProp props = {};
  unsigned references = 1; ///< By the program.
  unsigned mappings = 0;
};

/// Guarded by the state's mutex.
struct Vmm {
  std::map<CUmemGenericAllocationHandle, Physical> handles;
  std::map<CUdeviceptr, size_t> ranges;
};

Vmm &vmm() {
  static auto *v = new Vmm;
  return *v;
}

bool aligned(size_t value) { return value % VmmGranularity == 0; }

void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

/// Physical memory lives until the last reference and the last mapping are gone.
void dropUnused(State &s, std::map<CUmemGenericAllocationHandle, Physical>::iterator found) {
  Physical &p = found->second;
  if (p.references || p.mappings)
    return;
  close(p.file);
  s.devices[p.props.location.id]->memory.discharge(p.bytes);
  vmm().handles.erase(found);
}

bool inReservedRange(CUdeviceptr address, size_t bytes) {
  auto next = vmm().ranges.upper_bound(address);
  if (next == vmm().ranges.begin())
    return false;
  auto range = std::prev(next);
  return address - range->first < range->second &&
         bytes <= range->second - (address - range->first);
}

/// Calls \p visit for each mapping in the range; false unless they cover it exactly.
template <typename F> bool forMappings(State &s, CUdeviceptr address, size_t bytes, F &&visit) {
  CUdeviceptr end = address + bytes;
  for (CUdeviceptr at = address; at < end;) {
    auto found = s.allocations.find(at);
    if (found == s.allocations.end() || found->second.kind != AllocKind::Mapped ||
        found->second.size > end - at)
      return false;
    at += found->second.size;
  }
  for (CUdeviceptr at = address; at < end;) {
    auto found = s.allocations.find(at);
    at += found->second.size;
    visit(found);
  }
  return true;
}

} // namespace

CUresult vmmCreate(size_t bytes, const CUmemAllocationProp *props,
                   CUmemGenericAllocationHandle *out) {
  if (!out || !props || !bytes || !aligned(bytes) || props->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_NOT_SUPPORTED;
  State &s = state();
  Lock l(s.m);
  if (!isDevice(s, props->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  Arena &memory = s.devices[props->location.id]->memory;
  if (!memory.charge(bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  int file = memfd_create("gpuinstr-simulator", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes))) {
    if (file >= 0)
      close(file);
    memory.discharge(bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  constexpr uint64_t LikeTheDrivers = uint64_t(1) << 44; // whose handles look like addresses
  *out = LikeTheDrivers | s.nextId();
  Physical &p = vmm().handles[*out];
  p.file = file;
  p.bytes = bytes;
  p.props = *props;
  return CUDA_SUCCESS;
}

CUresult vmmRelease(CUmemGenericAllocationHandle handle) {
  State &s = state();
  Lock l(s.m);
  auto found = vmm().handles.find(handle);
  if (found == vmm().handles.end() || !found->second.references)
    return CUDA_ERROR_INVALID_VALUE;
  --found->second.references;
  dropUnused(s, found);
  return CUDA_SUCCESS;
}

CUresult vmmReserve(size_t bytes, size_t align, CUdeviceptr *out) {
  if (!out || !bytes || !aligned(bytes) || (align & (align - 1)) || bytes > size_t(1) << 46)
    return CUDA_ERROR_INVALID_VALUE;
  align = align < VmmGranularity ? VmmGranularity : align;
  // Asking for more than needed leaves room to align.
  void *range =
      mmap(nullptr, bytes + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr first = reinterpret_cast<CUdeviceptr>(range);
  CUdeviceptr start = (first + align - 1) / align * align;
  if (start > first)
    munmap(range, start - first);
  if (first + align > start)
    munmap(pointer(start + bytes), first + align - start);
  Lock l(state().m);
  vmm().ranges[start] = bytes;
  *out = start;
  return CUDA_SUCCESS;
}

CUresult vmmFreeRange(CUdeviceptr address, size_t bytes) {
  State &s = state();
  Lock l(s.m);
  auto found = vmm().ranges.find(address);
  if (found == vmm().ranges.end() || found->second != bytes)
    return CUDA_ERROR_INVALID_VALUE;
  auto mapped = s.allocations.lower_bound(address);
  if (mapped != s.allocations.end() && mapped->first < address + bytes)
    return CUDA_ERROR_INVALID_VALUE;
  munmap(pointer(address), bytes);
  vmm().ranges.erase(found);
  return CUDA_SUCCESS;
}

CUresult vmmMap(CUdeviceptr address, size_t bytes, size_t offset,
                CUmemGenericAllocationHandle handle) {
  State &s = state();
  Lock l(s.m);
  auto found = vmm().handles.find(handle);
  if (found == vmm().handles.end() || !bytes || !aligned(address) || !aligned(bytes) || offset ||
      bytes > found->second.bytes || !inReservedRange(address, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  auto next = s.allocations.lower_bound(address);
  if (findAllocation(s, address) || (next != s.allocations.end() && next->first < address + bytes))
    return CUDA_ERROR_INVALID_VALUE;
  void *mapped =
      mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second.file, 0);
  if (mapped == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ++found->second.mappings;
  Allocation made;
  made.kind = AllocKind::Mapped;
  made.size = bytes;
  made.device = found->second.props.location.id;
  made.handle = handle;
  made.access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  addAllocation(s, address, std::move(made));
  return CUDA_SUCCESS;
}

CUresult vmmUnmap(CUdeviceptr address, size_t bytes) {
  State &s = state();
  Lock l(s.m);
  for (auto &dev : s.devices)
    if (dev->primary.alive)
      waitForContext(l, &dev->primary);
  bool covered = forMappings(s, address, bytes, [&](auto mapping) {
    auto found = vmm().handles.find(mapping->second.handle);
    --found->second.mappings;
    dropUnused(s, found);
    s.allocations.erase(mapping);
  });
  if (!covered || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
  return CUDA_SUCCESS;
}

CUresult vmmSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *descs,
                      size_t count) {
  State &s = state();
  Lock l(s.m);
  if (!descs || !count || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (descs[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isDevice(s, descs[i].location.id))
      return CUDA_ERROR_INVALID_DEVICE;
    CUmemAccess_flags flags = descs[i].flags;
    bool covered =
        forMappings(s, address, bytes, [&](auto mapping) { mapping->second.access = flags; });
    if (!covered)
      return CUDA_ERROR_INVALID_VALUE;
    // The device is this process, so its access is the page protection.
    int protection = flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                     : flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                 : PROT_NONE;
    mprotect(pointer(address), bytes, protection);
  }
  return CUDA_SUCCESS;
}

CUresult vmmGetAccess(CUdeviceptr address, const CUmemLocation *location,
                      unsigned long long *flags) {
  State &s = state();
  Lock l(s.m);
  Allocation *found = findAllocation(s, address);
  if (!location || !flags || !found || found->kind != AllocKind::Mapped)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = found->access;
  return CUDA_SUCCESS;
}

CUresult vmmProperties(CUmemGenericAllocationHandle handle, CUmemAllocationProp *out) {
  Lock l(state().m);
  auto found = vmm().handles.find(handle);
  if (!out || found == vmm().handles.end())
    return CUDA_ERROR_INVALID_VALUE;
  *out = found->second.props;
  return CUDA_SUCCESS;
}

CUresult vmmRetain(CUdeviceptr address, CUmemGenericAllocationHandle *out) {
  State &s = state();
  Lock l(s.m);
  Allocation *found = findAllocation(s, address);
  if (!out || !found || found->kind != AllocKind::Mapped)
    return CUDA_ERROR_INVALID_VALUE;
  ++vmm().handles[found->handle].references;
  *out = found->handle;
  return CUDA_SUCCESS;
}

} // namespace gpuinstr::sim
