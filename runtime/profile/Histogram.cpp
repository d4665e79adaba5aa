// Duration statistics of a call site: fixed size, no allocation, mergeable.
// SPDX-License-Identifier: Apache-2.0
#include "profile/Histogram.h"
#include <algorithm>
#include <cmath>

namespace gpuinstr::profile {

uint64_t Histogram::lowest(unsigned index) {
  unsigned row = index >> SubBits;
  uint64_t sub = index & ((1u << SubBits) - 1);
  return row == 0 ? sub : ((uint64_t(1) << SubBits) + sub) << (row - 1);
}

uint64_t Histogram::highest(unsigned index) {
  return index + 1 < Buckets ? lowest(index + 1) - 1 : (uint64_t(1) << TopBit) - 1;
}

void Histogram::merge(const Histogram &other) {
  for (unsigned i = 0; i < Buckets; ++i)
    if (uint64_t n = other.Counts[i])
      Counts[i] += n;
}

void Histogram::reset() {
  for (Relaxed<uint64_t> &n : Counts)
    n = 0;
}

uint64_t Histogram::count() const {
  uint64_t sum = 0;
  for (const Relaxed<uint64_t> &n : Counts)
    sum += n;
  return sum;
}

uint64_t Histogram::percentile(double fraction) const {
  uint64_t all = count();
  if (all == 0)
    return 0;
  double wanted = std::ceil(std::min(std::max(fraction, 0.0), 1.0) * static_cast<double>(all));
  uint64_t rank = std::max<uint64_t>(1, static_cast<uint64_t>(wanted)), seen = 0;
  for (unsigned i = 0; i < Buckets; ++i) {
    seen += Counts[i];
    if (seen >= rank)
      return lowest(i) + (highest(i) - lowest(i)) / 2;
  }
  return highest(Buckets - 1); // a writer added between the two passes
}

double DurationStats::deviations(uint64_t about) const {
  __int128 sum =
      static_cast<__int128>(uint64_t(Total)) - static_cast<__int128>(uint64_t(Count)) * about;
  return static_cast<double>(sum);
}

void DurationStats::merge(const DurationStats &other) {
  if (other.HasFirst) {
    if (HasFirst)
      add(other.First);
    else
      addFirst(other.First);
  }
  uint64_t theirs = other.Count, ours = Count;
  if (theirs == 0)
    return;
  Min = ours == 0 ? uint64_t(other.Min) : std::min<uint64_t>(Min, other.Min);
  Max = std::max<uint64_t>(Max, other.Max);
  if (ours == 0)
    Shift = uint64_t(other.Shift);
  // Their squares, moved from their shift to ours.
  double move = static_cast<double>(static_cast<int64_t>(uint64_t(other.Shift) - uint64_t(Shift)));
  Squares += double(other.Squares) + 2 * move * other.deviations(other.Shift) +
             static_cast<double>(theirs) * move * move;
  Count = ours + theirs;
  Samples += other.Samples;
  Total += other.Total;
  Values.merge(other.Values);
}

void DurationStats::reset() {
  for (Relaxed<uint64_t> *word : {&Count, &Samples, &Total, &Min, &Max, &First, &Shift})
    *word = 0;
  HasFirst = false;
  Squares = 0;
  Values.reset();
}

Duration DurationStats::figures() const {
  Duration d;
  d.count = Count;
  d.first_ns = HasFirst ? uint64_t(First) : 0;
  if (d.count == 0)
    return d;
  d.samples = Samples;
  d.total_ns = Total;
  d.mean_ns = static_cast<double>(d.total_ns) / static_cast<double>(d.count);
  // The sample's standard deviation, as nsys prints it.
  if (d.count > 1) {
    double n = static_cast<double>(d.count), sum = deviations(Shift);
    d.stddev_ns = std::sqrt(std::max(0.0, (double(Squares) - sum * sum / n) / (n - 1)));
  }
  d.min_ns = Min;
  d.max_ns = Max;
  // The bucket's middle may lie outside what was seen.
  d.median_ns = std::min(std::max(Values.percentile(0.5), d.min_ns), d.max_ns);
  return d;
}

} // namespace gpuinstr::profile
