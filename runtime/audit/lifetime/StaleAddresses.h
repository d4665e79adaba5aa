// Where allocations lay whose addresses still stand in memory that kernels may read.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_AUDIT_LIFETIME_STALEADDRESSES_H
#define GPUINSTR_AUDIT_LIFETIME_STALEADDRESSES_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace gpuinstr::audit {

/// What is allocated there later has an address that kernels have already. Bounded: where there
/// are too many, what lies between two of them counts as well. Under the auditor's lock.
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
