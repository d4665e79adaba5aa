// The content hash on the host: the same values as on the device.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_HASH_HOSTHASH_H
#define GPUINSTR_AUDIT_HASH_HOSTHASH_H

#include "audit/hash/ContentHash.h"

namespace gpuinstr::cuda {
struct Region;
}

namespace gpuinstr::audit {

/// Takes bytes in pieces of any size.
class HostHash {
public:
  void add(const void *data, uint64_t bytes);
  ContentHash value() const;

private:
  void addWords(const char *at, uint64_t words);

  hash::Sums Total;
  uint64_t Words = 0, Bytes = 0;
  unsigned Pending = 0; ///< bytes in Rest: not yet a word
  char Rest[16] = {};
};

/// Memory that the host can read. About 17 GB/s on one core from its caches, 8 without AVX2.
ContentHash hashHost(const void *data, uint64_t bytes);
ContentHash hashHost(const cuda::Region &region);
/// What estimates take for it.
constexpr uint64_t HostBytesPerNs = 8;

} // namespace gpuinstr::audit

#endif
