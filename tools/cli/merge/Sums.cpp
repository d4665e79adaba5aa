// Figures of many processes added up.
// SPDX-License-Identifier: Apache-2.0
#include "merge/Sums.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::cli {

void SpreadSum::add(uint64_t value, int rank) {
  ++Seen;
  Sum += static_cast<double>(value);
  if (value < Min) {
    Min = value;
    MinRank = rank;
  }
  if (value > Max || MaxRank < 0) {
    Max = value;
    MaxRank = rank;
  }
}

profile::Spread SpreadSum::figures(uint64_t processes) const {
  profile::Spread spread;
  if (Seen == 0)
    return spread;
  bool all = Seen >= processes;
  spread.min = all ? Min : 0;
  spread.min_rank = all ? MinRank : -1;
  spread.max = Max;
  spread.max_rank = MaxRank;
  spread.avg = Sum / static_cast<double>(std::max(processes, Seen));
  if (spread.avg > 0)
    spread.imbalance_percent = std::max(0.0, (static_cast<double>(Max) / spread.avg - 1) * 100);
  return spread;
}

void DurationSum::add(const profile::Duration &from) {
  if (from.count) {
    double count = static_cast<double>(from.count);
    Min = std::min(Min, from.min_ns);
    Max = std::max(Max, from.max_ns);
    Squares += count * from.mean_ns * from.mean_ns + (count - 1) * from.stddev_ns * from.stddev_ns;
    Weighted += count * from.mean_ns;
    Medians.add(from.median_ns, from.count);
  }
  Count += from.count;
  Samples += from.samples ? from.samples : from.count; // an older profile's were all timed
  Total += from.total_ns;
  First += from.first_ns;
}

profile::Duration DurationSum::figures() const {
  profile::Duration out;
  out.count = Count;
  out.samples = Samples;
  out.total_ns = Total;
  out.first_ns = First;
  if (Count == 0)
    return out;
  double count = static_cast<double>(Count);
  out.mean_ns = Weighted / count;
  double rest = Squares - count * out.mean_ns * out.mean_ns;
  out.stddev_ns = Count > 1 ? std::sqrt(std::max(0.0, rest / (count - 1))) : 0;
  out.min_ns = Min;
  out.max_ns = Max;
  out.median_ns = Medians.percentile(0.5);
  return out;
}

} // namespace gpuinstr::cli
