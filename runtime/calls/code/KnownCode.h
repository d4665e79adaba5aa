// Parts of an image, by address.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CALLS_CODE_KNOWNCODE_H
#define GPUINSTR_CALLS_CODE_KNOWNCODE_H

#include "gpuinstr/abi.h"
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gpuinstr {

struct Range {
  uint64_t begin, end;
  bool has(uint64_t address) const { return begin <= address && address < end; }
};

using Names = std::map<uint64_t, std::string>; ///< by address

/// gpuinstr_module::code.
struct CodeList {
  const void *begin, *end;
  bool isWide;
  bool operator<(const CodeList &other) const { return begin < other.begin; }
};

/// The code that was compiled with the plugin, and CUDA's own.
class KnownCode {
public:
  explicit KnownCode(const std::set<CodeList> &lists) {
    std::vector<Range> ranges;
    for (const CodeList &list : lists)
      if (list.isWide)
        each<gpuinstr_wide_code>(list, [&](const gpuinstr_wide_code &code) {
          const uint64_t begin = uint64_t(&code) + (uint64_t(code.begin[1]) << 32 | code.begin[0]);
          ranges.push_back({begin, begin + code.bytes});
        });
      else
        each<gpuinstr_code>(list, [&](const gpuinstr_code &code) {
          const uint64_t begin = uint64_t(&code) + int64_t(code.begin);
          ranges.push_back({begin, begin + code.bytes});
        });
    add(std::move(ranges));
  }

  void add(std::vector<Range> ranges) {
    Ranges.insert(Ranges.end(), ranges.begin(), ranges.end());
    std::sort(Ranges.begin(), Ranges.end(),
              [](const Range &a, const Range &b) { return a.begin < b.begin; });
    size_t last = 0; // functions have other names, and names inside
    for (size_t i = 1; i < Ranges.size(); ++i)
      if (Ranges[i].begin <= Ranges[last].end)
        Ranges[last].end = std::max(Ranges[last].end, Ranges[i].end);
      else
        Ranges[++last] = Ranges[i];
    Ranges.resize(Ranges.empty() ? 0 : last + 1);
  }

  /// Whether any of it lies there.
  bool meets(const Range &range) const {
    auto next = behind(range.begin);
    return next != Ranges.end() && next->begin < range.end;
  }

  /// Calls part(begin, end) for each part of [begin, end) that is neither: most of a program with
  /// a CUDA runtime linked in is.
  template <class Part> void eachUnseen(const uint8_t *begin, const uint8_t *end, Part part) const {
    auto next = behind(uint64_t(begin));
    while (begin < end) {
      const bool isLast = next == Ranges.end() || next->begin >= uint64_t(end);
      const auto *stop = isLast ? end : reinterpret_cast<const uint8_t *>(next->begin);
      if (begin < stop)
        part(begin, stop);
      if (isLast)
        return;
      begin = reinterpret_cast<const uint8_t *>(next->end);
      ++next;
    }
  }

private:
  template <class Entry, class Visit> static void each(const CodeList &list, Visit visit) {
    auto *entry = static_cast<const Entry *>(list.begin);
    for (; entry < static_cast<const Entry *>(list.end); ++entry)
      visit(*entry);
  }

  /// The first that ends behind it.
  std::vector<Range>::const_iterator behind(uint64_t address) const {
    return std::upper_bound(Ranges.begin(), Ranges.end(), address,
                            [](uint64_t a, const Range &r) { return a < r.end; });
  }

  std::vector<Range> Ranges; ///< by where they begin; they lie apart
};

} // namespace gpuinstr

#endif
