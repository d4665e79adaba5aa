// Reserves and cuts the memory of one simulated device.
// SPDX-License-Identifier: Apache-2.0
#include "core/Arena.h"

#include <sys/mman.h>

namespace gpuinstr::sim {

namespace {
constexpr size_t PageBytes = 4096;
/// Smaller blocks keep their pages: giving them back costs a system call.
constexpr size_t GiveBackBytes = size_t(1) << 20;

size_t roundUp(size_t Value, size_t To) { return (Value + To - 1) / To * To; }
} // namespace

bool Arena::reserve(size_t Bytes) {
  Bytes = Bytes < Granularity ? Granularity : Bytes / Granularity * Granularity;
  void *Range = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Range == MAP_FAILED)
    return false;
  Base = reinterpret_cast<uintptr_t>(Range);
  Size = Bytes;
  addHole(Base, Size);
  return true;
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
  for (auto It = HolesBySize.lower_bound({Bytes, 0}); It != HolesBySize.end(); ++It) {
    auto [HoleBytes, Address] = *It;
    uintptr_t Start = roundUp(Address, Align);
    if (Start + Bytes > Address + HoleBytes)
      continue;
    removeHole(Holes.find(Address));
    addHole(Address, Start - Address);
    addHole(Start + Bytes, Address + HoleBytes - Start - Bytes);
    Blocks.emplace(Start, Bytes);
    Used += Bytes;
    return Start;
  }
  return 0;
}

bool Arena::release(uintptr_t Address) {
  auto Block = Blocks.find(Address);
  if (Block == Blocks.end())
    return false;
  size_t Bytes = Block->second;
  Blocks.erase(Block);
  Used -= Bytes;
  if (Bytes >= GiveBackBytes) {
    uintptr_t First = roundUp(Address, PageBytes);
    uintptr_t Last = (Address + Bytes) / PageBytes * PageBytes;
    if (Last > First)
      madvise(reinterpret_cast<void *>(First), Last - First, MADV_DONTNEED);
  }
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
