// Memory that the runtime itself holds.
// SPDX-License-Identifier: Apache-2.0
//
// The library has its own, hidden C++ library, so these operators are nobody else's. Each block
// carries its size: the C library's malloc_usable_size() may not belong to the program's malloc.
#include "base/OwnMemory.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace gpuinstr {

namespace {

std::atomic<int64_t> Held{0};

/// See leaveTheAllocator(). Reserved, not touched.
constexpr std::size_t ArenaSizes[] = {std::size_t(4) << 30, std::size_t(256) << 20,
                                      std::size_t(16) << 20};
std::atomic<uintptr_t> ArenaBegin{0};
std::atomic<std::size_t> ArenaSize{0}; ///< 0: there is none
std::size_t ArenaUsed = 0;             ///< only one thread takes from it
__thread bool InArena __attribute__((tls_model("initial-exec"))) = false;

bool isOfArena(const void *block) {
  std::size_t size = ArenaSize.load(std::memory_order_acquire);
  return __builtin_expect(size != 0, false) &&
         reinterpret_cast<uintptr_t>(block) - ArenaBegin.load(std::memory_order_relaxed) < size;
}

/// nullptr: it is full.
void *takeFromArena(std::size_t bytes, std::size_t alignment) {
  std::size_t at = (ArenaUsed + alignment - 1) / alignment * alignment;
  if (bytes > ArenaSize || at > ArenaSize - bytes)
    return nullptr;
  ArenaUsed = at + bytes;
  return reinterpret_cast<void *>(ArenaBegin + at);
}

constexpr std::size_t Smallest = 16; ///< malloc's alignment, and room for the size

void *take(std::size_t bytes, std::size_t alignment) noexcept {
  std::size_t room = std::max(alignment, Smallest), all;
  if (__builtin_add_overflow(bytes, 2 * room, &all)) // one for rounding up
    return nullptr;
  all = bytes + room;
  void *memory = __builtin_expect(InArena, false) ? takeFromArena(all, room) : nullptr;
  if (!memory)
    memory = room == Smallest ? std::malloc(all)
                              : std::aligned_alloc(room, (all + room - 1) / room * room);
  if (!memory)
    return nullptr;
  char *block = static_cast<char *>(memory) + room;
  reinterpret_cast<std::size_t *>(block)[-1] = all;
  Held.fetch_add(int64_t(all), std::memory_order_relaxed);
  return block;
}

void give(void *block, std::size_t alignment) noexcept {
  if (!block)
    return;
  Held.fetch_sub(int64_t(static_cast<std::size_t *>(block)[-1]), std::memory_order_relaxed);
  if (__builtin_expect(!InArena && !isOfArena(block), true))
    std::free(static_cast<char *>(block) - std::max(alignment, Smallest));
}

void *orThrow(void *block) {
  if (!block)
    throw std::bad_alloc();
  return block;
}

} // namespace

uint64_t ownHostBytes() {
  return uint64_t(std::max<int64_t>(0, Held.load(std::memory_order_relaxed)));
}

bool leaveTheAllocator() {
  for (std::size_t size : ArenaSizes) {
    void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      continue;
    ArenaBegin.store(reinterpret_cast<uintptr_t>(memory), std::memory_order_relaxed);
    ArenaSize.store(size, std::memory_order_release);
    return InArena = true;
  }
  return false;
}

void noteOwnMapping(int64_t bytes) { Held.fetch_add(bytes, std::memory_order_relaxed); }

} // namespace gpuinstr

using gpuinstr::give;
using gpuinstr::orThrow;
using gpuinstr::take;

// All forms: one of the C++ library's beside ours would free what it did not allocate.
void *operator new(std::size_t n) { return orThrow(take(n, 0)); }
void *operator new[](std::size_t n) { return orThrow(take(n, 0)); }
void *operator new(std::size_t n, const std::nothrow_t &) noexcept { return take(n, 0); }
void *operator new[](std::size_t n, const std::nothrow_t &) noexcept { return take(n, 0); }
void *operator new(std::size_t n, std::align_val_t a) { return orThrow(take(n, std::size_t(a))); }
void *operator new[](std::size_t n, std::align_val_t a) { return orThrow(take(n, std::size_t(a))); }
void *operator new(std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept {
  return take(n, std::size_t(a));
}
void *operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t &) noexcept {
  return take(n, std::size_t(a));
}
void operator delete(void *p) noexcept { give(p, 0); }
void operator delete[](void *p) noexcept { give(p, 0); }
void operator delete(void *p, std::size_t) noexcept { give(p, 0); }
void operator delete[](void *p, std::size_t) noexcept { give(p, 0); }
void operator delete(void *p, const std::nothrow_t &) noexcept { give(p, 0); }
void operator delete[](void *p, const std::nothrow_t &) noexcept { give(p, 0); }
void operator delete(void *p, std::align_val_t a) noexcept { give(p, std::size_t(a)); }
void operator delete[](void *p, std::align_val_t a) noexcept { give(p, std::size_t(a)); }
void operator delete(void *p, std::size_t, std::align_val_t a) noexcept { give(p, std::size_t(a)); }
void operator delete[](void *p, std::size_t, std::align_val_t a) noexcept {
  give(p, std::size_t(a));
}
void operator delete(void *p, std::align_val_t a, const std::nothrow_t &) noexcept {
  give(p, std::size_t(a));
}
void operator delete[](void *p, std::align_val_t a, const std::nothrow_t &) noexcept {
  give(p, std::size_t(a));
}
