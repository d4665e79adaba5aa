// The figures of calls as every reader of a profile shows them: one definition of each.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_PROFILE_CALLFIGURES_H
#define GPUINSTR_PROFILE_CALLFIGURES_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gpuinstr::profile {

/// Of one site, or of several: all calls count in calls and total, a site's first call in nothing
/// else, as CUDA loads code then. Where there were first calls alone, the figures are theirs.
struct CallFigures {
  uint64_t calls = 0, timed = 0; ///< timed: those behind mean to max
  uint64_t total_ns = 0, min_ns = 0, max_ns = 0, median_ns = 0;
  double mean_ns = 0, stddev_ns = 0;
  bool estimated = false; ///< not all calls were timed
  bool callsEstimated = false;
};

CallFigures callFigures(const Site &site);
CallFigures callFigures(const std::vector<const Site *> &sites);

/// The CUDA function that a site called, as nsys names it: a launch is spelled as its kernel, or as
/// a template around the function.
std::string functionName(const std::string &callee, bool launch);

/// Sites with calls and time, in the profile's order: what shares of host time are of.
std::vector<const Site *> timedSites(const Profile &profile);

/// Tenths of a per cent of the whole, adding up to 1000: `Time (%)`.
std::vector<unsigned> timeShares(const std::vector<CallFigures> &rows);

} // namespace gpuinstr::profile

#endif
