// Sets that empty the device's cache before a kernel is timed.
// SPDX-License-Identifier: Apache-2.0
#include "audit/state/WasteFindings.h"
#include "audit/transfers/Occurrences.h"
#include "cuda/Driver.h"

namespace gpuinstr::audit {

namespace {

/// Of the smallest second-level cache among the devices that large sets went to.
std::atomic<uint64_t> LeastCache{~uint64_t(0)};
std::atomic<uint64_t> CachesAsked{0}; ///< a bit for each device

} // namespace

void learnCache(const cuda::CallOperands &o) {
  constexpr uint64_t Least = 256 << 10; // no such cache is smaller
  constexpr int CacheBytes = 38;        // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
  if (!isSet(o.op) || o.bytes < Least)
    return;
  const int device = currentDevice();
  const uint64_t bit = uint64_t(1) << (device & 63);
  if (CachesAsked.load(std::memory_order_relaxed) & bit || CachesAsked.fetch_or(bit) & bit)
    return;
  const DriverApi *api = driverApi();
  int bytes = 0;
  if (!api || !api->deviceGetAttribute || api->deviceGetAttribute(&bytes, CacheBytes, device) != 0)
    return;
  uint64_t least = LeastCache.load();
  while (bytes > 0 && uint64_t(bytes) < least &&
         !LeastCache.compare_exchange_weak(least, uint64_t(bytes)))
    ;
}

bool sweepsCache(const Key &key) {
  return key.range && !key.range->opaque &&
         key.id.bytes >= LeastCache.load(std::memory_order_relaxed) &&
         key.range->unused.load(std::memory_order_relaxed);
}

} // namespace gpuinstr::audit
