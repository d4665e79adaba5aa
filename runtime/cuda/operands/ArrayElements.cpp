// What an element of a CUDA array takes.
// SPDX-License-Identifier: Apache-2.0
#include "cuda/operands/ArrayElements.h"
#include "base/Hash.h"
#include "base/locks/LeafMutex.h"
#include <atomic>
#include <mutex>

namespace gpuinstr::cuda {

namespace {

/// Open addressing. A place that was used stays somebody's, so that a search may end at a free one.
struct Place {
  std::atomic<uint64_t> array{0};
  std::atomic<uint32_t> elementBytes{0};
};
constexpr unsigned Places = 4096, Reach = 32;
Place Table[Places];
LeafMutex &writing() {
  static auto *mutex = new LeafMutex; // leaked: used during exit
  return *mutex;
}

/// The array's place, or null; `free`: or else one that it can have.
Place *find(uint64_t array, bool free) {
  uint64_t start = hashMix(array, Places);
  Place *spare = nullptr;
  for (unsigned i = 0; i < Reach; ++i) {
    Place &place = Table[(start + i) % Places];
    uint64_t here = place.array.load(std::memory_order_acquire);
    if (here == array)
      return &place;
    if (!spare && place.elementBytes.load(std::memory_order_relaxed) == 0)
      spare = &place;
    if (here == 0)
      break;
  }
  return free ? spare : nullptr;
}

} // namespace

void noteArray(const CallOperands &made, uint64_t array) {
  std::lock_guard<std::mutex> lock(writing());
  Place *place = array ? find(array, true) : nullptr;
  if (!place)
    return;
  place->elementBytes.store(0);
  place->array.store(array);
  place->elementBytes.store(uint32_t(elementBytes(made)));
}

void forgetArray(uint64_t array) {
  std::lock_guard<std::mutex> lock(writing());
  if (Place *place = find(array, false))
    place->elementBytes.store(0);
}

uint32_t elementBytesOf(uint64_t array) {
  const Place *place = find(array, false);
  uint32_t bytes = place ? place->elementBytes.load(std::memory_order_acquire) : 0;
  return place && place->array.load(std::memory_order_acquire) == array ? bytes : 0;
}

} // namespace gpuinstr::cuda
