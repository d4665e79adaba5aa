// Reserves and cuts the memory of one simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "device/state/Arena.h"

#include "common/Pages.h"

#include <sys/mman.h>

namespace gpuinstr::sim {

namespace {
/// Smaller blocks keep their pages: giving them back costs a system call.
constexpr size_t GiveBackBytes = size_t(1) << 20;

size_t roundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }
} // namespace

bool Arena::reserve(size_t bytes, bool guard) {
  Size = bytes < Granularity ? Granularity : bytes / Granularity * Granularity;
  Guarded = guard;
  // Pages of their own for small blocks, and those between blocks, cost addresses, not memory.
  Reserved = Guarded ? 4 * wholePages(Size) + (size_t(1) << 30) : Size;
  void *range = mmap(nullptr, Reserved, Guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return false;
  Base = reinterpret_cast<uintptr_t>(range);
  addHole(Base, Reserved);
  return true;
}

/// Makes the pages of a block usable. The system allows a process about 65000 mappings: when they
/// are used up, guarding ends for good.
bool Arena::open(uintptr_t address, size_t bytes) {
  if (!Guarded || !mprotect(reinterpret_cast<void *>(address), bytes, PROT_READ | PROT_WRITE))
    return true;
  Guarded = false;
  return !mprotect(reinterpret_cast<void *>(Base), Reserved, PROT_READ | PROT_WRITE);
}

void Arena::close(uintptr_t address, size_t bytes) {
  if (Guarded)
    mprotect(reinterpret_cast<void *>(address), bytes, PROT_NONE);
}

void Arena::addHole(uintptr_t address, size_t bytes) {
  if (!bytes)
    return;
  Holes.emplace(address, bytes);
  HolesBySize.emplace(bytes, address);
}

void Arena::removeHole(std::map<uintptr_t, size_t>::iterator hole) {
  HolesBySize.erase({hole->second, hole->first});
  Holes.erase(hole);
}

uintptr_t Arena::allocate(size_t bytes, size_t align) {
  if (bytes > Size)
    return 0;
  bytes = roundUp(bytes ? bytes : 1, Granularity);
  if (Used + Outside + bytes > Size)
    return 0;
  // A guarded block fills its pages up to their end; one more page stays closed behind it.
  size_t inside = Guarded ? wholePages(bytes) : bytes;
  size_t lead = Guarded && align <= Granularity ? inside - bytes : 0;
  size_t needed = Guarded ? inside + PageBytes : bytes;
  if (Guarded && align < PageBytes)
    align = PageBytes;
  for (auto it = HolesBySize.lower_bound({needed, 0}); it != HolesBySize.end(); ++it) {
    auto [HoleBytes, Address] = *it;
    uintptr_t start = roundUp(Address, align);
    if (start + needed > Address + HoleBytes)
      continue;
    if (Guarded && !open(start, inside))
      return 0;
    removeHole(Holes.find(Address));
    addHole(Address, start - Address);
    addHole(start + needed, Address + HoleBytes - start - needed);
    Blocks.emplace(start + lead, Block{start, needed, bytes});
    Used += bytes;
    return start + lead;
  }
  return 0;
}

bool Arena::release(uintptr_t first) {
  auto found = Blocks.find(first);
  if (found == Blocks.end())
    return false;
  Used -= found->second.bytes;
  uintptr_t address = found->second.place;
  size_t bytes = found->second.placeBytes;
  Blocks.erase(found);
  if (bytes >= GiveBackBytes) {
    uintptr_t firstPage = roundUp(address, PageBytes);
    uintptr_t lastPage = (address + bytes) / PageBytes * PageBytes;
    if (lastPage > firstPage)
      madvise(reinterpret_cast<void *>(firstPage), lastPage - firstPage, MADV_DONTNEED);
  }
  close(address, bytes);
  auto next = Holes.lower_bound(address);
  if (next != Holes.end() && next->first == address + bytes) {
    bytes += next->second;
    auto gone = next++;
    removeHole(gone);
  }
  if (next != Holes.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == address) {
      address = before->first;
      bytes += before->second;
      removeHole(before);
    }
  }
  addHole(address, bytes);
  return true;
}

bool Arena::charge(size_t bytes) {
  if (bytes > Size || Used + Outside + bytes > Size)
    return false;
  Outside += bytes;
  return true;
}

} // namespace gpuinstr::sim
