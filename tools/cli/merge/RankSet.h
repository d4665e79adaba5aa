// A set of ranks at one bit each.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_MERGE_RANKSET_H
#define GPUINSTR_CLI_MERGE_RANKSET_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpuinstr::cli {

class RankSet {
public:
  /// Negative ranks are not kept.
  void add(int rank) {
    if (rank < 0)
      return;
    std::size_t word = static_cast<std::size_t>(rank) / 64;
    if (word >= Words.size())
      Words.resize(word + 1);
    Words[word] |= uint64_t(1) << (rank % 64);
  }
  bool has(std::size_t rank) const {
    return rank / 64 < Words.size() && (Words[rank / 64] >> (rank % 64) & 1);
  }
  uint64_t count() const {
    uint64_t sum = 0;
    for (uint64_t word : Words)
      sum += static_cast<uint64_t>(__builtin_popcountll(word));
    return sum;
  }
  /// "0-3,7"
  std::string text() const {
    std::string out;
    for (std::size_t first = 0, end = Words.size() * 64; first < end; ++first) {
      if (!has(first))
        continue;
      std::size_t last = first;
      while (has(last + 1))
        ++last;
      out += (out.empty() ? "" : ",") + std::to_string(first);
      if (last > first)
        out += (last == first + 1 ? "," : "-") + std::to_string(last);
      first = last;
    }
    return out;
  }

private:
  std::vector<uint64_t> Words;
};

} // namespace gpuinstr::cli

#endif
