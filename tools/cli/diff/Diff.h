// Two profiles compared: sites and findings matched although lines moved.
// SPDX-License-Identifier: Apache-2.0
#ifndef GPUINSTR_CLI_DIFF_DIFF_H
#define GPUINSTR_CLI_DIFF_DIFF_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::cli {

struct SitePair {
  const profile::Site *base = nullptr, *now = nullptr; ///< one of them may be null
};
struct FindingPair {
  const profile::Finding *base = nullptr, *now = nullptr;
};

/// The profiles must outlive it.
struct Diff {
  const profile::Profile &base, &now;
  std::vector<SitePair> sites;       ///< all that ran in one of them
  std::vector<FindingPair> findings; ///< suppressed ones and information left out
};

/// A site is the same by id; else by kind, function, callee, variable and file name, in the order
/// of lines.
Diff compareProfiles(const profile::Profile &base, const profile::Profile &now);

/// One of --fail-on: leak>0, noop-copy.bytes>+0, site.host>+10%.
struct Condition {
  std::string text, subject, field;
  bool orEqual = false;  ///< >=
  bool relative = false; ///< +: against BASE
  bool percent = false;
  double value = 0; ///< bytes or ns where a unit was given
};

/// Throws Failure that names what is wrong.
std::vector<Condition> parseConditions(std::string_view text);

/// What breaks the condition, one line each; empty when it holds. Times of sites that differ by
/// less than `noiseNs` count as equal. Throws Failure when a profile lacks what is asked for.
std::vector<std::string> violations(const Diff &diff, const Condition &condition, double noiseNs);

/// New, gone and changed findings, then at most `rows` sites whose time differs most.
std::string diffText(const Diff &diff, std::size_t rows, double noiseNs);

} // namespace gpuinstr::cli

#endif
