// Figures of many processes added up.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_MERGE_SUMS_H
#define GPUINSTR_CLI_MERGE_SUMS_H

#include "profile/Histogram.h"
#include "profile/Profile.h"
#include <cstdint>

namespace gpuinstr::cli {

/// A figure as it is met process by process. Processes that never add count as 0.
class SpreadSum {
public:
  void add(uint64_t value, int rank);
  /// `processes` in all, of which `first` is the least rank that did not add, -1 unknown.
  profile::Spread figures(uint64_t processes) const;

private:
  uint64_t Seen = 0, Min = UINT64_MAX, Max = 0;
  int MinRank = -1, MaxRank = -1;
  double Sum = 0;
};

/// A duration over many processes: from their figures, exact but for the median.
class DurationSum {
public:
  void add(const profile::Duration &from);
  profile::Duration figures() const;

private:
  uint64_t Count = 0, Samples = 0, Total = 0, First = 0, Min = UINT64_MAX, Max = 0;
  double Squares = 0, Weighted = 0;
  profile::Histogram Medians;
};

} // namespace gpuinstr::cli

#endif
