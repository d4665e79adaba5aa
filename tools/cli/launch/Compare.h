// What watching costs a program: two ways of running it, in pairs.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_LAUNCH_COMPARE_H
#define GPUINSTR_CLI_LAUNCH_COMPARE_H

#include <string>
#include <utility>
#include <vector>

namespace gpuinstr::cli {

/// Variables to set.
using Environment = std::vector<std::pair<std::string, std::string>>;

struct RunWay {
  std::vector<std::string> command;
  Environment environment;
};

struct Comparison {
  std::vector<double> plain, instrumented; ///< ns of wall time, by pair
  int exitCode = 0;                        ///< of all runs
};

/// Starts both `pairs` times after one pair that does not count, by turns which comes first, with
/// their output thrown away. Throws Failure when one is ended by a signal, or when not all end with
/// the same exit code.
Comparison compareRuns(const RunWay &plain, const RunWay &instrumented, unsigned pairs);

/// Medians, and the median of the pairs' ratios with its 95 % interval.
std::string comparisonText(const Comparison &comparison);

} // namespace gpuinstr::cli

#endif
