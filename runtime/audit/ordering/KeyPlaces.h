// The transfers whose device side lies in an allocation, found by place.
// SPDX-License-Identifier: Apache-2.0
//
// Each transfer asks which others touch its bytes. Of a few all are looked at; where a program
// fills one allocation piece by piece, as with an arena of its own, an index finds them.
#ifndef GPUINSTR_AUDIT_ORDERING_KEYPLACES_H
#define GPUINSTR_AUDIT_ORDERING_KEYPLACES_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpuinstr::audit {

struct Key;

/// A transfer whose device side lies in an allocation, and where: of memory with many, most need no
/// look at the key itself.
struct KeyPlace {
  uint64_t lo, hi; ///< the key's, which stay
  Key *key;
  bool overlaps(uint64_t from, uint64_t to) const { return lo < to && from < hi; }
};

/// Of an allocation with more than `KeyIndex::From` places.
class KeyIndex {
public:
  static constexpr size_t From = 64;

  /// May throw; behind it add() of such a place does not.
  void reserve(const KeyPlace &place);
  void add(const KeyPlace &place);

  /// Until one returns true: those that overlap, by size and address, of equal ones the first made
  /// first.
  template <class Visit> bool any(uint64_t lo, uint64_t hi, Visit visit) {
    int64_t visited = 0;
    bool found = false;
    for (uint64_t left = Sizes; left && !found; left &= left - 1) {
      const auto &places = BySize[unsigned(__builtin_ctzll(left))];
      const uint64_t span = uint64_t(2) << __builtin_ctzll(left);
      for (size_t i = firstFrom(places, lo > span ? lo - span : 0);
           i < places.size() && places[i].lo < hi && !found; ++i, ++visited)
        found = places[i].hi > lo && visit(places[i]);
    }
    ++Asked;
    Credit = std::min(Credit + int64_t(From), Most) - visited;
    return found;
  }

  /// Whether one more place may be looked at: three looks at some tell more than one at each. Few
  /// are begun at a time, and some for those that do not come again.
  bool mayBegin() {
    constexpr uint64_t AskedForOne = 2048;
    if (Begun >= From + Settled + Asked / AskedForOne)
      return false;
    ++Begun;
    return true;
  }
  /// One of those has had its looks.
  void noteSettled() { ++Settled; }

  /// The program's transfers touch more of them, one with the other, than it can be asked to pay
  /// for: an allocation that is filled by pieces, but used as a whole.
  bool isOverrun() const { return Credit < 0; }

private:
  static constexpr int64_t Most = 1 << 16;
  static unsigned sizeOf(const KeyPlace &place) {
    return unsigned(63 - __builtin_clzll((place.hi - place.lo) | 1));
  }
  static size_t firstFrom(const std::vector<KeyPlace> &places, uint64_t lo);

  std::array<std::vector<KeyPlace>, 64> BySize; ///< by the span's highest bit; ascending
  uint64_t Sizes = 0;
  int64_t Credit = Most;
  uint64_t Asked = 0, Settled = 0;
  uint64_t Begun = From; ///< those that were there before there was an index
};

} // namespace gpuinstr::audit

#endif
