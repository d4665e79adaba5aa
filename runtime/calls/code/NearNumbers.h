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
  NearNumbers(uint64_t low, uint64_t span, bool isFixed) : Low(low), Span(span), IsFixed(isFixed) {
    uint64_t within = 1;
    while (within <= span && within <= UINT32_MAX)
      within *= 2;
    Beyond = Numbers{} + ~uint32_t(within - 1);
  }

  static uint64_t relativeAt(const uint8_t *at) {
    return uint64_t(at) + 4 + int64_t(int32_t(numberAt(at)));
  }
  static uint64_t absoluteAt(const uint8_t *at) { return numberAt(at); }

  bool relative(const uint8_t *at) const { return relativeAt(at) - Low <= Span; }
  bool absolute(const uint8_t *at) const { return IsFixed && absoluteAt(at) - Low <= Span; }

  /// False: none of the numbers that begin at the `Step` bytes from `at` on is. By their lowest 32
  /// bits and the next power of two, four numbers at a time: all of a large program's code is
  /// searched.
  static constexpr int Step = 64;
  bool mayBeAt(const uint8_t *at) const {
    const uint32_t first = uint32_t(uint64_t(at)) + 4 - uint32_t(Low);
    Numbers base = Numbers{0, 4, 8, 12} + first, found = {};
    for (int part = 0; part < Step; part += int(sizeof(Numbers)), base += sizeof(Numbers)) {
      const Numbers n[] = {load(at + part), load(at + part + 1), load(at + part + 2),
                           load(at + part + 3)};
      found |= isNear(n[0] + base) | isNear(n[1] + (base + 1)) | isNear(n[2] + (base + 2)) |
               isNear(n[3] + (base + 3));
      if (IsFixed) {
        const uint32_t low = uint32_t(Low);
        found |= isNear(n[0] - low) | isNear(n[1] - low) | isNear(n[2] - low) | isNear(n[3] - low);
      }
    }
    const Halves halves = Halves(found);
    return (halves[0] | halves[1]) != 0;
  }

private:
  typedef uint32_t Numbers __attribute__((vector_size(16)));
  typedef uint64_t Halves __attribute__((vector_size(16)));
  struct __attribute__((packed, may_alias)) Unaligned {
    Numbers numbers;
  };
  static Numbers load(const uint8_t *at) {
    return reinterpret_cast<const Unaligned *>(at)->numbers;
  }
  Numbers isNear(Numbers fromLow) const { return Numbers((fromLow & Beyond) == Numbers{}); }
  static uint32_t numberAt(const uint8_t *at) {
    uint32_t number;
    std::memcpy(&number, at, sizeof number);
    return number;
  }

  uint64_t Low, Span;
  bool IsFixed;
  Numbers Beyond; ///< bits that no number of interest has, counted from Low
};

} // namespace gpuinstr

#endif
