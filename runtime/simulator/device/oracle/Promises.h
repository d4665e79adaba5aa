// Memory that copies and sets were asked to write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace gpuinstr::sim {

/// Ranges [from, to), by the number of bits of their length: sets of thousands of rows of one byte
/// each are found as fast as one of all.
class Promises {
public:
  /// Orders only grow: the first one of a range stays.
  void add(uint64_t from, uint64_t to, uint64_t order) {
    if (!covers(from, to, order))
      Ranges[bitsOf(to - from)].try_emplace({from, to}, order);
  }

  /// Whether one before `order` holds all of it.
  bool covers(uint64_t from, uint64_t to, uint64_t order) const {
    for (unsigned bits = bitsOf(to - from); bits < Ranges.size(); ++bits) {
      const Table &table = Ranges[bits];
      const uint64_t longest = (uint64_t(1) << bits) - 1;
      for (auto it = table.upper_bound({from, UINT64_MAX}); it != table.begin();) {
        --it;
        if (from - it->first.first > longest)
          break;
        if (it->first.second >= to && it->second < order)
          return true;
      }
    }
    return false;
  }

  /// Of memory that is freed.
  void drop(uint64_t from, uint64_t to) {
    for (Table &table : Ranges)
      table.erase(table.lower_bound({from, 0}), table.lower_bound({to, 0}));
  }

private:
  using Table = std::map<std::pair<uint64_t, uint64_t>, uint64_t>; ///< to the order
  static constexpr unsigned Most = 48;

  static unsigned bitsOf(uint64_t length) {
    const unsigned bits = length ? 64 - unsigned(__builtin_clzll(length)) : 0;
    return bits < Most ? bits : Most - 1;
  }
  std::array<Table, Most> Ranges;
};

} // namespace gpuinstr::sim
