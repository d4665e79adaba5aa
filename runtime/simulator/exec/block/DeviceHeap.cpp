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

void *deviceHeapAlloc(size_t Bytes, size_t Limit) {
  if (Bytes > Limit)
    return nullptr;
  size_t All = Bytes + HeaderBytes;
  if (Used.fetch_add(All) + All > Limit) {
    Used -= All;
    return nullptr;
  }
  auto *Header = static_cast<size_t *>(std::malloc(All));
  if (!Header) {
    Used -= All;
    return nullptr;
  }
  *Header = All;
  return reinterpret_cast<char *>(Header) + HeaderBytes;
}

void deviceHeapFree(void *Block) {
  if (!Block)
    return;
  void *Header = static_cast<char *>(Block) - HeaderBytes;
  Used -= *static_cast<size_t *>(Header);
  std::free(Header);
}

} // namespace gpuinstr::sim
