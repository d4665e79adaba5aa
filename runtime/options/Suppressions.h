// Rules that take known findings out of the report and out of fail_on.
// SPDX-License-Identifier: Apache-2.0
//
// A line is `finding-id:pattern [max=N]`; `#` starts a comment at the line's start or after a
// blank. The pattern is a glob (* and ?) on the function, file or variable that the report shows,
// at the site or its caller, or on the two keys below. max=N: only while the counts of all findings
// that the rule takes add up to N at most.
#ifndef GPUINSTR_OPTIONS_SUPPRESSIONS_H
#define GPUINSTR_OPTIONS_SUPPRESSIONS_H

#include "profile/Profile.h"
#include <string>
#include <string_view>
#include <vector>

namespace gpuinstr::options {

/// "function:variable": what a site is known by when its lines move. "" where nothing names it.
std::string suppressionKey(const profile::Finding &finding, const profile::Site *site);
/// The same with " from caller" where there is one: what baselines are written with.
std::string suppressionKey(const profile::Finding &finding, const profile::Site *site,
                           const profile::Site *caller);

struct SuppressionRule {
  profile::Pattern finding = profile::Pattern::Unknown;
  std::string pattern;
  uint64_t max = UINT64_MAX;
  std::string text;   ///< as written, without comment
  std::string origin; ///< file:line
};

class Suppressions {
public:
  /// Adds a file's rules. One line per malformed line and for a file that cannot be read in
  /// `problems`; the other rules stand. Returns whether the file could be read.
  bool load(const std::string &file, std::vector<std::string> &problems);
  void parse(std::string_view text, std::string_view file, std::vector<std::string> &problems);

  /// Marks the findings that a rule matches and fills profile.suppressions. A finding that a source
  /// comment suppressed already is left alone; the first rule that matches wins.
  void apply(profile::Profile &profile) const;

  const std::vector<SuppressionRule> &rules() const { return Rules; }

private:
  std::vector<SuppressionRule> Rules;
};

/// Those of `file`, "" none, are applied to the profile. What is wrong with the file: `problems`.
void applySuppressions(const std::string &file, profile::Profile &profile,
                       std::vector<std::string> &problems);

/// Rules of the profile that matched nothing, in file order.
std::vector<profile::Suppression> unusedSuppressions(const profile::Profile &profile);

} // namespace gpuinstr::options

#endif
