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
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace gpuinstr::sim {

namespace {

constexpr unsigned SlabStacks = 32;
/// A guard costs two of the system's mappings (65530 for a process by default).
constexpr unsigned MaxGuards = 12288;

struct Slab {
  Slab *next;
  uintptr_t low;
  size_t stride;
};

std::atomic<Slab *> Slabs{nullptr};
std::atomic<unsigned> Guards{0};

struct Store {
  std::mutex m;
  std::map<size_t, Stack *> free; ///< By size.
};
Store &store() {
  static auto *all = new Store;
  return *all;
}

/// One list of SlabStacks new stacks.
Stack *mapSlab(size_t bytes) {
  size_t stride = bytes + PageBytes;
  void *range = mmap(nullptr, stride * SlabStacks, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    throw std::bad_alloc();
  char *low = static_cast<char *>(range);
  Stack *list = nullptr;
  bool guarded = Guards.fetch_add(SlabStacks) < MaxGuards;
  for (unsigned i = SlabStacks; i-- > 0;) {
    char *mine = low + i * stride;
    if (guarded)
      mprotect(mine, PageBytes, PROT_NONE);
    auto *s = new Stack;
    s->low = mine + PageBytes;
    // Tops at different distances from a page's start: else all stacks share a few cache sets.
    s->bytes = bytes - i * 128;
    s->next = list;
    list = s;
  }
  auto *known = new Slab{Slabs.load(), reinterpret_cast<uintptr_t>(low), stride};
  while (!Slabs.compare_exchange_weak(known->next, known)) {
  }
  return list;
}

} // namespace

size_t stackBytes(size_t limit) {
  size_t bytes = size_t(64) << 10;
  while (bytes < 2 * limit + (size_t(32) << 10))
    bytes *= 2;
  return bytes;
}

Stack *StackStore::take() {
  if (!Free) {
    Store &all = store();
    std::lock_guard<std::mutex> l(all.m);
    Stack *&kept = all.free[Bytes];
    for (unsigned i = 0; i < SlabStacks && kept; ++i) {
      Stack *s = kept;
      kept = s->next;
      giveBack(s);
    }
  }
  if (!Free)
    Free = mapSlab(Bytes);
  Stack *s = Free;
  Free = s->next;
  abandonFrames(s->low, s->top()); // of a thread that ended within a call
  return s;
}

StackStore::~StackStore() {
  Store &all = store();
  std::lock_guard<std::mutex> l(all.m);
  Stack *&kept = all.free[Bytes];
  while (Stack *s = Free) {
    Free = s->next;
    s->next = kept;
    kept = s;
  }
}

void abandonFrames([[maybe_unused]] const void *low, [[maybe_unused]] const void *top) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(
      low, size_t(static_cast<const char *>(top) - static_cast<const char *>(low)));
#endif
}

bool inStackGuard(const void *address) {
  auto at = reinterpret_cast<uintptr_t>(address);
  for (Slab *s = Slabs.load(); s; s = s->next)
    if (at - s->low < s->stride * SlabStacks)
      return (at - s->low) % s->stride < PageBytes;
  return false;
}

} // namespace gpuinstr::sim
