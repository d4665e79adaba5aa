// Which words may be addresses: of arguments by value, kilobytes at each launch, and of uploads;
// and where allocations lay whose addresses still stand in memory that kernels may read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_ORDERING_ADDRESSSCAN_H
#define GPUINSTR_AUDIT_ORDERING_ADDRESSSCAN_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace gpuinstr::audit {

/// Visits each word of 8 bytes, 4 bytes apart, that lies in [low, low + span]. The upper halves of
/// addresses are few: four of them are compared at once, and mostly none of sixteen is one.
template <class Visit>
void eachPossibleAddress(const char *at, uint32_t bytes, uint64_t low, uint64_t span, Visit visit) {
  auto look = [&](uint32_t offset) {
    uint64_t value;
    std::memcpy(&value, at + offset, sizeof value);
    if (value - low <= span)
      visit(value);
  };
  uint32_t offset = 0;
#ifdef __SSE2__
  const uint64_t high = low + span;
  if (span >> 62 == 0 && high >= low) {
    // Signed comparison of what has its top bit turned is unsigned comparison.
    constexpr uint32_t Top = 1u << 31;
    const uint32_t first = uint32_t(low >> 32), width = uint32_t(high >> 32) - first;
    const __m128i base = _mm_set1_epi32(int32_t(first + Top));
    const __m128i most = _mm_set1_epi32(int32_t(width ^ Top));
    auto outsideAt = [&](uint32_t place) {
      __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at + place + 4));
      return _mm_cmpgt_epi32(_mm_sub_epi32(halves, base), most);
    };
    auto bits = [](__m128i outside) { return unsigned(_mm_movemask_epi8(outside)); };
    for (; offset + 68 <= bytes; offset += 64) {
      __m128i outside =
          _mm_and_si128(_mm_and_si128(outsideAt(offset), outsideAt(offset + 16)),
                        _mm_and_si128(outsideAt(offset + 32), outsideAt(offset + 48)));
      if (__builtin_expect(bits(outside) != 0xffff, false))
        for (uint32_t word = offset; word < offset + 64; word += 4)
          look(word);
    }
    for (; offset + 20 <= bytes; offset += 16)
      if (__builtin_expect(bits(outsideAt(offset)) != 0xffff, false))
        for (uint32_t word = offset; word < offset + 16; word += 4)
          look(word);
  }
#endif
  for (; offset + 8 <= bytes; offset += 4)
    look(offset);
}

/// Places of such allocations. What is allocated there later has an address that kernels have
/// already. Bounded: where there are too many, what lies between two of them counts as well. Under
/// the auditor's lock.
class StaleAddresses {
public:
  bool empty() const { return Places.empty(); }
  void clear() { Places.clear(); }
  void add(uint64_t base, uint64_t end, bool global) {
    auto at = Places.upper_bound(base);
    if (at != Places.begin() && (std::prev(at)->second.end >= base || Places.size() >= Most))
      --at; // one with it
    else if (Places.size() < Most)
      at = Places.insert({base, {end, global}}).first;
    base = std::min(base, at->first);
    Place whole = {std::max(end, at->second.end), global || at->second.global};
    while (at != Places.end() && at->first <= whole.end) {
      whole = {std::max(whole.end, at->second.end), whole.global || at->second.global};
      at = Places.erase(at);
    }
    Places.insert({base, whole});
  }
  /// Whether there is one in [base, end); `global`: in a variable.
  bool anyIn(uint64_t base, uint64_t end, bool &global) const {
    bool any = false;
    auto at = Places.upper_bound(base);
    if (at != Places.begin() && std::prev(at)->second.end > base)
      --at;
    for (; at != Places.end() && at->first < end; ++at) {
      any = true;
      global |= at->second.global;
    }
    return any;
  }

private:
  static constexpr size_t Most = 4096;
  struct Place {
    uint64_t end;
    bool global;
  };
  std::map<uint64_t, Place> Places; ///< by first address; they do not touch
};

} // namespace gpuinstr::audit

#endif
