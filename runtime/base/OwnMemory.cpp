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

/// LeakSanitizer's, where the program has it. What is lost on purpose here, because somebody may
/// still use it, would be the program's leak.
extern "C" __attribute__((weak)) void __lsan_ignore_object(const void *memory);

namespace gpuinstr {

namespace {

std::atomic<int64_t> Held{0};

constexpr std::size_t Smallest = 16; ///< malloc's alignment, and room for the size

enum class Source : uint8_t { Allocator, Both, MappingFirst, OwnMapping };
__thread Source From __attribute__((tls_model("initial-exec"))) = Source::Allocator;

/// The mapping: reserved when it is first wanted, touched as far as it is used, never given back.
constexpr std::size_t ArenaSizes[] = {std::size_t(4) << 30, std::size_t(256) << 20,
                                      std::size_t(16) << 20};
constexpr std::size_t ReserveSize = 2 << 20; ///< had from the start, should there be no more
constexpr std::size_t FirstSize = 4 << 20;   ///< of it, used before the allocator is asked
std::atomic<bool> ArenaWanted{false};
std::atomic<void *> Reserve{nullptr};
std::atomic<uintptr_t> ArenaBegin{0};
std::atomic<std::size_t> ArenaSize{0}, ArenaUsed{0};

void *reserve(std::size_t size) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool haveArena() {
  if (ArenaWanted.exchange(true))
    return ArenaSize.load(std::memory_order_acquire) != 0;
  void *memory = nullptr;
  std::size_t size = 0;
  for (std::size_t wanted : ArenaSizes)
    if (!memory && (memory = reserve(wanted)))
      size = wanted;
  if (!memory && (memory = Reserve.load()))
    size = ReserveSize;
  ArenaBegin.store(reinterpret_cast<uintptr_t>(memory), std::memory_order_relaxed);
  ArenaSize.store(size, std::memory_order_release);
  return size != 0;
}

bool isOfArena(const void *block) {
  std::size_t size = ArenaSize.load(std::memory_order_acquire);
  return __builtin_expect(size != 0, false) &&
         reinterpret_cast<uintptr_t>(block) - ArenaBegin.load(std::memory_order_relaxed) < size;
}

/// nullptr: it is full.
void *takeFromArena(std::size_t bytes, std::size_t alignment) {
  std::size_t size = ArenaSize.load(std::memory_order_acquire);
  std::size_t used = ArenaUsed.load(std::memory_order_relaxed), at;
  do {
    at = (used + alignment - 1) / alignment * alignment;
    if (bytes > size || at > size - bytes)
      return nullptr;
  } while (!ArenaUsed.compare_exchange_weak(used, at + bytes, std::memory_order_relaxed));
  return reinterpret_cast<void *>(ArenaBegin.load(std::memory_order_relaxed) + at);
}

void *takeFromAllocator(std::size_t bytes, std::size_t alignment) {
  void *memory =
      alignment == Smallest
          ? std::malloc(bytes)
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (__builtin_expect(memory && __lsan_ignore_object, false))
    __lsan_ignore_object(memory);
  return memory;
}

void *take(std::size_t bytes, std::size_t alignment) noexcept {
  std::size_t room = std::max(alignment, Smallest), all;
  if (__builtin_add_overflow(bytes, 2 * room, &all)) // one for rounding up
    return nullptr;
  all = bytes + room;
  void *memory = nullptr;
  if (__builtin_expect(From == Source::MappingFirst, false) && haveArena() &&
      ArenaUsed.load(std::memory_order_relaxed) < FirstSize)
    memory = takeFromArena(all, room);
  if (__builtin_expect(!memory && From != Source::OwnMapping, true))
    memory = takeFromAllocator(all, room);
  if (__builtin_expect(!memory && From != Source::Allocator, false) && haveArena())
    memory = takeFromArena(all, room);
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
  if (__builtin_expect(From != Source::OwnMapping && !isOfArena(block), true))
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

void reserveOwnMemory() {
  if (!Reserve.load())
    Reserve.store(reserve(ReserveSize));
}

void leaveTheAllocator() {
  if (haveArena())
    From = Source::OwnMapping;
}

RescueScope::RescueScope(Order order) : Before(From != Source::Allocator) {
  if (!Before)
    From = order == MappingFirst ? Source::MappingFirst : Source::Both;
}

RescueScope::~RescueScope() {
  if (!Before && From != Source::OwnMapping)
    From = Source::Allocator;
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
