// The content hash: two position-dependent 64-bit sums, one source for host and device.
// SPDX-License-Identifier: Apache-2.0
//
// A region's bytes are cut into 16-byte words in logical order (rows joined, whatever the pitch;
// the last word filled up with zeroes). Each word is mixed with keys made from its index, and the
// mixes are added up: any number of threads in any order give the same sums. The number of bytes
// goes into the last step, so that zero tails and lengths count too.
//
// A word's mix is wyhash's step, twice with different keys: both halves, each under its key, are
// multiplied to 128 bits, of which the two halves are folded by xor. It costs eight 32-bit
// multiplications on a device, hidden behind the memory, and two on a CPU.
#ifndef GPUINSTR_AUDIT_HASH_CONTENTHASH_H
#define GPUINSTR_AUDIT_HASH_CONTENTHASH_H

#include <stdint.h>

// Functions for both sides, in a CUDA compile.
#if defined(__clang__) && defined(__CUDA__)
#define GPUINSTR_BOTH __attribute__((host)) __attribute__((device)) inline
#elif defined(__CUDACC__)
#define GPUINSTR_BOTH __host__ __device__ inline
#else
#define GPUINSTR_BOTH inline
#endif

namespace gpuinstr::audit {

/// Two independent position-dependent 64-bit hashes of a region's bytes, in the order of its rows:
/// the same bytes give the same value whatever the pitch. Equal on CPU and GPU.
struct ContentHash {
  uint64_t first = 0, second = 0;
  GPUINSTR_BOTH bool operator==(const ContentHash &o) const {
    return first == o.first && second == o.second;
  }
  GPUINSTR_BOTH bool operator!=(const ContentHash &o) const { return !(*this == o); }
};

namespace hash {

constexpr uint32_t WordBytes = 16;

// Odd, so that no two words of a region share a key. From the golden ratio and from the literature
// on multiplicative generators; nothing else is special about them.
constexpr uint64_t StepA = 0x9e3779b97f4a7c15u, StepB = 0xd1342543de82ef95u;
constexpr uint64_t StartA = 0xa0761d6478bd642fu, StartB = 0xe7037ed1a0b428dbu;
constexpr uint64_t CrossA = 0x8ebc6af09c88c6e3u, CrossB = 0x589965cc75374cc3u;

/// The keys of one word; those of the word `n` further on are `n` steps away.
struct Keys {
  uint64_t a, b;
  GPUINSTR_BOTH static Keys at(uint64_t index) {
    return {StartA + index * StepA, StartB + index * StepB};
  }
  GPUINSTR_BOTH Keys ahead(uint64_t words) const { return {a + words * StepA, b + words * StepB}; }
};

/// Both halves of the 128-bit product, folded.
GPUINSTR_BOTH uint64_t multiplyFold(uint64_t x, uint64_t y) {
#if defined(__CUDA_ARCH__)
  // Four multiply-adds of 32 by 32 bits; a device has no wider ones.
  uint64_t xl = uint32_t(x), xh = x >> 32, yl = uint32_t(y), yh = y >> 32;
  uint64_t low = xl * yl;
  uint64_t middle = xh * yl + (low >> 32);
  uint64_t other = xl * yh + uint32_t(middle);
  uint64_t high = xh * yh + (middle >> 32) + (other >> 32);
  return high ^ (other << 32 | uint32_t(low));
#else
  __extension__ typedef unsigned __int128 Wide;
  Wide product = Wide(x) * y;
  return uint64_t(product) ^ uint64_t(product >> 64);
#endif
}

struct Sums {
  uint64_t first = 0, second = 0;

  /// `low` and `high` are the word's bytes 0 to 7 and 8 to 15, little endian.
  GPUINSTR_BOTH void add(uint64_t low, uint64_t high, Keys key) {
    first += multiplyFold(low ^ key.a, high ^ key.b);
    second += multiplyFold(low ^ key.b ^ CrossA, high ^ key.a ^ CrossB);
  }
  GPUINSTR_BOTH void add(const Sums &other) {
    first += other.first;
    second += other.second;
  }
};

/// A permutation after which each bit depends on each.
GPUINSTR_BOTH uint64_t mix(uint64_t x, uint64_t m, uint64_t n) {
  x = (x ^ (x >> 30)) * m;
  x = (x ^ (x >> 27)) * n;
  return x ^ (x >> 31);
}

GPUINSTR_BOTH ContentHash finish(const Sums &sums, uint64_t bytes) {
  ContentHash h;
  h.first = mix(sums.first + bytes * StepA, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu);
  h.second = mix(sums.second ^ (bytes * StepB), 0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u);
  return h;
}

} // namespace hash
} // namespace gpuinstr::audit

#endif
