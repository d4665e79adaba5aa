// Which numbers in machine code may be references to some addresses.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_SITES_NEARNUMBERS_H
#define GPUINSTR_CALLS_SITES_NEARNUMBERS_H

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace gpuinstr {

/// Numbers in code that lead to an address of [low, low + span]. Nearly none do.
class NearNumbers {
public:
  /// `isFixed`: the numbers may be addresses themselves.
  NearNumbers(uint64_t low, uint64_t span, bool isFixed) : Low(low), Span(span), IsFixed(isFixed) {}

  static uint64_t relativeAt(const uint8_t *at) {
    return uint64_t(at) + 4 + int64_t(int32_t(numberAt(at)));
  }
  static uint64_t absoluteAt(const uint8_t *at) { return numberAt(at); }

  bool relative(const uint8_t *at) const { return relativeAt(at) - Low <= Span; }
  bool absolute(const uint8_t *at) const { return IsFixed && absoluteAt(at) - Low <= Span; }

  /// False: none of the numbers that begin at the `Step` bytes from `at` on is. By their lowest 32
  /// bits, four numbers at a time, for all of a large program's code is searched.
  static constexpr int Step = 16;
  bool mayBeAt(const uint8_t *at) const {
    constexpr Numbers Ahead = {0, 4, 8, 12};
    const uint32_t low = uint32_t(Low), span = uint32_t(std::min<uint64_t>(Span, UINT32_MAX));
    Numbers found = {};
    for (uint32_t i = 0; i < 4; ++i) {
      const Numbers numbers = reinterpret_cast<const Unaligned *>(at + i)->numbers;
      const uint32_t base = uint32_t(uint64_t(at)) + 4 + i - low;
      found |= Numbers(numbers + Ahead + base <= span);
      if (IsFixed)
        found |= Numbers(numbers - low <= span);
    }
    return found[0] | found[1] | found[2] | found[3];
  }

private:
  typedef uint32_t Numbers __attribute__((vector_size(16)));
  struct __attribute__((packed, may_alias)) Unaligned {
    Numbers numbers;
  };
  static uint32_t numberAt(const uint8_t *at) {
    uint32_t number;
    std::memcpy(&number, at, sizeof number);
    return number;
  }

  uint64_t Low, Span;
  bool IsFixed;
};

} // namespace gpuinstr

#endif
