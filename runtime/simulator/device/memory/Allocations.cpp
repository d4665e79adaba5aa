// Allocation and lookup of every kind of memory that CUDA knows.
// SPDX-License-Identifier: Apache-2.0
#include "device/memory/Allocations.h"

#include "common/Pages.h"
#include "device/memory/MemoryPool.h"
#include "device/oracle/Oracle.h"
#include "device/stream/Stream.h"

#include <cstring>
#include <sys/mman.h>

namespace gpuinstr::sim {

namespace {

constexpr size_t PitchAlign = 512;
/// Larger requests cannot be meant; arithmetic on them could overflow.
constexpr size_t MaxBytes = size_t(1) << 46;

void *mapHost(size_t bytes) {
  if (bytes > MaxBytes)
    return nullptr;
  void *range = mmap(nullptr, wholePages(bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : range;
}

Allocation describe(AllocKind kind, size_t bytes, CUcontext context, unsigned flags = 0) {
  Allocation made;
  made.kind = kind;
  made.size = bytes;
  made.context = context;
  made.device = context->device;
  made.flags = flags;
  return made;
}

} // namespace

void releaseMemory(State &s, CUdeviceptr address, const Allocation &gone) {
  if (Oracle *oracle = Oracle::get())
    oracle->freed(address);
  if (gone.ofProgram)
    return;
  switch (gone.kind) {
  case AllocKind::Device:
  case AllocKind::Symbol:
    s.devices[gone.device]->memory.release(address);
    break;
  case AllocKind::Pool:
    if (gone.graph)
      break; // The graph keeps the range.
    s.devices[gone.device]->memory.release(address);
    poolGaveBack(gone.pool, gone.size);
    break;
  case AllocKind::Managed:
  case AllocKind::Pinned:
    munmap(reinterpret_cast<void *>(address), wholePages(gone.size));
    break;
  case AllocKind::Registered:
  case AllocKind::Mapped:
    break;
  }
}

void addAllocation(State &s, CUdeviceptr address, Allocation made) {
  made.id = s.nextId();
  if (Oracle *oracle = Oracle::get())
    oracle->allocated(address, made);
  s.allocations[address] = std::move(made);
}

Allocation *findAllocation(State &s, CUdeviceptr address, CUdeviceptr *base) {
  auto next = s.allocations.upper_bound(address);
  if (next == s.allocations.begin())
    return nullptr;
  auto found = std::prev(next);
  if (address - found->first >= found->second.size)
    return nullptr;
  if (base)
    *base = found->first;
  return &found->second;
}

bool inDeviceMemory(const State &s, CUdeviceptr address) {
  for (auto &dev : s.devices)
    if (dev->memory.contains(address))
      return true;
  return false;
}

CUresult allocateDevice(CUcontext context, size_t bytes, CUdeviceptr *out) {
  if (!out || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  CUdeviceptr address = s.devices[context->device]->memory.allocate(bytes);
  if (!address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  addAllocation(s, address, describe(AllocKind::Device, bytes, context));
  *out = address;
  return CUDA_SUCCESS;
}

CUresult allocatePitched(CUcontext context, size_t width, size_t height, CUdeviceptr *out,
                         size_t *pitch) {
  if (!out || !pitch || !width || !height)
    return CUDA_ERROR_INVALID_VALUE;
  if (width > MaxBytes || height > MaxBytes / width)
    return CUDA_ERROR_INVALID_VALUE;
  size_t rowBytes = (width + PitchAlign - 1) / PitchAlign * PitchAlign;
  if (CUresult r = allocateDevice(context, rowBytes * height, out))
    return r;
  *pitch = rowBytes;
  return CUDA_SUCCESS;
}

CUresult allocateManaged(CUcontext context, size_t bytes, unsigned flags, CUdeviceptr *out) {
  if (!out || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  void *range = mapHost(bytes);
  if (!range)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUdeviceptr>(range);
  addAllocation(s, *out, describe(AllocKind::Managed, bytes, context, flags));
  return CUDA_SUCCESS;
}

CUresult allocatePinned(CUcontext context, size_t bytes, unsigned flags, void **out) {
  constexpr unsigned Known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!out || !bytes || (flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  void *range = mapHost(bytes);
  if (!range)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *out = range;
  addAllocation(s, reinterpret_cast<CUdeviceptr>(range),
                describe(AllocKind::Pinned, bytes, context, flags));
  return CUDA_SUCCESS;
}

CUresult registerHost(CUcontext context, void *address, size_t bytes, unsigned flags) {
  constexpr unsigned Known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                             CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
  if (!address || !bytes || bytes > MaxBytes || (flags & ~Known))
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  CUdeviceptr first = reinterpret_cast<CUdeviceptr>(address);
  auto next = s.allocations.lower_bound(first);
  if (findAllocation(s, first) || (next != s.allocations.end() && next->first < first + bytes))
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (inDeviceMemory(s, first))
    return CUDA_ERROR_INVALID_VALUE;
  addAllocation(s, first, describe(AllocKind::Registered, bytes, context, flags));
  return CUDA_SUCCESS;
}

CUresult unregisterHost(void *address) {
  State &s = state();
  Lock l(s.m);
  if (!address)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = s.allocations.find(reinterpret_cast<CUdeviceptr>(address));
  if (found == s.allocations.end() || found->second.kind != AllocKind::Registered)
    return findAllocation(s, reinterpret_cast<CUdeviceptr>(address))
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  if (CUresult r = checkUnsafeCall(s))
    return r;
  waitForContext(l, found->second.context);
  s.allocations.erase(reinterpret_cast<CUdeviceptr>(address));
  return CUDA_SUCCESS;
}

namespace {
CUresult freeKind(CUcontext context, CUdeviceptr address, bool host) {
  State &s = state();
  Lock l(s.m);
  if (CUresult r = checkUnsafeCall(s))
    return r;
  if (!address)
    return CUDA_SUCCESS;
  auto allowed = [&](const Allocation &a) {
    if (a.ofProgram)
      return false;
    if (host)
      return a.kind == AllocKind::Pinned;
    return a.kind == AllocKind::Device || a.kind == AllocKind::Pool || a.kind == AllocKind::Managed;
  };
  auto found = s.allocations.find(address);
  if (found == s.allocations.end() || !allowed(found->second))
    return CUDA_ERROR_INVALID_VALUE;
  waitForContext(l, context);
  if (isContext(s, found->second.context) && found->second.context != context)
    waitForContext(l, found->second.context);
  // Another thread may have freed it while this one waited.
  found = s.allocations.find(address);
  if (found == s.allocations.end() || !allowed(found->second))
    return CUDA_ERROR_INVALID_VALUE;
  Allocation gone = std::move(found->second);
  s.allocations.erase(found);
  releaseMemory(s, address, gone);
  return afterWaiting(l, context);
}
} // namespace

CUresult freeDevice(CUcontext context, CUdeviceptr address) {
  return freeKind(context, address, false);
}

CUresult freePinned(CUcontext context, void *address) {
  return freeKind(context, reinterpret_cast<CUdeviceptr>(address), true);
}

CUresult hostDevicePointer(void *address, CUdeviceptr *out) {
  State &s = state();
  Lock l(s.m);
  Allocation *found = findAllocation(s, reinterpret_cast<CUdeviceptr>(address));
  if (!out || !found || (found->kind != AllocKind::Pinned && found->kind != AllocKind::Registered))
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUdeviceptr>(address);
  return CUDA_SUCCESS;
}

CUresult hostFlags(void *address, unsigned *flags) {
  State &s = state();
  Lock l(s.m);
  Allocation *found = findAllocation(s, reinterpret_cast<CUdeviceptr>(address));
  if (!flags || !found ||
      (found->kind != AllocKind::Pinned && found->kind != AllocKind::Registered))
    return CUDA_ERROR_INVALID_VALUE;
  // With unified addressing every pinned allocation is mapped.
  *flags = found->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

CUresult memoryInfo(CUcontext context, size_t *free, size_t *total) {
  if (!free || !total)
    return CUDA_ERROR_INVALID_VALUE;
  State &s = state();
  Lock l(s.m);
  const Arena &memory = s.devices[context->device]->memory;
  *free = memory.size() - memory.used();
  *total = memory.size();
  return CUDA_SUCCESS;
}

CUresult allocateSymbol(CUcontext context, size_t bytes, bool managed, CUdeviceptr *out) {
  State &s = state();
  Lock l(s.m);
  CUdeviceptr address = 0;
  if (managed) {
    address = reinterpret_cast<CUdeviceptr>(mapHost(bytes));
  } else if ((address = s.devices[context->device]->memory.allocate(bytes))) {
    std::memset(reinterpret_cast<void *>(address), 0, bytes);
  }
  if (!address)
    return CUDA_ERROR_OUT_OF_MEMORY;
  addAllocation(s, address,
                describe(managed ? AllocKind::Managed : AllocKind::Symbol, bytes, context));
  *out = address;
  return CUDA_SUCCESS;
}

CUresult adoptSymbol(CUcontext context, void *storage, size_t bytes, bool managed,
                     CUdeviceptr *out) {
  State &s = state();
  Lock l(s.m);
  *out = reinterpret_cast<CUdeviceptr>(storage);
  Allocation made =
      describe(managed ? AllocKind::Managed : AllocKind::Symbol, bytes ? bytes : 1, context);
  made.ofProgram = true;
  addAllocation(s, *out, std::move(made));
  return CUDA_SUCCESS;
}

void forgetSymbol(CUdeviceptr address) {
  State &s = state();
  Lock l(s.m);
  auto found = s.allocations.find(address);
  if (found != s.allocations.end() && found->second.ofProgram)
    s.allocations.erase(found);
}

void freeAllOf(State &s, CUcontext context) {
  for (auto it = s.allocations.begin(); it != s.allocations.end();) {
    if (it->second.context != context || it->second.kind == AllocKind::Mapped) {
      ++it;
      continue;
    }
    Allocation gone = std::move(it->second);
    CUdeviceptr address = it->first;
    it = s.allocations.erase(it);
    releaseMemory(s, address, gone);
  }
}

} // namespace gpuinstr::sim
