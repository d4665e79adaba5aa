// Reserves and cuts the memory of one simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "device/state/Arena.h"

#include "common/Pages.h"

#include <sys/mman.h>

namespace gpuinstr::sim {

namespace {
/// Smaller blocks keep their pages: giving them back costs a system call.
constexpr size_t GiveBackBytes = size_t(1) << 20;

size_t roundUp(size_t Value, size_t To) { return (Value + To - 1) / To * To; }
} // namespace

bool Arena::reserve(size_t Bytes, bool Guard) {
  Size = Bytes < Granularity ? Granularity : Bytes / Granularity * Granularity;
  Guarded = Guard;
  // Pages of their own for small blocks, and those between blocks, cost addresses, not memory.
  Reserved = Guarded ? 4 * wholePages(Size) + (size_t(1) << 30) : Size;
  void *Range = mmap(nullptr, Reserved, Guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Range == MAP_FAILED)
    return false;
  Base = reinterpret_cast<uintptr_t>(Range);
  addHole(Base, Reserved);
  return true;
}

/// Makes the pages of a block usable. The system allows a process about 65000 mappings: when they
/// are used up, guarding ends for good.
bool Arena::open(uintptr_t Address, size_t Bytes) {
  if (!Guarded || !mprotect(reinterpret_cast<void *>(Address), Bytes, PROT_READ | PROT_WRITE))
    return true;
  Guarded = false;
  return !mprotect(reinterpret_cast<void *>(Base), Reserved, PROT_READ | PROT_WRITE);
}

void Arena::close(uintptr_t Address, size_t Bytes) {
  if (Guarded)
    mprotect(reinterpret_cast<void *>(Address), Bytes, PROT_NONE);
}

void Arena::addHole(uintptr_t Address, size_t Bytes) {
  if (!Bytes)
    return;
  Holes.emplace(Address, Bytes);
  HolesBySize.emplace(Bytes, Address);
}

void Arena::removeHole(std::map<uintptr_t, size_t>::iterator Hole) {
  HolesBySize.erase({Hole->second, Hole->first});
  Holes.erase(Hole);
}

uintptr_t Arena::allocate(size_t Bytes, size_t Align) {
  if (Bytes > Size)
    return 0;
  Bytes = roundUp(Bytes ? Bytes : 1, Granularity);
  if (Used + Outside + Bytes > Size)
    return 0;
  // A guarded block fills its pages up to their end; one more page stays closed behind it.
  size_t Inside = Guarded ? wholePages(Bytes) : Bytes;
  size_t Lead = Guarded && Align <= Granularity ? Inside - Bytes : 0;
  size_t Needed = Guarded ? Inside + PageBytes : Bytes;
  if (Guarded && Align < PageBytes)
    Align = PageBytes;
  for (auto It = HolesBySize.lower_bound({Needed, 0}); It != HolesBySize.end(); ++It) {
    auto [HoleBytes, Address] = *It;
    uintptr_t Start = roundUp(Address, Align);
    if (Start + Needed > Address + HoleBytes)
      continue;
    if (Guarded && !open(Start, Inside))
      return 0;
    removeHole(Holes.find(Address));
    addHole(Address, Start - Address);
    addHole(Start + Needed, Address + HoleBytes - Start - Needed);
    Blocks.emplace(Start + Lead, Block{Start, Needed, Bytes});
    Used += Bytes;
    return Start + Lead;
  }
  return 0;
}

bool Arena::release(uintptr_t First) {
  auto Found = Blocks.find(First);
  if (Found == Blocks.end())
    return false;
  Used -= Found->second.Bytes;
  uintptr_t Address = Found->second.Place;
  size_t Bytes = Found->second.PlaceBytes;
  Blocks.erase(Found);
  if (Bytes >= GiveBackBytes) {
    uintptr_t FirstPage = roundUp(Address, PageBytes);
    uintptr_t LastPage = (Address + Bytes) / PageBytes * PageBytes;
    if (LastPage > FirstPage)
      madvise(reinterpret_cast<void *>(FirstPage), LastPage - FirstPage, MADV_DONTNEED);
  }
  close(Address, Bytes);
  auto Next = Holes.lower_bound(Address);
  if (Next != Holes.end() && Next->first == Address + Bytes) {
    Bytes += Next->second;
    auto Gone = Next++;
    removeHole(Gone);
  }
  if (Next != Holes.begin()) {
    auto Before = std::prev(Next);
    if (Before->first + Before->second == Address) {
      Address = Before->first;
      Bytes += Before->second;
      removeHole(Before);
    }
  }
  addHole(Address, Bytes);
  return true;
}

bool Arena::charge(size_t Bytes) {
  if (Bytes > Size || Used + Outside + Bytes > Size)
    return false;
  Outside += Bytes;
  return true;
}

} // namespace gpuinstr::sim
