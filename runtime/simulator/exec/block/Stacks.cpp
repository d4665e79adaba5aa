// Maps stacks in slabs and keeps those that are not used.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/Stacks.h"

#include "common/Pages.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace gpuinstr::sim {

namespace {

constexpr unsigned SlabStacks = 32;
/// A guard costs two of the system's mappings (65530 for a process by default).
constexpr unsigned MaxGuards = 12288;

struct Slab {
  Slab *Next;
  uintptr_t Low;
  size_t Stride;
};

std::atomic<Slab *> Slabs{nullptr};
std::atomic<unsigned> Guards{0};

struct Store {
  std::mutex M;
  std::map<size_t, Stack *> Free; ///< By size.
};
Store &store() {
  static auto *All = new Store;
  return *All;
}

/// One list of SlabStacks new stacks.
Stack *mapSlab(size_t Bytes) {
  size_t Stride = Bytes + PageBytes;
  void *Range = mmap(nullptr, Stride * SlabStacks, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Range == MAP_FAILED)
    throw std::bad_alloc();
  char *Low = static_cast<char *>(Range);
  Stack *List = nullptr;
  bool Guarded = Guards.fetch_add(SlabStacks) < MaxGuards;
  for (unsigned I = SlabStacks; I-- > 0;) {
    char *Mine = Low + I * Stride;
    if (Guarded)
      mprotect(Mine, PageBytes, PROT_NONE);
    auto *S = new Stack;
    S->Low = Mine + PageBytes;
    // Tops at different distances from a page's start: else all stacks share a few cache sets.
    S->Bytes = Bytes - I * 128;
    S->Next = List;
    List = S;
  }
  auto *Known = new Slab{Slabs.load(), reinterpret_cast<uintptr_t>(Low), Stride};
  while (!Slabs.compare_exchange_weak(Known->Next, Known)) {
  }
  return List;
}

} // namespace

size_t stackBytes(size_t Limit) {
  size_t Bytes = size_t(64) << 10;
  while (Bytes < 2 * Limit + (size_t(32) << 10))
    Bytes *= 2;
  return Bytes;
}

Stack *StackStore::take() {
  if (!Free) {
    Store &All = store();
    std::lock_guard<std::mutex> L(All.M);
    Stack *&Kept = All.Free[Bytes];
    for (unsigned I = 0; I < SlabStacks && Kept; ++I) {
      Stack *S = Kept;
      Kept = S->Next;
      giveBack(S);
    }
  }
  if (!Free)
    Free = mapSlab(Bytes);
  Stack *S = Free;
  Free = S->Next;
  return S;
}

StackStore::~StackStore() {
  Store &All = store();
  std::lock_guard<std::mutex> L(All.M);
  Stack *&Kept = All.Free[Bytes];
  while (Stack *S = Free) {
    Free = S->Next;
    S->Next = Kept;
    Kept = S;
  }
}

bool inStackGuard(const void *Address) {
  auto At = reinterpret_cast<uintptr_t>(Address);
  for (Slab *S = Slabs.load(); S; S = S->Next)
    if (At - S->Low < S->Stride * SlabStacks)
      return (At - S->Low) % S->Stride < PageBytes;
  return false;
}

} // namespace gpuinstr::sim
