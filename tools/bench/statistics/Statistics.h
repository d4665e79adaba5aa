// Median of paired ratios with a distribution-free interval.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_TOOLS_BENCH_STATISTICS_H
#define GPUINSTR_TOOLS_BENCH_STATISTICS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gpuinstr::bench {

struct Interval {
  double median = 0, low = 0, high = 0;
};

/// Probability that at most `k` of `n` fair coins show heads.
inline double binomialCdf(std::size_t n, std::size_t k) {
  double term = std::pow(0.5, static_cast<double>(n)), sum = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    sum += term;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return sum;
}

/// The median and the order statistics that enclose the true median with at least 95 %. With fewer
/// than six values no such pair exists: the interval is then the whole range. `values` is not
/// empty.
inline Interval medianInterval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Interval result;
  result.median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  // [x(r), x(n-1-r)] misses the median with probability 2 * P(at most r below it).
  std::size_t r = 0;
  while (r + 1 < n / 2 && binomialCdf(n, r + 1) <= 0.025)
    ++r;
  result.low = values[r];
  result.high = values[n - 1 - r];
  return result;
}

} // namespace gpuinstr::bench

#endif
