// The content hash on the host, four words at a time. (Eight, with AVX-512, are a tenth faster.)
// SPDX-License-Identifier: Apache-2.0
#include "audit/hash/HostHashWords.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace gpuinstr::audit {

namespace {

#define AVX2 __attribute__((target("avx2")))

/// As hash::multiplyFold on a device, in each of four paths.
AVX2 inline __m256i multiplyFold(__m256i x, __m256i y) {
  const __m256i lowHalf = _mm256_set1_epi64x(0xffffffff);
  __m256i xh = _mm256_srli_epi64(x, 32), yh = _mm256_srli_epi64(y, 32);
  __m256i low = _mm256_mul_epu32(x, y);
  __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(xh, y), _mm256_srli_epi64(low, 32));
  __m256i other = _mm256_add_epi64(_mm256_mul_epu32(x, yh), _mm256_and_si256(middle, lowHalf));
  __m256i high =
      _mm256_add_epi64(_mm256_mul_epu32(xh, yh), _mm256_add_epi64(_mm256_srli_epi64(middle, 32),
                                                                  _mm256_srli_epi64(other, 32)));
  __m256i bottom = _mm256_blend_epi32(low, _mm256_slli_epi64(other, 32), 0xaa);
  return _mm256_xor_si256(high, bottom);
}

AVX2 inline uint64_t sumOf(__m256i paths) {
  alignas(32) uint64_t values[4];
  _mm256_store_si256(reinterpret_cast<__m256i *>(values), paths);
  return values[0] + values[1] + values[2] + values[3];
}

/// Four keys, in the order that unpacking leaves the words in.
AVX2 inline __m256i keysFrom(uint64_t key, uint64_t step) {
  return _mm256_set_epi64x(int64_t(key + 3 * step), int64_t(key + step), int64_t(key + 2 * step),
                           int64_t(key));
}

AVX2 hash::Sums wordsAvx2(const char *at, uint64_t words, hash::Keys from) {
  const __m256i stepA = _mm256_set1_epi64x(int64_t(4 * hash::StepA)),
                stepB = _mm256_set1_epi64x(int64_t(4 * hash::StepB));
  const __m256i crossA = _mm256_set1_epi64x(int64_t(hash::CrossA)),
                crossB = _mm256_set1_epi64x(int64_t(hash::CrossB));
  __m256i keyA = keysFrom(from.a, hash::StepA), keyB = keysFrom(from.b, hash::StepB);
  __m256i first = _mm256_setzero_si256(), second = first;
  for (uint64_t i = 0; i + 4 <= words; i += 4) {
    const auto *source = reinterpret_cast<const __m256i *>(at + 16 * i);
    __m256i one = _mm256_loadu_si256(source), two = _mm256_loadu_si256(source + 1);
    __m256i low = _mm256_unpacklo_epi64(one, two), high = _mm256_unpackhi_epi64(one, two);
    first = _mm256_add_epi64(
        first, multiplyFold(_mm256_xor_si256(low, keyA), _mm256_xor_si256(high, keyB)));
    second = _mm256_add_epi64(second,
                              multiplyFold(_mm256_xor_si256(low, _mm256_xor_si256(keyB, crossA)),
                                           _mm256_xor_si256(high, _mm256_xor_si256(keyA, crossB))));
    keyA = _mm256_add_epi64(keyA, stepA);
    keyB = _mm256_add_epi64(keyB, stepB);
  }
  hash::Sums sums;
  sums.first = sumOf(first);
  sums.second = sumOf(second);
  return sums;
}

} // namespace

bool hasWideWords() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

uint64_t hashWords(const char *at, uint64_t words, uint64_t index, hash::Sums &sums) {
  if (words < 4 || !hasWideWords())
    return 0;
  sums.add(wordsAvx2(at, words, hash::Keys::at(index)));
  return words / 4 * 4;
}

} // namespace gpuinstr::audit

#else

namespace gpuinstr::audit {
bool hasWideWords() { return false; }
uint64_t hashWords(const char *, uint64_t, uint64_t, hash::Sums &) { return 0; }
} // namespace gpuinstr::audit

#endif
