// Small hashes for keys that stay inside the process.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_BASE_HASH_H
#define GPUINSTR_BASE_HASH_H

#include <cstdint>

namespace gpuinstr {

/// Mixes `value` into `seed` (the finaliser of splitmix64). Two numbers of 32 bits never yield what
/// two others do, nor what they do in the other order.
inline uint64_t hashMix(uint64_t seed, uint64_t value) {
  uint64_t x = (seed << 32 | seed >> 32) + 0x9e3779b97f4a7c15u + value;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// FNV-1a; the same in every process and build, as site ids must be.
inline uint64_t hashText(const char *text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; text && *text; ++text)
    h = (h ^ uint8_t(*text)) * 0x100000001b3u;
  return h;
}

} // namespace gpuinstr

#endif
