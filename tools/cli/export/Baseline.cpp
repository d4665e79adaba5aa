// gpuinstr suppress: a baseline of today's findings.
// SPDX-License-Identifier: Apache-2.0
#include "export/Baseline.h"
#include "base/text/Printable.h"
#include "lookup/SiteIndex.h"
#include "options/Suppressions.h"
#include <map>

namespace gpuinstr::cli {

using profile::Finding;
using profile::Site;

namespace {

/// Whether a rule with this pattern can be written on a line and read back.
bool writable(const std::string &pattern) {
  if (pattern.empty() || pattern.front() == ' ' || pattern.back() == ' ')
    return false;
  return pattern == printable(pattern) && pattern.find(" #") == std::string::npos &&
         pattern.find(" max=") == std::string::npos && pattern[0] != '#';
}

/// The finding's place: function, variable and caller stay when lines move. "" when nothing names
/// it.
std::string patternOf(const Finding &finding, const SiteIndex &sites) {
  const Site *own = sites[finding.site], *caller = sites[finding.caller];
  std::string key = options::suppressionKey(finding, own ? own : caller, own ? caller : nullptr);
  if (key.empty() && caller)
    key = options::suppressionKey(finding, caller);
  if (writable(key))
    return key;
  if (writable(finding.variable))
    return finding.variable;
  const Site *shown = sites.shown(finding);
  return shown && writable(shown->file) ? shown->file : "";
}

/// How often a copy was for nothing depends on how long the program ran, and may be an estimate.
bool hasMaximum(const Finding &finding) {
  return profile::findingKind(finding.pattern).cls == profile::FindingClass::Bug;
}

} // namespace

std::string baseline(const profile::Profile &profile) {
  SiteIndex sites(profile);
  std::map<std::string, std::pair<uint64_t, std::string>> rules; // count and places, by rule
  std::string nameless;
  for (const Finding &finding : profile.findings) {
    if (finding.suppressed || finding.grade == profile::Grade::Information)
      continue;
    std::string pattern = patternOf(finding, sites), place = placeText(sites.shown(finding));
    if (pattern.empty()) {
      nameless +=
          "# not suppressed, nothing names it: " + finding.pattern.text() + " " + place + "\n";
      continue;
    }
    auto &[sum, places] = rules[finding.pattern.text() + ":" + pattern];
    sum += hasMaximum(finding) ? finding.count : 0;
    places += (places.empty() ? "" : ", ") + place;
  }
  std::string out = "# Findings of " + printable(profile.process.exe) +
                    " that were known; read with GPUINSTR_OPTIONS=suppressions=FILE\n";
  for (const auto &[rule, about] : rules)
    out += rule + (about.first ? " max=" + std::to_string(about.first) : "") + " # " +
           about.second + "\n";
  return out + nameless;
}

} // namespace gpuinstr::cli
