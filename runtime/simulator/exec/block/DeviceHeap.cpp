// Blocks of the host's heap, counted.
// SPDX-License-Identifier: Apache-2.0
#include "exec/block/DeviceHeap.h"

#include <atomic>
#include <cstdlib>

namespace gpuinstr::sim {

namespace {
constexpr size_t HeaderBytes = 16;
std::atomic<size_t> Used{0};
} // namespace

void *deviceHeapAlloc(size_t bytes, size_t limit) {
  if (bytes > limit)
    return nullptr;
  size_t all = bytes + HeaderBytes;
  if (Used.fetch_add(all) + all > limit) {
    Used -= all;
    return nullptr;
  }
  auto *header = static_cast<size_t *>(std::malloc(all));
  if (!header) {
    Used -= all;
    return nullptr;
  }
  *header = all;
  return reinterpret_cast<char *>(header) + HeaderBytes;
}

void deviceHeapFree(void *block) {
  if (!block)
    return;
  void *header = static_cast<char *>(block) - HeaderBytes;
  Used -= *static_cast<size_t *>(header);
  std::free(header);
}

} // namespace gpuinstr::sim
