// A program that was compiled plainly against the instrumented one, run in pairs.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_COMPARE_H
#define GPUINSTR_CLI_COMPARE_H

#include <string>
#include <utility>
#include <vector>

namespace gpuinstr::cli {

struct Comparison {
  std::vector<double> plain, instrumented; ///< ns of wall time, by pair
};

/// Starts both `pairs` times after one pair that does not count, by turns which comes first, with
/// their output thrown away and `environment` set for both. Throws Failure when one does not end
/// with exit code 0.
Comparison compareRuns(const std::vector<std::string> &plain,
                       const std::vector<std::string> &instrumented, unsigned pairs,
                       const std::vector<std::pair<std::string, std::string>> &environment);

/// Medians, and the median of the pairs' ratios with its 95 % interval.
std::string comparisonText(const Comparison &comparison);

} // namespace gpuinstr::cli

#endif
